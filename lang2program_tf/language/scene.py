"""Scene: people with a shirt and perhaps a hat on a stage of ten positions."""

from __future__ import annotations

from itertools import combinations, permutations, product
from typing import Any, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from lang2program_tf.language import tokens as t
from lang2program_tf.language.domain import Domain, World
from lang2program_tf.language.drawing import PAINTS, Picture, paint, side_by_side
from lang2program_tf.language.errors import ActionError, EmptyResultError, OutOfRangeError
from lang2program_tf.language.values import (
    Color,
    ObjectList,
    Value,
    WorldObject,
    as_color,
    as_number,
    as_object,
    pop,
)

STAGE_LENGTH = 10
COLORS = "rygopb"
NO_HAT = "e"
EXAMPLE = "1:r_ 2:__ 3:__ 4:gp 5:__ 6:__ 7:__ 8:__ 9:__ 10:yo"
_PAINTS = {**PAINTS, "b": (21, 15)}


class _PersonFields(NamedTuple):
    position: int
    shirt: str
    hat: str
    identity: int


class Person(_PersonFields, WorldObject):
    """A person: position (0 if off the stage), shirt, hat, and a hidden number that stays."""

    __slots__ = ()
    attributes = (("position", "number"), ("shirt", "color"), ("hat", "color"))

    def __str__(self) -> str:
        return f"{self.position}:{self.shirt}{'_' if self.hat == NO_HAT else self.hat}"


class SceneWorld(World):
    """The people on the stage, left to right, and the hidden number of the next to come."""

    def __init__(self, people: Tuple[Person, ...], next_identity: int) -> None:
        super().__init__(sorted(people))
        self.next_identity = next_identity

    def find(self, identity: int) -> Optional[Person]:
        """The person with this hidden number, if on the stage."""
        for person in self.objects:
            if person.identity == identity:
                found: Person = person
                return found
        return None

    def resolve(self, thing: Person) -> Person:
        return self.find(thing.identity) or thing._replace(position=0)

    def replace(self, *changes: Person) -> SceneWorld:
        changed = {person.identity: person for person in changes}
        people = tuple(changed.get(person.identity, person) for person in self.objects)
        return SceneWorld(people, self.next_identity)

    def visible(self) -> Tuple[Tuple[int, str, str], ...]:
        """All but the hidden numbers."""
        return tuple(person[:3] for person in self.objects)

    def draw(self, *, ansi: bool = False) -> str:
        """The people on the stage."""
        places: List[Picture] = [("     ",) * 3] * STAGE_LENGTH
        for person in self.objects:
            hat = "   " if person.hat == NO_HAT else f"┌{person.hat}┐"
            hat = paint(hat, person.hat, _PAINTS, ansi=ansi)
            shirt = paint(f"/{person.shirt}\\", person.shirt, _PAINTS, ansi=ansi)
            places[person.position - 1] = (f" {hat} ", ' (") ', f" {shirt} ")
        return side_by_side([(*p, "─────", f"{i:^5}") for i, p in enumerate(places, start=1)])

    def __str__(self) -> str:
        cells = {person.position: str(person) for person in self.objects}
        return " ".join(cells.get(i, f"{i}:__") for i in range(1, STAGE_LENGTH + 1))


def _world(contents: Sequence[str]) -> SceneWorld:
    """Of `r_`, `__`, …, `yo`; `e` for a shirt is what create makes of noHat."""
    people: List[Person] = []
    for position, content in enumerate(contents, start=1):
        if content != "__":
            hat = NO_HAT if content[1] == "_" else content[1]
            people.append(Person(position, content[0], hat, len(people)))
    return SceneWorld(tuple(people), len(people))


def _matching(people: ObjectList, description: str) -> ObjectList:
    if not people:
        raise EmptyResultError(f"nobody has {description}")
    return people


def _has_shirt(world: SceneWorld, value: Value) -> ObjectList:
    shirt = as_color(value)
    found = ObjectList(person for person in world.objects if person.shirt == shirt)
    return _matching(found, f"shirt {shirt!s}")


def _has_hat(world: SceneWorld, value: Value) -> ObjectList:
    hat = as_color(value)
    found = ObjectList(person for person in world.objects if person.hat == hat)
    return _matching(found, f"hat {hat!s}")


def _has_shirt_hat(world: SceneWorld, first: Value, second: Value) -> ObjectList:
    shirt, hat = as_color(first), as_color(second)
    found = ObjectList(p for p in world.objects if p.shirt == shirt and p.hat == hat)
    return _matching(found, f"shirt {shirt!s} and hat {hat!s}")


def _beside(world: SceneWorld, value: Value, offset: int) -> int:
    person = _on_stage(world, value)
    position = person.position + offset
    if not 1 <= position <= STAGE_LENGTH:
        raise OutOfRangeError(f"position {position} is off the stage")
    return position


def _left_of(world: SceneWorld, value: Value) -> int:
    return _beside(world, value, -1)


def _right_of(world: SceneWorld, value: Value) -> int:
    return _beside(world, value, +1)


def _on_stage(world: SceneWorld, value: Value) -> Person:
    snapshot: Person = as_object(value)
    person = world.find(snapshot.identity)
    if person is None:
        raise ActionError(f"the person {snapshot} has left the stage")
    return person


def _free_position(world: SceneWorld, value: Value) -> int:
    position = as_number(value)
    if position < 0:
        position += STAGE_LENGTH + 1
    if not 1 <= position <= STAGE_LENGTH:
        raise OutOfRangeError(f"position {position} is off the stage")
    if any(person.position == position for person in world.objects):
        raise ActionError(f"position {position} is taken")
    return position


def _leave(world: SceneWorld, stack: List[Value]) -> Tuple[World, Tuple[Value, ...]]:
    person = _on_stage(world, pop(stack))
    remaining = tuple(p for p in world.objects if p.identity != person.identity)
    return SceneWorld(remaining, world.next_identity), (person,)


def _swap_hats(world: SceneWorld, stack: List[Value]) -> Tuple[World, Tuple[Value, ...]]:
    first = _on_stage(world, pop(stack))
    second = _on_stage(world, pop(stack))
    if first.identity == second.identity:
        raise ActionError(f"{first} cannot swap hats alone")
    after = world.replace(first._replace(hat=second.hat), second._replace(hat=first.hat))
    return after, (first, second)


def _move(world: SceneWorld, stack: List[Value]) -> Tuple[World, Tuple[Value, ...]]:
    position = _free_position(world, pop(stack))
    person = _on_stage(world, pop(stack))
    return world.replace(person._replace(position=position)), (person, position)


def _create(world: SceneWorld, stack: List[Value]) -> Tuple[World, Tuple[Value, ...]]:
    hat = as_color(pop(stack))
    shirt = as_color(pop(stack))
    position = _free_position(world, pop(stack))
    person = Person(position, str(shirt), str(hat), world.next_identity)
    return SceneWorld((*world.objects, person), world.next_identity + 1), (person,)


def _guess(world: SceneWorld, after: SceneWorld) -> Iterator[Tuple[Any, ...]]:
    seen_before = {person[:3] for person in world.objects}
    seen_after = {person[:3] for person in after.objects}
    gone = [person for person in world.objects if person[:3] not in seen_after]
    new = [person for person in after.objects if person[:3] not in seen_before]
    if len(gone) == 1 and not new:
        yield "leave", gone[0]
    if len(new) == 1 and not gone:
        yield "create", new[0]
    if len(gone) == len(new) == 1:
        yield "move", gone[0], new[0].position
    if len(gone) == len(new) == 2:
        yield from (("swapHats", *pair) for pair in permutations(gone))
    if not gone and not new:
        # Two people with the same hat may swap, and nobody sees it.
        for pair in combinations(world.objects, 2):
            yield from (("swapHats", *both) for both in permutations(pair))


SCENE = Domain(
    "scene",
    tokens=[
        t.color("red", "r"),
        t.color("yellow", "y"),
        t.color("green", "g"),
        t.color("orange", "o"),
        t.color("purple", "p"),
        t.color("blue", "b"),
        t.color("noHat", NO_HAT),
        *t.numbers(STAGE_LENGTH),
        t.property_("hasShirt", "PShirt"),
        t.property_("hasHat", "PHat"),
        t.relation("leftOf", "PLeft"),
        t.relation("rightOf", "PRight"),
        t.property_("hasShirtHat", "DShirtHat", arity=2),
        t.action("leave", 1),
        t.action("swapHats", 2),
        t.action("move", 2),
        t.action("create", 3),
        *t.COMMON,
        t.prev_arg(3),
    ],
    world_of=_world,
    actions={"leave": _leave, "swapHats": _swap_hats, "move": _move, "create": _create},
    properties={
        "hasShirt": _has_shirt,
        "hasHat": _has_hat,
        "hasShirtHat": _has_shirt_hat,
        "leftOf": _left_of,
        "rightOf": _right_of,
    },
    roles={
        "leave": ["person"],
        "swapHats": ["people", "people"],
        "move": ["person", "place"],
        "create": ["place", "shirt", "hat"],
    },
    guess=_guess,
    # What was popped first is the first argument of a swap, and a created person is kept whole.
    operands={
        "swapHats": lambda first, second: [second, first],
        "create": lambda person: [person.position, Color(person.shirt), Color(person.hat)],
    },
    example=EXAMPLE,
    contents=["__", *map("".join, product(COLORS + NO_HAT, COLORS + "_"))],
    nothing="__",
    legend=f"__ or a shirt of {COLORS} and a hat of {COLORS} or _",
    things=Person,
    max_words=25,
)

__all__ = ["SCENE", "Color", "Person", "SceneWorld"]
