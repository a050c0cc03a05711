"""How people talk about who comes, goes and moves on a stage."""

from __future__ import annotations

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
from lang2program_tf.corpus.embedded.scene_words import (
    APPEAR,
    COLOR_TOKENS,
    DID_LIKEWISE,
    EDGES,
    GIVE,
    GIVE_BACK,
    LEAVE,
    MOVE,
    MOVE_AGAIN,
    MOVE_STEP,
    SWAP,
    SWAP_BACK,
    TAKE,
    TAKE_BACK,
    THEY_SWAP,
    draw_voice,
)
from lang2program_tf.corpus.embedded.scene_worlds import WORLDS
from lang2program_tf.language import get_domain
from lang2program_tf.language.scene import COLORS, NO_HAT, STAGE_LENGTH, Person

# The real newcomers have no hats; some of ours do, or the third argument of `create` would be idle.
NEWCOMER_HAT = 0.15
SAME_PERSON = 0.3
SIDES = {"left": ("leftOf", -1), "right": ("rightOf", 1)}


def references(situation: Situation, person: Person) -> list[Phrase]:
    """The ways to name a person, all of which mean this one and no other."""
    return [
        *_by_clothes(situation, person),
        *_by_position(situation, person),
        *_by_history(situation, person),
    ]


def _by_clothes(situation: Situation, person: Person) -> list[Phrase]:
    people = situation.objects
    shirt, hat = COLOR_TOKENS[person.shirt], COLOR_TOKENS[person.hat]
    same_shirt = [other for other in people if other.shirt == person.shirt]
    same_hat = [other for other in people if other.hat == person.hat]
    phrases = []
    if len(same_shirt) == 1:
        phrases += [
            Phrase(
                f"the {{noun}} [in*4|with*2|wearing] [the*2|a] {shirt} [shirt*6|top]",
                (shirt, "hasShirt"),
                4.0,
            ),
            Phrase(
                f"the [{{noun}} in {shirt}*3|{shirt} {{noun}}|{shirt} shirted {{noun}}|"
                f"one in {shirt}|{{noun}} dressed in {shirt}]",
                (shirt, "hasShirt"),
                2.0,
            ),
        ]
    if len(same_hat) == 1:
        phrases.append(Phrase(_hat_alone(hat), (hat, "hasHat"), 3.0))
    if sum(other.hat == person.hat for other in same_shirt) == 1:
        phrases.append(Phrase(_shirt_and_hat(shirt, hat), (shirt, hat, "hasShirtHat"), 3.0))
    if len(same_shirt) > 1:
        phrases += _by_rank(same_shirt, person, f"{{noun}} in {shirt}", (shirt, "hasShirt"))
    return phrases


def _hat_alone(hat: str) -> str:
    if hat == COLOR_TOKENS[NO_HAT]:
        return (
            "the [hatless {noun}*3|{noun} without a hat*3|{noun} with no hat*2|bareheaded {noun}|"
            "{noun} who has no hat|{noun} missing a hat]"
        )
    return (
        f"the [{{noun}} [in*2|with*3|wearing*2] [the*2|a] {hat} [hat*8|cap]*6|"
        f"{hat} hatted {{noun}}|{{noun}} who [has|wears] [the|a] {hat} hat]"
    )


def _shirt_and_hat(shirt: str, hat: str) -> str:
    dressed = f"{{noun}} [in*3|with*2|wearing] [the*2|a*2|] {shirt} shirt"
    if hat == COLOR_TOKENS[NO_HAT]:
        return f"the [{dressed} and no hat*3|{dressed} without a hat|hatless {{noun}} in {shirt}*2]"
    if shirt == hat:
        return f"the [{dressed} and {hat} hat*2|{{noun}} in all {hat}|{{noun}} all in {hat}]"
    return f"the {dressed} and [|||a] {hat} [hat*8|cap]"


def _by_position(situation: Situation, person: Person) -> list[Phrase]:
    people = situation.objects
    if len(people) == 1:
        only = "the [only*2|remaining*2|last remaining|lone|lonely|sole] {noun}"
        return [Phrase(only, nth(1), 2.0)]
    return _by_rank(people, person, "{noun}", ("allObjects",))


def _by_rank(
    people: list[Person] | tuple[Person, ...], person: Person, name: str, tokens: tuple[str, ...]
) -> list[Phrase]:
    """The ways to single out a person from several by the order in which they stand."""
    rank = people.index(person) + 1
    if rank == 1:
        return [
            Phrase(f"the [leftmost*4|left most|first*2|farthest left] {name}", nth(1, tokens), 1.5)
        ]
    if rank == len(people):
        return [
            Phrase(
                f"the [rightmost*4|right most|last*2|farthest right] {name}", nth(-1, tokens), 1.5
            )
        ]
    return [Phrase(f"the {ORDINALS[rank]} {name} [|from the left*2]", nth(rank, tokens), 1.0)]


def _focus(situation: Situation) -> tuple[Person, int] | None:
    """Whom "he" means, and which argument of the last command that is."""
    action = situation.last_action
    if action in (START, "leave") or situation.last_manner == "they":
        return None
    # The subject of a swap is written first, so it is popped second.
    argument = 2 if action == "swapHats" else 1
    return situation.current(argument), argument


def _someone(situation: Situation) -> Person:
    """A person to talk about: often the one that was talked about just now."""
    focus = _focus(situation)
    if focus is not None and situation.rng.random() < SAME_PERSON:
        return focus[0]
    person: Person = situation.rng.choice(situation.objects)
    return person


def _by_history(situation: Situation, person: Person) -> list[Phrase]:
    focus = _focus(situation)
    if focus is None or focus[0].identity != person.identity:
        return []
    return [Phrase("{he}", previous(focus[1]), 8.0)]


def _object_form(phrase: Phrase) -> Phrase:
    """The phrase behind a verb or preposition: "he" becomes "him"."""
    return phrase._replace(pattern="{him}") if phrase.pattern == "{he}" else phrase


def _leave(situation: Situation) -> Saying | None:
    return first_of(situation, (0.5, _leave_likewise), (1.0, _leave_plainly))


def _leave_plainly(situation: Situation) -> Saying | None:
    people = situation.objects
    if not people:
        return None
    named = choose(situation.rng, references(situation, _someone(situation)))
    return Saying(LEAVE, (*named.tokens, "leave"), {"p": named.pattern})


def _leave_likewise(situation: Situation) -> Saying | None:
    people = situation.objects
    if situation.last_action != "leave" or not people:
        return None
    named = choose(situation.rng, references(situation, situation.rng.choice(people)))
    return Saying(DID_LIKEWISE, (*named.tokens, "-1", "prevAction"), {"p": named.pattern})


def _free(situation: Situation, position: int) -> bool:
    taken = (person.position for person in situation.objects)
    return 1 <= position <= STAGE_LENGTH and position not in taken


def _places(situation: Situation, mover: Person | None) -> list[Phrase]:
    """The ways to name a free position; `mover` cannot be a landmark for himself."""
    phrases = [
        Phrase(EDGES[side], (token,), 4.0)
        for side, position, token in (("left", 1, "1"), ("right", STAGE_LENGTH, "-1"))
        if _free(situation, position)
    ]
    for position in range(2, STAGE_LENGTH):
        if _free(situation, position):
            place = f"{{at}} [position*2|spot*2|place|space|square] {NUMBERS[position]}"
            phrases.append(Phrase(place, (str(position),), 0.07))
    for person in situation.objects:
        if mover is not None and person.identity == mover.identity:
            continue
        for side, (relation, offset) in SIDES.items():
            if _free(situation, person.position + offset):
                landmark = choose(situation.rng, references(situation, person))
                beside = _beside(_object_form(landmark), side)
                phrases.append(Phrase(beside, (*landmark.tokens, relation), 1.6))
    return phrases


def _beside(landmark: Phrase, side: str) -> str:
    directly = "[|||||directly|just|immediately]"
    if landmark.pattern == "{him}":
        return (
            f"[{directly} {{on_to}} {{his}} {side}*6|next to {{him}} on the {side}|"
            f"beside {{him}} on the {side} side]"
        )
    who = landmark.pattern
    return (
        f"[{directly} {{on_to}} the {side} of {who}*6|{{on_to}} the {side} side of {who}|"
        f"next to {who} on the {side}|beside {who} on {{his}} {side}]"
    )


def _move(situation: Situation) -> Saying | None:
    if not situation.objects:
        return None
    return first_of(
        situation, (0.35, _move_again), (0.15, _step_likewise), (0.4, _step), (1.0, _move_to)
    )


def _move_to(situation: Situation) -> Saying | None:
    mover = _someone(situation)
    named = choose(situation.rng, references(situation, mover))
    place = choose(situation.rng, _places(situation, mover))
    slots = {"p": named.pattern, "place": place.pattern, "at": "to", "on_to": "to"}
    return Saying(MOVE, (*named.tokens, *place.tokens, "move"), slots)


def _step(situation: Situation) -> Saying | None:
    mover = _someone(situation)
    side = situation.rng.choice(tuple(SIDES))
    relation, offset = SIDES[side]
    if not _free(situation, mover.position + offset):
        return None
    named = choose(situation.rng, references(situation, mover))
    tokens = (*named.tokens, *named.tokens, relation, "move")
    return Saying(MOVE_STEP, tokens, {"p": named.pattern, "side": side}, side)


def _move_again(situation: Situation) -> Saying | None:
    """One step more in the same direction."""
    side = situation.last_manner
    focus = _focus(situation)
    if side not in SIDES or focus is None:
        return None
    relation, offset = SIDES[side]
    if not _free(situation, focus[0].position + offset):
        return None
    who = previous(focus[1])
    tokens = (*who, *who, relation, "-1", "prevAction")
    return Saying(MOVE_AGAIN, tokens, {"again": AGAIN}, side)


def _step_likewise(situation: Situation) -> Saying | None:
    """Another person makes the same step."""
    side = situation.last_manner
    focus = _focus(situation)
    if side not in SIDES or focus is None:
        return None
    relation, offset = SIDES[side]
    others = [
        person
        for person in situation.objects
        if person.identity != focus[0].identity and _free(situation, person.position + offset)
    ]
    if not others:
        return None
    named = choose(situation.rng, references(situation, situation.rng.choice(others)))
    tokens = (*named.tokens, *named.tokens, relation, "-1", "prevAction")
    return Saying(DID_LIKEWISE, tokens, {"p": named.pattern}, side)


def _create(situation: Situation) -> Saying | None:
    rng = situation.rng
    places = _places(situation, None)
    if not places:
        return None
    place = choose(rng, places)
    shirt = COLOR_TOKENS[rng.choice(COLORS)]
    hat = COLOR_TOKENS[rng.choice(COLORS) if rng.random() < NEWCOMER_HAT else NO_HAT]
    slots = {
        "clothes": _newcomer_clothes(shirt, hat),
        "place": place.pattern,
        "at": "at",
        "on_to": "[to*2|on]",
    }
    return Saying(APPEAR, (*place.tokens, shirt, hat, "create"), slots)


def _newcomer_clothes(shirt: str, hat: str) -> str:
    dressed = (
        f"[in a {shirt} shirt*4|with a {shirt} shirt*2|wearing a {shirt} shirt*2|in {shirt}*2]"
    )
    if hat == COLOR_TOKENS[NO_HAT]:
        return f"{dressed} [||||||and no hat|without a hat|but no hat]"
    return f"[in|with|wearing] a {shirt} shirt and [a|] {hat} hat"


def _swap_hats(situation: Situation) -> Saying | None:
    if len(situation.objects) < 2:
        return None
    return first_of(situation, (0.6, _swap_back), (0.1, _they_swap), (1.0, _swap_plainly))


def _swap_plainly(situation: Situation) -> Saying | None:
    rng = situation.rng
    people = situation.objects
    pairs = [(a, b) for a in people for b in people if a is not b and a.hat != b.hat]
    if not pairs:
        return None
    # In the real data one of the two is always bare-headed.
    weights = [1.0 if NO_HAT in (a.hat, b.hat) else 0.2 for a, b in pairs]
    subject, other = rng.choices(pairs, weights=weights)[0]
    a = choose(rng, references(situation, subject))
    b = _object_form(choose(rng, references(situation, other)))
    # After "A and B swap hats" nobody could tell who "he" is.
    pattern, manner = SWAP, "they"
    if subject.hat == NO_HAT:
        pattern, manner = TAKE, "take"
    elif other.hat == NO_HAT:
        pattern, manner = GIVE, "give"
    hat = COLOR_TOKENS[other.hat if subject.hat == NO_HAT else subject.hat]
    slots = {"p": a.pattern, "q": b.pattern, "hat": hat}
    return Saying(pattern, (*a.tokens, *b.tokens, "swapHats"), slots, manner)


def _they_swap(situation: Situation) -> Saying | None:
    people = situation.objects
    if len(people) != 2 or people[0].hat == people[1].hat:
        return None
    return Saying(THEY_SWAP, (*nth(1), *nth(2), "swapHats"), manner="they")


def _swap_back(situation: Situation) -> Saying | None:
    if situation.last_action != "swapHats":
        return None
    subject, other = previous(2), previous(1)
    if situation.last_manner == "take":
        return Saying(GIVE_BACK, (*subject, *other, "swapHats"), manner="give")
    if situation.last_manner == "give":
        return Saying(TAKE_BACK, (*subject, *other, "swapHats"), manner="take")
    return Saying(SWAP_BACK, (*subject, *other, "-1", "prevAction"), manner="they")


GRAMMAR = Grammar(
    domain=get_domain("scene"),
    voice=draw_voice,
    followers={
        START: {"move": 0.546, "create": 0.278, "leave": 0.176},
        "create": {"move": 0.402, "create": 0.166, "leave": 0.190, "swapHats": 0.243},
        "move": {"move": 0.510, "create": 0.258, "leave": 0.181, "swapHats": 0.050},
        "leave": {"move": 0.535, "create": 0.339, "leave": 0.093, "swapHats": 0.033},
        "swapHats": {"move": 0.310, "create": 0.150, "leave": 0.172, "swapHats": 0.368},
    },
    ways={"move": _move, "create": _create, "leave": _leave, "swapHats": _swap_hats},
    worlds=WORLDS,
)
