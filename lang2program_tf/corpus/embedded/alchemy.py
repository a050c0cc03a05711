"""How people talk about beakers."""

from __future__ import annotations

import random

from lang2program_tf.corpus.embedded.alchemy_worlds import WORLDS
from lang2program_tf.corpus.embedded.grammar import (
    START,
    Grammar,
    Saying,
    Situation,
    first_of,
    nth,
    previous,
)
from lang2program_tf.corpus.embedded.phrases import AGAIN, NUMBERS, ORDINALS, Phrase, choose
from lang2program_tf.language import get_domain
from lang2program_tf.language.alchemy import CAPACITY, NUM_BEAKERS, Beaker

ALL_OF_IT = "1/1"
MIDDLE = (NUM_BEAKERS + 1) // 2
COLOR_TOKENS = {
    "r": "red",
    "y": "yellow",
    "g": "green",
    "o": "orange",
    "p": "purple",
    "b": "brown",
}
COLOR_WORDS = {**COLOR_TOKENS, "p": "[purple*7|violet]"}

_NOUNS = "[beaker*12|flask*2|container*2|jar|vial|glass|tube|cup|bottle]"
_STUFF = "[chemical*4|liquid*2|fluid|solution|stuff|substance]"
_OUT = (
    "[throw out*8|throw away|pour out*2|dump out*2|dump|empty out*3|empty*2|drain*3|discard*2|"
    "get rid of|toss out|toss|dispose of|clear out|remove|spill out|eliminate|drain off]"
)
_EVERYTHING = (
    "[all of*3|everything in|everything from|the contents of*3|the entire contents of|"
    "all the {stuff} in|the whole of|every unit of]"
)
_TAKE = (
    "[throw out*6|throw away|drain*4|remove*4|pour out*2|take*2|discard*2|dump out|dump|toss out|"
    "get rid of|empty out|pull|spill|subtract|withdraw]"
)
_UNIT = "[unit*8|part|portion|measure|drop|dose]"
_UNITS = "[units*8|parts|portions|measures|drops|doses]"

_DRAIN_ALL = (
    f"[{_OUT} {{b}}*5|{_OUT} {_EVERYTHING} {{b}}*2|{{b}} [is|gets|should be] "
    "[emptied|drained|discarded|thrown out|poured out|dumped]|make {b} empty|leave {b} empty]"
)
_DRAIN_PART = (
    f"[{_TAKE} {{n}} {{units}} [of*4|from*3|out of] {{b}}*8|[reduce|lower|decrease] {{b}} by {{n}} "
    "{units}|take {n} {units} away from {b}|{n} {units} of {b} [get|should be|must be] "
    "[removed|discarded|drained|thrown out]|let {n} {units} out of {b}]"
)
_REST = (
    f"{_OUT} [the rest*4|the rest of it*2|the remainder|what is left*2|what remains|"
    "whatever is left|the leftover {stuff}|the remaining {stuff}*2|all that remains]"
)
_REPEAT = f"[do [that*2|it|the same thing] {AGAIN}*4|repeat [that|this|the last step]*2|{AGAIN}]"
_LIKEWISE = (
    "[do the same [for|with*2|to]*4|same [for*2|with]*3|the same [for|with]|repeat [for|with]|"
    "likewise [for|with]|do that [for|with|to]] {b} [||||too|as well|also]"
)
_POUR = (
    "[[pour*8|empty|tip|transfer|dump|move] [|||all of|everything from|the contents of] {a} "
    "[into*6|in|to|over into] {b}*7|add {a} to {b}*3|fill {b} with {a}|put {a} [in|into] {b}|"
    "{a} [goes|gets poured|is poured] into {b}|combine {a} into {b}|let {a} flow into {b}]"
)
_POUR_TOO = (
    "[[add|pour in|put in] {a} [too*2|as well*2|also]*3|also [add|pour in|put in] {a}*2|"
    "[add|pour] {a} [into|to] the same {noun}*2]"
)
_MIX = (
    "[[mix*5|stir*3|blend|shake|swirl] {b} [|||up|together|well|thoroughly]*6|{b} [turns*3|becomes|"
    "goes|will turn] [|||completely|all] brown*3|[mix|stir|blend|combine] the "
    "[chemicals|liquids|contents|colors|fluids] [in|of|inside] {b}*2|make {b} brown|"
    "give {b} a [stir|shake|swirl]]"
)
_IT = "[it*7|that one|that {noun}|the same {noun}|this {noun}|the same one]"
_JUST_EMPTIED = (
    "the [{noun}|one] [we just emptied|we just poured from|that was just emptied|"
    "that [just became|is now] empty]"
)


def references(situation: Situation, beaker: Beaker) -> list[Phrase]:
    """The ways to name a beaker, all of which mean this one and no other."""
    return [
        *_by_position(beaker.position),
        *_by_color(situation, beaker),
        *_by_history(situation, beaker),
    ]


def _by_position(position: int) -> list[Phrase]:
    tokens = nth(position)
    ordinal = ORDINALS[position]
    phrases = [
        Phrase(f"[the*4|] {ordinal} [{{noun}}*4|one]", tokens, 3.0),
        Phrase(f"{{noun}} [|||number] {NUMBERS[position]}", tokens, 0.5),
        Phrase(f"the {{noun}} in [position|place|spot] {NUMBERS[position]}", tokens, 0.2),
    ]
    if position == 1:
        phrases.append(Phrase("the [leftmost*3|far left*2|left most] {noun}", tokens, 1.5))
    if position == MIDDLE:
        phrases.append(Phrase("the [middle*4|center*2|central] {noun}", tokens, 1.0))
    if position in (MIDDLE + 1, MIDDLE + 2):
        from_right = ORDINALS[NUM_BEAKERS + 1 - position]
        phrases.append(Phrase(f"the {from_right} {{noun}} from the right", tokens, 0.6))
    if position == NUM_BEAKERS - 1:
        phrases.append(Phrase("the [second to last*3|next to last] {noun}", tokens, 0.5))
    if position == NUM_BEAKERS:
        phrases.append(
            Phrase("the [last*5|rightmost*3|far right*2|right most|final] {noun}", nth(-1), 3.0)
        )
    return phrases


def _by_color(situation: Situation, beaker: Beaker) -> list[Phrase]:
    if beaker.color is None:
        return []
    word = COLOR_WORDS[beaker.color]
    tokens = (COLOR_TOKENS[beaker.color], "hasColor")
    alike = [other for other in situation.objects if other.color == beaker.color]
    if len(alike) == 1:
        holding = "[of*3|with*2|containing|holding|full of]"
        return [
            Phrase(f"[the*5|] {word} [{{noun}}*3|one*3|{{stuff}}*4|]", tokens, 5.0),
            Phrase(f"the {{noun}} {holding} {word} [{{stuff}}*3|]", tokens, 1.0),
        ]
    rank = alike.index(beaker) + 1
    name = f"{word} [{{noun}}*3|one*3|{{stuff}}*2]"
    phrases = []
    if rank == 1:
        phrases.append(
            Phrase(f"the [first*3|leftmost*2|left most|1st] {name}", nth(1, tokens), 2.0)
        )
    elif rank < len(alike):
        phrases.append(Phrase(f"the {ORDINALS[rank]} {name}", nth(rank, tokens), 2.0))
    else:
        phrases.append(
            Phrase(f"the [last*3|rightmost*2|right most|final] {name}", nth(-1, tokens), 2.0)
        )
    return phrases


def _by_history(situation: Situation, beaker: Beaker) -> list[Phrase]:
    action = situation.last_action
    if action == START:
        return []
    # "it" is what the last command left something in: the target of a pour.
    focus = 2 if action == "pour" else 1
    if situation.argument(focus).position == beaker.position:
        return [Phrase(_IT, previous(focus), 6.0)]
    if action == "pour" and situation.argument(1).position == beaker.position:
        return [Phrase(_JUST_EMPTIED, previous(1), 2.0)]
    return []


def _new_references(situation: Situation, beaker: Beaker) -> list[Phrase]:
    """The ways to name a beaker without "it", for "the same with …"."""
    return [*_by_position(beaker.position), *_by_color(situation, beaker)]


def _filled(situation: Situation) -> list[Beaker]:
    return [beaker for beaker in situation.objects if beaker.units]


def _drain(situation: Situation) -> Saying | None:
    return first_of(
        situation,
        (0.35, _drain_the_rest),
        (0.15, _drain_again),
        (0.25, _drain_likewise),
        (1.0, _drain_plainly),
    )


def _drain_plainly(situation: Situation) -> Saying | None:
    rng = situation.rng
    if not _filled(situation):
        return None
    beaker = rng.choice(_filled(situation))
    amount = rng.randint(1, len(beaker.units))
    named = choose(rng, references(situation, beaker))
    slots = {"b": named.pattern, **_amount_slots(amount)}
    if amount == len(beaker.units) and rng.random() < 0.9:
        return Saying(_DRAIN_ALL, (*named.tokens, ALL_OF_IT, "drain"), slots, "all")
    return Saying(_DRAIN_PART, (*named.tokens, str(amount), "drain"), slots, "part")


def _amount_slots(amount: int) -> dict[str, str]:
    if amount == 1:
        return {"n": "[one*4|1*2|a|a single]", "units": _UNIT}
    return {"n": NUMBERS[amount], "units": _UNITS}


def _drain_the_rest(situation: Situation) -> Saying | None:
    if situation.last_manner != "part" or not situation.current(1).units:
        return None
    return Saying(_REST, (*previous(1), ALL_OF_IT, "drain"), manner="all")


def _drain_again(situation: Situation) -> Saying | None:
    if situation.last_manner != "part":
        return None
    if len(situation.current(1).units) < situation.argument(2):
        return None
    return Saying(_REPEAT, (*previous(1), *previous(2), "-1", "prevAction"), manner="part")


def _drain_likewise(situation: Situation) -> Saying | None:
    if situation.last_action != "drain":
        return None
    last = situation.argument(1).position
    others = [beaker for beaker in _filled(situation) if beaker.position != last]
    amount: tuple[str, ...] = (ALL_OF_IT,)
    if situation.last_manner == "part":
        taken = situation.argument(2)
        others = [beaker for beaker in others if len(beaker.units) >= taken]
        amount = previous(2)
    if not others:
        return None
    named = choose(situation.rng, _new_references(situation, situation.rng.choice(others)))
    tokens = (*named.tokens, *amount, "-1", "prevAction")
    return Saying(_LIKEWISE, tokens, {"b": named.pattern}, situation.last_manner)


def _pour(situation: Situation) -> Saying | None:
    return first_of(situation, (0.5, _pour_into_the_same), (1.0, _pour_plainly))


def _fits(source: Beaker, target: Beaker) -> bool:
    return (
        source.position != target.position
        and source.color is not None
        and len(source.units) + len(target.units) <= CAPACITY
    )


def _interest(source: Beaker, target: Beaker) -> float:
    """How much people like to see this pour; four of five real ones can be mixed afterwards."""
    if not target.units:
        return 0.05
    return 0.5 if source.color == target.color else 1.0


def _pour_plainly(situation: Situation) -> Saying | None:
    beakers = situation.objects
    pairs = [(a, b) for a in beakers for b in beakers if _fits(a, b)]
    if not pairs:
        return None
    weights = [_interest(source, target) for source, target in pairs]
    source, target = situation.rng.choices(pairs, weights=weights)[0]
    a = choose(situation.rng, references(situation, source))
    b = choose(situation.rng, references(situation, target))
    return Saying(_POUR, (*a.tokens, *b.tokens, "pour"), {"a": a.pattern, "b": b.pattern})


def _pour_into_the_same(situation: Situation) -> Saying | None:
    if situation.last_action != "pour":
        return None
    target = situation.current(2)
    sources = [beaker for beaker in situation.objects if _fits(beaker, target)]
    if not sources:
        return None
    a = choose(situation.rng, _new_references(situation, situation.rng.choice(sources)))
    if situation.rng.random() < 0.5:
        tokens = (*a.tokens, *previous(2), "-1", "prevAction")
        return Saying(_LIKEWISE, tokens, {"b": a.pattern})
    return Saying(_POUR_TOO, (*a.tokens, *previous(2), "pour"), {"a": a.pattern})


def _mix(situation: Situation) -> Saying | None:
    mixed = [beaker for beaker in _filled(situation) if beaker.color is None]
    if not mixed:
        return None
    named = choose(situation.rng, references(situation, situation.rng.choice(mixed)))
    return Saying(_MIX, (*named.tokens, "mix"), {"b": named.pattern})


def _voice(rng: random.Random) -> dict[str, str]:
    # Half of the speakers stick to "beaker", the data set's own word.
    noun = "beaker" if rng.random() < 0.5 else _NOUNS
    return {"noun": noun, "stuff": _STUFF}


GRAMMAR = Grammar(
    domain=get_domain("alchemy"),
    voice=_voice,
    followers={
        START: {"drain": 1.0},
        # Measured shares, but for "mix": more is asked for, as often there is nothing to mix.
        "drain": {"drain": 0.703, "pour": 0.266, "mix": 0.15},
        "pour": {"drain": 0.545, "pour": 0.091, "mix": 0.8},
        "mix": {"drain": 0.869, "pour": 0.126, "mix": 0.006},
    },
    ways={"drain": _drain, "pour": _pour, "mix": _mix},
    worlds=WORLDS,
    orig_parts=((1, 1), (2, 1), (3, 1), (1, 2), (2, 2)),
)
