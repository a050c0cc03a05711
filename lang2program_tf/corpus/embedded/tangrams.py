"""How people talk about a row of tangrams."""

from __future__ import annotations

import random

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
from lang2program_tf.corpus.embedded.tangrams_worlds import WORLDS
from lang2program_tf.language import get_domain
from lang2program_tf.language.tangrams import SHAPES, Tangram

FULL_ROW = len(SHAPES)

_NOUNS = (
    ("figure", "figures", 6),
    ("object", "objects", 3),
    ("item", "items", 2),
    ("shape", "shapes", 2),
    ("piece", "pieces", 2),
    ("picture", "pictures", 1),
    ("image", "images", 1),
    ("thing", "things", 1),
    ("card", "cards", 1),
    ("symbol", "symbols", 1),
    ("block", "blocks", 1),
)
_REMOVED = "[removed*4|deleted*2|took away|took out|dropped|erased|got rid of]"
_BE_REMOVED = "[removed*4|deleted*2|taken away|taken out|dropped|erased]"
_REMOVE = (
    "[[remove*8|delete*4|take away*2|take out|get rid of*2|erase|drop|throw out|eliminate|discard|"
    "subtract|cut] {t}*9|{t} [disappears|vanishes|is removed|is deleted|goes away|leaves]|"
    "take {t} [away|out|off the row]|make {t} [disappear|vanish]]"
)
_SWAPS = "[swap*8|switch*4|exchange|trade|flip|interchange|reverse]"
_SWAP = (
    f"[{_SWAPS} {{a}} [and*3|with*3] {{b}}*5|{{a}} and {{b}} [swap*2|trade*2|switch*2|exchange|"
    f"change] [places*3|positions|spots]|{_SWAPS} the [positions|places|spots|locations] of "
    "{a} and {b}|let {a} and {b} [change|swap] places|put {a} where {b} is and vice versa]"
)
_SWAP_PAIR = (
    f"[{_SWAPS} the {{first}} and {{second}} [{{nouns}}*4|{{noun}}*2|ones*2|]*5|{_SWAPS} the "
    "{nouns} in the {first} and {second} [positions|places|spots]]"
)
_SWAP_NUMBERS = f"{_SWAPS} {{noun}} {{m}} [and|with*2] [{{noun}}|] {{n}}"
_FIRST_TWO = f"{_SWAPS} the first two [{{nouns}}*3|ones|]"
_OUTER = f"{_SWAPS} the [{{nouns}} on the ends|outer {{nouns}}|outermost {{nouns}}|end {{nouns}}]"
_UNDO = (
    "[undo [that*2|it|the last step*3|the last move|the previous step|this]*5|"
    "[reverse|cancel|revert|take back] [that|the last step|the last move]*3|"
    "[go|step] back [a step|one step]|put everything back as it was]"
)
_SWAP_BACK = f"{_SWAPS} them [back*4|back {AGAIN}|{AGAIN}*3]"
_AGAIN = (
    f"[do [that*2|it*3|the same thing|this] {AGAIN}*5|"
    f"repeat [that|the last step*2|it|the last action]*2|{AGAIN}]"
)
_LIKEWISE = (
    "[do the same [with*3|for*2|to]*4|same [with|for]*2|repeat [with|for]|do that [with|for|to]|"
    "likewise [with|for]] {t}"
)
_PUT = "[add*6|put*5|place*2|bring*2|insert|return|restore|set]"  # all go with "it back"
_IT_BACK = "[it back*6|that one back|that {noun} back|the {noun} back|it back in|it in again]"
_AS_BEFORE = (
    f"[{_PUT} {_IT_BACK}*6|{_PUT} {_IT_BACK} [where it was*3|in its place|in its old position|"
    "in the same [spot|place|position]]*3|{undo}*3]"
)
_PUT_AT = (
    f"[{_PUT} {_IT_BACK} {{at}}*4|{_PUT} the {{noun}} we [just|] {_REMOVED} {{at}}*2|"
    f"{_PUT} the {{noun}} that was [just|] {_BE_REMOVED} {{at}}|"
    f"{_PUT} the [{_BE_REMOVED}|missing] {{noun}} [back|] {{at}}]"
)
_PUT_FROM_STEP = f"{_PUT} [back {{it}}|{{it}} back|{{it}}] {{at}}"
_FROM_STEP = (
    f"the {{noun}} [we {_REMOVED}*2|{_BE_REMOVED}|that was {_BE_REMOVED}] [in*4|during|at] {{step}}"
)
_ADDED = (
    "[it*4|that {noun}|the {noun} we just [added|put back|brought back|inserted]*2|"
    "the {noun} that [was just added|just came back]|the new {noun}]"
)
_REMOVE_ADDED = (
    "[[remove*4|delete*2|take|erase] {added} {again}*2|[take|get] it [away|out] {again}|{undo}*2]"
)
_STEP_AGAIN = "[repeat*4|redo*2|do|perform|apply] {step} [||again*2|once more]"


def references(situation: Situation, piece: Tangram) -> list[Phrase]:
    """The ways to name a piece, all of which mean this one and no other."""
    length = len(situation.objects)
    position = piece.position
    tokens = nth(position)
    phrases = [
        Phrase(f"[the*6|] {ORDINALS[position]} [{{noun}}*5|one*3]", tokens, 6.0),
        Phrase(f"{{noun}} [|||number] {NUMBERS[position]}", tokens, 0.7),
        Phrase(
            f"the {{noun}} in [the {ORDINALS[position]} [position|spot|place]|"
            f"[position|spot] {NUMBERS[position]}]",
            tokens,
            0.5,
        ),
    ]
    if position == 1:
        phrases.append(
            Phrase("the [leftmost*3|far left|left most|front] [{noun}*4|one]", tokens, 1.5)
        )
    if position == length > 1:
        phrases.append(
            Phrase("the [last*5|rightmost*3|far right|final|right most] [{noun}*4|one]", nth(-1), 5)
        )
    # In a shorter row these would depend on how long it is, which nobody says.
    if length == FULL_ROW and position == (FULL_ROW + 1) // 2:
        phrases.append(Phrase("the [middle*4|center*2|central] [{noun}*4|one]", tokens, 2.0))
    if length == FULL_ROW and position == FULL_ROW - 1:
        phrases.append(
            Phrase("the [second to last|second from the right|next to last] {noun}", tokens, 0.7)
        )
    if situation.last_action == "add" and situation.argument(2).shape == piece.shape:
        phrases.append(Phrase(_ADDED, previous(2), 8.0))
    return phrases


def _remove(situation: Situation) -> Saying | None:
    return first_of(
        situation,
        (0.35, _remove_what_was_added),
        (0.2, _remove_again),
        (0.2, _remove_likewise),
        (0.15, _remove_as_in_step),
        (1.0, _remove_plainly),
    )


def _remove_plainly(situation: Situation) -> Saying | None:
    pieces = situation.objects
    if not pieces:
        return None
    named = choose(situation.rng, references(situation, situation.rng.choice(pieces)))
    return Saying(_REMOVE, (*named.tokens, "remove"), {"t": named.pattern})


def _remove_what_was_added(situation: Situation) -> Saying | None:
    if situation.last_action != "add":
        return None
    slots = {"added": _ADDED, "again": "[||again]", "undo": _UNDO}
    return Saying(_REMOVE_ADDED, (*previous(2), "remove"), slots)


def _position_tokens(situation: Situation, step: int) -> tuple[str, ...] | None:
    """How command `step` (from 0) named the piece it removed, if by its place in the row."""
    tokens = situation.said[step].tokens[:3]
    return tokens if tokens[0] == "allObjects" else None


def _remove_again(situation: Situation) -> Saying | None:
    """Once more the piece at the same place, where now another stands."""
    if situation.last_action != "remove":
        return None
    place = _position_tokens(situation, -1)
    if place is None or int(place[1]) > len(situation.objects):
        return None
    return Saying(_AGAIN, (*place, "-1", "prevAction"))


def _remove_likewise(situation: Situation) -> Saying | None:
    pieces = situation.objects
    if situation.last_action != "remove" or not pieces:
        return None
    named = choose(situation.rng, references(situation, situation.rng.choice(pieces)))
    return Saying(_LIKEWISE, (*named.tokens, "-1", "prevAction"), {"t": named.pattern})


def _steps(situation: Situation, action: str) -> list[int]:
    """The steps (from 0) before the last that performed an action."""
    performed = situation.state.history[:-1]
    return [step for step, command in enumerate(performed) if command.action == action]


def _step_name(step: int) -> str:
    return f"[step {NUMBERS[step + 1]}*4|the {ORDINALS[step + 1]} step]"


def _remove_as_in_step(situation: Situation) -> Saying | None:
    steps = _steps(situation, "remove")
    if not steps:
        return None
    step = situation.rng.choice(steps)
    place = _position_tokens(situation, step)
    if place is None or int(place[1]) > len(situation.objects):
        return None
    tokens = (*place, str(step + 1), "prevAction")
    return Saying(_STEP_AGAIN, tokens, {"step": _step_name(step)})


def _swap(situation: Situation) -> Saying | None:
    return first_of(
        situation,
        (0.25, _swap_back),
        (0.2, _swap_as_in_step),
        (0.15, _swap_named_pair),
        (0.45, _swap_ordinals),
        (1.0, _swap_plainly),
    )


def _swap_back(situation: Situation) -> Saying | None:
    """Swapping twice undoes the swap, so "again" and "back" are the same."""
    if situation.last_action != "swap":
        return None
    both = (*previous(1), *previous(2))
    pattern = situation.rng.choice((_AGAIN, _SWAP_BACK, _UNDO))
    ending = ("-1", "prevAction") if pattern == _AGAIN else ("swap",)
    return Saying(pattern, (*both, *ending))


def _swap_as_in_step(situation: Situation) -> Saying | None:
    shapes = {piece.shape for piece in situation.objects}
    steps = [
        step
        for step in _steps(situation, "swap")
        if shapes.issuperset(situation.argument(i, step=step).shape for i in (1, 2))
    ]
    if not steps:
        return None
    step = situation.rng.choice(steps)
    number = str(step + 1)
    tokens = (*previous(1, number), *previous(2, number), number, "prevAction")
    return Saying(_STEP_AGAIN, tokens, {"step": _step_name(step)})


def _swap_named_pair(situation: Situation) -> Saying | None:
    if len(situation.objects) < 3:
        return None
    if situation.rng.random() < 0.5:
        return Saying(_FIRST_TWO, (*nth(1), *nth(2), "swap"))
    return Saying(_OUTER, (*nth(1), *nth(-1), "swap"))


def _swap_ordinals(situation: Situation) -> Saying | None:
    """Both by their numbers: "the first and third figures", "object 2 with object 4"."""
    length = len(situation.objects)
    if length < 2:
        return None
    rng = situation.rng
    m, n = sorted(rng.sample(range(1, length + 1), 2))
    if rng.random() < 0.2:
        slots = {"m": NUMBERS[m], "n": NUMBERS[n]}
        return Saying(_SWAP_NUMBERS, (*nth(m), *nth(n), "swap"), slots)
    to_the_end = n == length and rng.random() < 0.5
    slots = {"first": ORDINALS[m], "second": "[last*3|rightmost]" if to_the_end else ORDINALS[n]}
    return Saying(_SWAP_PAIR, (*nth(m), *nth(-1 if to_the_end else n), "swap"), slots)


def _swap_plainly(situation: Situation) -> Saying | None:
    pieces = situation.objects
    if len(pieces) < 2:
        return None
    a, b = (
        choose(situation.rng, references(situation, piece))
        for piece in situation.rng.sample(pieces, 2)
    )
    return Saying(_SWAP, (*a.tokens, *b.tokens, "swap"), {"a": a.pattern, "b": b.pattern})


def _add(situation: Situation) -> Saying | None:
    return first_of(
        situation,
        (0.5, _add_where_it_was),
        (0.7, _add_the_last),
        (1.0, _add_from_step),
    )


def _places(situation: Situation) -> list[Phrase]:
    """The ways to say where a piece goes."""
    length = len(situation.objects)
    phrases = [
        Phrase(
            "[to*2|at] the [front*3|beginning*2|start|far left|left end|head]",
            ("1",),
            2.0,
        ),
        Phrase("[to*2|at] the [end*4|far right|right end|back]", ("-1",), 2.0),
    ]
    for place in range(1, length + 2):
        ordinal = ORDINALS[place]
        where = f"[into*2|to|at] [the {ordinal} [position*3|spot*2|place*2|slot|space]*4|"
        phrases.append(Phrase(f"{where}[position|spot] {NUMBERS[place]}]", (str(place),)))
        if 1 < place <= length:
            before = ORDINALS[place - 1]
            between = f"between the {before} and {ordinal} {{nouns}}"
            after = f"[after|behind] the {before} {{noun}}"
            phrases.append(Phrase(f"[{between}|{after}]", (str(place),), 0.5))
    return phrases


def _add_where_it_was(situation: Situation) -> Saying | None:
    if situation.last_action != "remove":
        return None
    place = _position_tokens(situation, -1)
    if place is None:
        return None
    tokens = (place[1], *previous(1), "add")
    return Saying(_AS_BEFORE, tokens, {"undo": _UNDO})


def _add_the_last(situation: Situation) -> Saying | None:
    if situation.last_action != "remove":
        return None
    at = choose(situation.rng, _places(situation))
    return Saying(_PUT_AT, (*at.tokens, *previous(1), "add"), {"at": at.pattern})


def _add_from_step(situation: Situation) -> Saying | None:
    shapes = {piece.shape for piece in situation.objects}
    steps = [
        step
        for step in _steps(situation, "remove")
        if situation.argument(1, step=step).shape not in shapes
    ]
    if not steps:
        return None
    step = situation.rng.choice(steps)
    at = choose(situation.rng, _places(situation))
    slots = {"at": at.pattern, "it": _FROM_STEP, "step": _step_name(step)}
    return Saying(_PUT_FROM_STEP, (*at.tokens, *previous(1, str(step + 1)), "add"), slots)


def _voice(rng: random.Random) -> dict[str, str]:
    noun, nouns, _ = rng.choices(_NOUNS, weights=[weight for _, _, weight in _NOUNS])[0]
    return {"noun": noun, "nouns": nouns}


GRAMMAR = Grammar(
    domain=get_domain("tangrams"),
    voice=_voice,
    followers={
        START: {"swap": 0.518, "remove": 0.482},
        "remove": {"add": 0.356, "remove": 0.340, "swap": 0.304},
        "swap": {"swap": 0.452, "remove": 0.444, "add": 0.105},
        "add": {"swap": 0.454, "remove": 0.454, "add": 0.093},
    },
    ways={"remove": _remove, "swap": _swap, "add": _add},
    worlds=WORLDS,
)
