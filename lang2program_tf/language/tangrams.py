"""Tangrams: a row of distinct pieces that are added, removed and swapped."""

from __future__ import annotations

from itertools import permutations
from typing import Any, Dict, Iterator, List, NamedTuple, Sequence, Tuple

from lang2program_tf.language import tokens as t
from lang2program_tf.language.domain import Domain, World
from lang2program_tf.language.drawing import RESET, Picture, side_by_side
from lang2program_tf.language.errors import ActionError, OutOfRangeError, WorldError
from lang2program_tf.language.values import (
    Value,
    WorldObject,
    as_number,
    as_object,
    pop,
)

SHAPES = "01234"
EXAMPLE = "1:2 2:1 3:4 4:0 5:3"

_PICTURES: Dict[str, Picture] = {
    "0": (
        r"   ^   ",
        r"  /0\  ",
        r" /___\ ",
    ),
    "1": (
        r" ┌───┐ ",
        r" │ 1 │ ",
        r" └───┘ ",
    ),
    "2": (
        r"  / \  ",
        r" < 2 > ",
        r"  \ /  ",
    ),
    "3": (
        r"   ___ ",
        r"  /3 / ",
        r" /__/  ",
    ),
    "4": (
        r" \---/ ",
        r"  >4<  ",
        r" /---\ ",
    ),
}
_FOREGROUNDS = {"0": 203, "1": 220, "2": 78, "3": 75, "4": 177}


class _TangramFields(NamedTuple):
    position: int
    shape: str


class Tangram(_TangramFields, WorldObject):
    """A piece: its position in the row (0 if it is not there) and its shape."""

    __slots__ = ()
    attributes = (("position", "number"), ("shape", "shape"))

    def __str__(self) -> str:
        return f"{self.position}:{self.shape}"


class TangramsWorld(World):
    """A row of pieces of different shapes, without gaps."""

    def __init__(self, shapes: Tuple[str, ...]) -> None:
        super().__init__(Tangram(i, shape) for i, shape in enumerate(shapes, start=1))
        self.shapes = shapes

    def resolve(self, thing: Tangram) -> Tangram:
        if thing.shape in self.shapes:
            return Tangram(self.shapes.index(thing.shape) + 1, thing.shape)
        return Tangram(0, thing.shape)

    def draw(self, *, ansi: bool = False) -> str:
        """The pieces side by side."""
        if not self.shapes:
            return "(an empty row)"
        pieces = []
        for piece in self.objects:
            lines = _PICTURES[piece.shape]
            if ansi:
                color = _FOREGROUNDS[piece.shape]
                lines = tuple(f"\x1b[38;5;{color}m{line}{RESET}" for line in lines)
            pieces.append((*lines, f"{piece.position:^7}"))
        return side_by_side(pieces)


def _world(shapes: Sequence[str]) -> TangramsWorld:
    """Of `2`, `1`, `4`, `0`, `3`; of nothing, an empty row."""
    for position, shape in enumerate(shapes, start=1):
        if shape in shapes[: position - 1]:
            raise WorldError(f"shape {shape} stands at position {position} and before it")
    return TangramsWorld(tuple(shapes))


def _in_row(world: TangramsWorld, value: Value) -> Tangram:
    piece = world.resolve(as_object(value))
    if piece.position == 0:
        raise ActionError(f"shape {piece.shape} is not in the row")
    return piece


def _add(world: TangramsWorld, stack: List[Value]) -> Tuple[World, Tuple[Value, ...]]:
    shape = as_object(pop(stack)).shape
    position = as_number(pop(stack))
    length = len(world.shapes)
    if position < 0:
        position += length + 2
    if not 1 <= position <= length + 1:
        raise OutOfRangeError(f"cannot add at position {position}: the row has {length} pieces")
    if shape in world.shapes:
        raise ActionError(f"cannot add shape {shape}: it is in the row already")
    shapes = (*world.shapes[: position - 1], shape, *world.shapes[position - 1 :])
    return TangramsWorld(shapes), (position, Tangram(position, shape))


def _swap(world: TangramsWorld, stack: List[Value]) -> Tuple[World, Tuple[Value, ...]]:
    first = _in_row(world, pop(stack))
    second = _in_row(world, pop(stack))
    if first.shape == second.shape:
        raise ActionError(f"cannot swap shape {first.shape} with itself")
    exchanged = {first.shape: second.shape, second.shape: first.shape}
    after = TangramsWorld(tuple(exchanged.get(shape, shape) for shape in world.shapes))
    return after, (first, second)


def _remove(world: TangramsWorld, stack: List[Value]) -> Tuple[World, Tuple[Value, ...]]:
    piece = _in_row(world, pop(stack))
    after = TangramsWorld(tuple(shape for shape in world.shapes if shape != piece.shape))
    return after, (piece,)


def _guess(world: TangramsWorld, after: TangramsWorld) -> Iterator[Tuple[Any, ...]]:
    yield from (("remove", piece) for piece in world.objects if piece.shape not in after.shapes)
    for piece in after.objects:
        if piece.shape not in world.shapes:
            yield "add", piece.position, piece
    changed = [piece for piece in world.objects if piece not in after.objects]
    if len(changed) == 2:
        yield from (("swap", *pair) for pair in permutations(changed))


TANGRAMS = Domain(
    "tangrams",
    tokens=[
        *t.numbers(len(SHAPES)),
        t.action("add", 2),
        t.action("swap", 2),
        t.action("remove", 1),
        *t.COMMON,
    ],
    world_of=_world,
    actions={"add": _add, "swap": _swap, "remove": _remove},
    roles={"add": ["place", "piece"], "swap": ["pieces", "pieces"], "remove": ["piece"]},
    guess=_guess,
    # What was popped first is the first argument of a swap.
    operands={"swap": lambda first, second: [second, first]},
    example=EXAMPLE,
    contents=SHAPES,
    nothing=None,
    things=Tangram,
    max_words=15,
)

__all__ = ["TANGRAMS", "Tangram", "TangramsWorld"]
