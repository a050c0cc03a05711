"""What a parser in context sees, read from the states of the language: one thing at a time.

It knows no tensors and no codes, so that the features in the graph can be held against it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from lang2program_tf.language import UNKNOWN_COMMAND, Command, Domain, State, World
from lang2program_tf.language.values import WorldObject

SEEN = 5  # commands
LARGEST_NUMBER = 10
COLORS = "_rygopbe"
SHAPES = "01234"

# A vector in named parts.
Parts = dict[str, list[int]]


class Thing(NamedTuple):
    """Something that can be spoken of.

    Attributes:
        place: where it is, 0 for a thing that is gone.
        key: what it is known by, None for an empty place.
        looks: what one sees of it, as (number, how many numbers there are).
        here: whether it is in the world.
    """

    place: int
    key: object
    looks: tuple[tuple[int, int], ...]
    here: bool


def things_of(domain: Domain, world: World) -> list[Thing]:
    """All beakers, all places of the stage, or all pieces."""
    if domain.name == "scene":
        people = {person.position: person for person in world.objects}
        return [_thing(domain, people.get(place), place=place) for place in range(1, 11)]
    if domain.name == "tangrams":
        rows = {piece.shape: piece for piece in world.objects}
        return [_thing(domain, rows[shape]) if shape in rows else _gone(shape) for shape in SHAPES]
    return [_thing(domain, beaker) for beaker in world.objects]


def objects(domain: Domain, first: World, state: State) -> list[Parts]:
    """What is known of each thing."""
    now, then = things_of(domain, state.world), things_of(domain, first)
    places = num_places(domain) + 1
    present = [thing for thing in now if thing.here]
    return [
        {
            "looks": _looks(thing),
            "place": one_hot(thing.place, places),
            "ranks": _ranks(thing, present, places),
            "number": one_hot(len(present), places),
            "alike": _alike(domain, thing, present),
            "left": _neighbour(domain, present, thing.place - 1 if thing.place else None),
            "right": _neighbour(domain, present, thing.place + 1 if thing.place else None),
            "at first there": _looks(then[number]),
            "at first": _where(thing.key, then, places),
            **_marks(domain, thing, state),
            "leaving": _leaving(thing, now, state),
        }
        for number, thing in enumerate(now)
    ]


def commands(domain: Domain, state: State) -> list[Parts]:
    """What is known of each of the last commands."""
    now = things_of(domain, state.world)
    places = num_places(domain) + 1
    visible = _visible(state)
    found = []
    for step, (action, arguments) in visible:
        same = [other for other, command in visible if command.action == action]
        parts: Parts = {
            "action": one_hot(_action(domain, action), 1 + len(domain.action_tokens)),
            "step": one_hot(step, SEEN),
            "ago": one_hot(state.utterance - 1 - step, SEEN),
            "which of these": [
                *one_hot(sum(other <= step for other in same), SEEN + 1),
                *one_hot(sum(other >= step for other in same), SEEN + 1),
            ],
        }
        for number in range(2):
            argument = arguments[number] if number < len(arguments) else None
            parts[f"argument {number}"] = _argument(domain, argument, now, places)
        found.append(parts)
    return found


def num_places(domain: Domain) -> int:
    """The positions of a world."""
    return {"alchemy": 7, "scene": 10, "tangrams": 5}[domain.name]


def one_hot(number: int, size: int) -> list[int]:
    """1 at a number, if it is below the size."""
    return [int(place == number) for place in range(size)]


def _thing(domain: Domain, value: object, *, place: int | None = None) -> Thing:
    position = place if place is not None else getattr(value, "position", 0)
    key = {"alchemy": "position", "scene": "identity", "tangrams": "shape"}[domain.name]
    return Thing(position, getattr(value, key, None), _seen(domain, value), value is not None)


def _gone(shape: str) -> Thing:
    return Thing(0, shape, ((SHAPES.index(shape) + 1, 6),), here=False)


def _seen(domain: Domain, value: object) -> tuple[tuple[int, int], ...]:
    """What one sees of a beaker, a person or a piece; zeros of what is no object."""
    if domain.name == "alchemy":
        units = getattr(value, "units", None)
        if units is None:
            return ((0, 9), (0, 5), *[(0, 7)] * 4)
        color = 7 if not units else COLORS.index(units[0]) if len(set(units)) == 1 else 8
        filled = [COLORS.index(unit) for unit in units] + [0] * (4 - len(units))
        return ((color, 9), (len(units), 5), *((unit, 7) for unit in filled))
    if domain.name == "scene":
        worn = [getattr(value, name, "_") for name in ("shirt", "hat")]
        return tuple((COLORS.index(color), 8) for color in worn)
    shape = getattr(value, "shape", None)
    return ((0 if shape is None else SHAPES.index(shape) + 1, 6),)


def _looks(thing: Thing) -> list[int]:
    return _joined(one_hot(*look) for look in thing.looks)


def _ranks(thing: Thing, present: Sequence[Thing], size: int) -> list[int]:
    left, right = _rank_numbers(thing, present)
    return [*one_hot(left, size), *one_hot(right, size)]


def _rank_numbers(thing: Thing, others: Sequence[Thing]) -> tuple[int, int]:
    """Which one it is among others, itself included, from the left and from the right."""
    if thing not in others:
        return 0, 0
    return (
        sum(other.place <= thing.place for other in others),
        sum(other.place >= thing.place for other in others),
    )


def _alike(domain: Domain, thing: Thing, present: Sequence[Thing]) -> list[int]:
    """By color, by color and amount; by shirt, by hat, by both; no two pieces are alike."""
    groups = {"alchemy": [[0], [0, 1]], "scene": [[0], [1], [0, 1]], "tangrams": []}
    found: list[int] = []
    for group in groups[domain.name]:
        same = [
            other
            for other in present
            if thing.here and all(other.looks[column] == thing.looks[column] for column in group)
        ]
        for number in (len(same), *_rank_numbers(thing, same)):
            found += one_hot(min(number, 4), 5)
    return found


def _neighbour(domain: Domain, present: Sequence[Thing], place: int | None) -> list[int]:
    for other in present:
        if other.place == place:
            return _looks(other)
    return [0] * sum(size for _, size in _seen(domain, None))


def _where(key: object, things: Sequence[Thing], size: int) -> list[int]:
    """Where the thing known by this is among others, and as which one."""
    present = [thing for thing in things if thing.here]
    numbers = (0, 0, 0)
    for thing in things:
        if key is not None and thing.key == key:
            numbers = (thing.place, *_rank_numbers(thing, present))
    return _joined(one_hot(number, size) for number in numbers)


def _visible(state: State) -> list[tuple[int, Command]]:
    """The last commands with their steps."""
    return list(enumerate(state.history))[-SEEN:]


def _marks(domain: Domain, thing: Thing, state: State) -> Parts:
    """What the commands had to do with a thing: by step, by age, and by what was done to it."""
    actions = 1 + len(domain.action_tokens)
    by_step = [[0] * 6 for _ in range(SEEN)]
    by_age = [[0] * 6 for _ in range(SEEN)]
    by_action = [[[0] * actions for _ in range(2)] for _ in range(SEEN)]
    for step, (action, arguments) in _visible(state):
        age = state.utterance - 1 - step
        for number, argument in enumerate(arguments):
            marks = _touches(domain, thing, argument)
            for place, mark in enumerate(marks, start=3 * number):
                by_age[age][place] = mark
                if step < SEEN:
                    by_step[step][place] = mark
            if marks[0]:
                by_action[age][number][_action(domain, action)] = 1
    return {
        "by step": _joined(by_step),
        "by age": _joined(by_age),
        "by action": _joined(_joined(arguments) for arguments in by_action),
    }


def _touches(domain: Domain, thing: Thing, argument: object) -> tuple[int, int, int]:
    """Whether an argument is the thing, was another thing in its place, or named the place."""
    if not isinstance(argument, WorldObject):
        return 0, 0, int(thing.place > 0 and argument == thing.place)
    was = _thing(domain, argument)
    is_it = thing.key is not None and was.key == thing.key
    return int(is_it), int(not is_it and thing.place > 0 and was.place == thing.place), 0


def _leaving(thing: Thing, things: Sequence[Thing], state: State) -> list[int]:
    """As which of the things that are gone it left, and how many left since."""
    last: dict[object, int] = {}
    for step, (_, arguments) in _visible(state):
        for argument in arguments:
            for other in things:
                key = getattr(argument, "shape", getattr(argument, "identity", None))
                if not other.here and other.key is not None and key == other.key:
                    last[key] = step
    left = right = 0
    if not thing.here and thing.key in last:
        left = sum(step <= last[thing.key] for step in last.values())
        right = sum(step >= last[thing.key] for step in last.values())
    return [*one_hot(left, SEEN + 1), *one_hot(right, SEEN + 1)]


def _argument(domain: Domain, argument: object, now: Sequence[Thing], places: int) -> list[int]:
    """What an argument was, and where it is now."""
    is_object = isinstance(argument, WorldObject)
    was = _thing(domain, argument if is_object else None)
    described = [
        *_looks(was),
        *one_hot(was.place, places),
        *one_hot(argument if isinstance(argument, int) else 0, LARGEST_NUMBER + 1),
        *_where(was.key, now, places),
    ]
    return described if argument is not None else [0] * len(described)


def _action(domain: Domain, action: str) -> int:
    names = [UNKNOWN_COMMAND.action, *(token.name for token in domain.action_tokens)]
    return names.index(action)


def _joined(parts: Iterable[Sequence[int]]) -> list[int]:
    return [number for part in parts for number in part]
