"""The primitive table of the STACK history: which row stands for which value of the language."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lang2program_tf.language.values import Color, Fraction, Value, WorldObject

# Row order of the original. A number is an int; colors, the fraction and shapes are texts.
PRIMITIVES: tuple[int | str, ...] = (
    "object",
    "list",
    *"rygopbe",
    "color-na",
    *range(11),
    -1,
    "X1/1",
    *"01234",
)
NUM_PRIMITIVES = len(PRIMITIVES)

# Where runs of rows begin, for code that computes rows.
COLOR_BASE = PRIMITIVES.index("r")  # then y g o p b e
COLOR_NA = PRIMITIVES.index("color-na")
NUMBER_ZERO = PRIMITIVES.index(0)  # then 1 … 10
SHAPE_BASE = PRIMITIVES.index("0")  # then 1 … 4

_ROWS = {value: row for row, value in enumerate(PRIMITIVES)}


def _row(value: int | str, kind: str) -> int:
    if value not in _ROWS:
        raise ValueError(f"{kind}={value!r} has no row in the primitive table")
    return _ROWS[value]


def number_row(number: int) -> int:
    """The row of a number, a position or an amount: 0 … 10 or −1."""
    return _row(int(number), "number")


def color_row(color: str | None) -> int:
    """The row of a color letter; None is a beaker without a single color."""
    return _row("color-na" if color is None else str(color), "color")


def shape_row(shape: str) -> int:
    """The row of a tangram's shape, `0` … `4`; these are not the rows of the numbers."""
    return _row(str(shape), "shape")


def fraction_row(fraction: str) -> int:
    """The row of a fraction; the language has only `1/1`."""
    return _row(f"X{fraction}", "fraction")


def primitive_row(value: Value) -> int | None:
    """The row of a number, color or fraction on the stack; None for an object or a list."""
    if isinstance(value, int):
        return number_row(value)
    if isinstance(value, Fraction):
        return fraction_row(value)
    if isinstance(value, Color):
        return color_row(value)
    return None


_KINDS: dict[str, Callable[[Any], int]] = {
    "number": number_row,
    "color": color_row,
    "shape": shape_row,
}


def attribute_rows(thing: WorldObject) -> tuple[int, ...]:
    """The rows of an object's attributes, in the order of `WorldObject.attributes`."""
    return tuple(_KINDS[kind](getattr(thing, name)) for name, kind in thing.attributes)
