"""Alchemy: seven beakers of up to four units of colored chemical."""

from __future__ import annotations

from itertools import chain, permutations, product
from typing import Any, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from lang2program_tf.language import tokens as t
from lang2program_tf.language.domain import Domain, World
from lang2program_tf.language.drawing import PAINTS, paint, side_by_side
from lang2program_tf.language.errors import ActionError, EmptyResultError
from lang2program_tf.language.values import (
    Color,
    Fraction,
    ObjectList,
    Value,
    WorldObject,
    as_color,
    as_number,
    as_object,
    pop,
)

NUM_BEAKERS = 7
CAPACITY = 4
COLORS = "rygopb"
BROWN = "b"
EXAMPLE = "1:ggg 2:_ 3:_ 4:b 5:_ 6:r 7:yy"
_PAINTS = {**PAINTS, BROWN: (94, 15)}


class _BeakerFields(NamedTuple):
    position: int
    units: str


class Beaker(_BeakerFields, WorldObject):
    """A beaker: its position and its units, bottom first, one letter each."""

    __slots__ = ()
    attributes = (("position", "number"), ("color", "color"), ("amount", "number"))

    @property
    def amount(self) -> int:
        """How many units it holds."""
        return len(self.units)

    @property
    def color(self) -> Optional[str]:
        """The color, if the beaker is not empty and all its units agree."""
        return self.units[0] if len(set(self.units)) == 1 else None

    def __str__(self) -> str:
        return f"{self.position}:{self.units or '_'}"


class AlchemyWorld(World):
    """Seven beakers in a row."""

    def __init__(self, contents: Tuple[str, ...]) -> None:
        super().__init__(Beaker(i, units) for i, units in enumerate(contents, start=1))

    def draw(self, *, ansi: bool = False) -> str:
        """The beakers side by side."""
        beakers = []
        for beaker in self.objects:
            units = [paint(f" {unit} ", unit, _PAINTS, ansi=ansi) for unit in beaker.units]
            units += ["   "] * (CAPACITY - len(units))
            glass = [f"│{unit}│" for unit in reversed(units)]
            beakers.append((*glass, "└───┘", f"{beaker.position:^5}"))
        return side_by_side(beakers)


def _world(contents: Sequence[str]) -> AlchemyWorld:
    """Of `ggg`, `_`, …, `yy`."""
    return AlchemyWorld(tuple("" if content == "_" else content for content in contents))


def _has_color(world: AlchemyWorld, value: Value) -> ObjectList:
    wanted = as_color(value)
    found = ObjectList(beaker for beaker in world.objects if beaker.color == wanted)
    if not found:
        raise EmptyResultError(f"no beaker has color {wanted!s}")
    return found


def _pour(world: AlchemyWorld, stack: List[Value]) -> Tuple[World, Tuple[Value, ...]]:
    target = world.resolve(_beaker(pop(stack)))
    source = world.resolve(_beaker(pop(stack)))
    if source.position == target.position:
        raise ActionError(f"cannot pour beaker {source.position} into itself")
    if source.color is None:
        raise ActionError(f"cannot pour beaker {source.position}: it has no single color")
    if len(source.units) + len(target.units) > CAPACITY:
        raise ActionError(f"cannot pour: beaker {target.position} would overflow")
    after = world.replace(
        Beaker(source.position, ""), Beaker(target.position, target.units + source.units)
    )
    return after, (source, target)


def _mix(world: AlchemyWorld, stack: List[Value]) -> Tuple[World, Tuple[Value, ...]]:
    beaker = world.resolve(_beaker(pop(stack)))
    if not beaker.units:
        raise ActionError(f"cannot mix beaker {beaker.position}: it is empty")
    if beaker.color is not None:
        raise ActionError(f"cannot mix beaker {beaker.position}: it is of one color already")
    after = world.replace(Beaker(beaker.position, BROWN * len(beaker.units)))
    return after, (beaker,)


def _drain(world: AlchemyWorld, stack: List[Value]) -> Tuple[World, Tuple[Value, ...]]:
    wanted = pop(stack)
    beaker = world.resolve(_beaker(pop(stack)))
    amount = len(beaker.units) if isinstance(wanted, Fraction) else as_number(wanted)
    if not 1 <= amount <= len(beaker.units):
        raise ActionError(
            f"cannot drain {amount} of beaker {beaker.position}: it holds {len(beaker.units)}"
        )
    after = world.replace(Beaker(beaker.position, beaker.units[: len(beaker.units) - amount]))
    return after, (beaker, amount)


def _beaker(value: Value) -> Any:
    return as_object(value)


def _guess(world: AlchemyWorld, after: AlchemyWorld) -> Iterator[Tuple[Any, ...]]:
    changed = [(old, new) for old, new in zip(world.objects, after.objects) if old != new]
    if len(changed) == 1:
        old, new = changed[0]
        yield "mix", old
        yield "drain", old, len(old.units) - len(new.units)
    for (source, _), (target, _) in permutations(changed, 2):
        yield "pour", source, target


def _contents() -> List[str]:
    filled = (product(COLORS, repeat=amount) for amount in range(1, CAPACITY + 1))
    return ["_", *map("".join, chain.from_iterable(filled))]


ALCHEMY = Domain(
    "alchemy",
    tokens=[
        t.color("red", "r"),
        t.color("yellow", "y"),
        t.color("green", "g"),
        t.color("orange", "o"),
        t.color("purple", "p"),
        t.color("brown", "b"),
        *t.numbers(NUM_BEAKERS),
        t.ALL_OF_IT,
        t.property_("hasColor", "PColor"),
        t.action("pour", 2),
        t.action("mix", 1),
        t.action("drain", 2),
        *t.COMMON,
    ],
    world_of=_world,
    actions={"pour": _pour, "mix": _mix, "drain": _drain},
    properties={"hasColor": _has_color},
    roles={"pour": ["source", "target"], "mix": ["beaker"], "drain": ["beaker", "amount"]},
    guess=_guess,
    example=EXAMPLE,
    contents=_contents(),
    nothing="_",
    legend=f"_ or 1 to {CAPACITY} letters of {COLORS}",
    things=Beaker,
    max_words=18,
)

__all__ = ["ALCHEMY", "AlchemyWorld", "Beaker", "Color"]
