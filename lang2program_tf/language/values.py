"""Values that a program puts on the stack, and what tokens may ask of them."""

from __future__ import annotations

from typing import Any, ClassVar, List, Tuple, Union

from lang2program_tf.language.errors import (
    NotOneObjectError,
    StackUnderflowError,
    ValueTypeError,
)


class Color(str):
    """A color by its letter in the data set (`e` is the original's letter for no hat)."""


class Fraction(str):
    """A share of a beaker; the language has only `1/1`, all of it."""


class WorldObject:
    """Marks a snapshot of something in the world.

    Attributes:
        attributes: what a parser sees of it: names, each with `number`, `color` (None for none) or
            `shape`. The first is its position, 0 if it is not in the world.
    """

    __slots__ = ()
    attributes: ClassVar[Tuple[Tuple[str, str], ...]] = ()


class ObjectList(Tuple[Any, ...]):
    """Snapshots of objects, left to right."""


Value = Union[int, Color, Fraction, WorldObject, ObjectList]


def pop(stack: List[Value]) -> Value:
    """Takes the top value off the stack."""
    if not stack:
        raise StackUnderflowError("the stack is empty")
    return stack.pop()


def as_number(value: Value) -> int:
    """The value as a number, or a ValueTypeError."""
    if not isinstance(value, int):
        raise ValueTypeError(f"{show_value(value)} is not a number")
    return value


def as_color(value: Value) -> Color:
    """The value as a color, or a ValueTypeError."""
    if not isinstance(value, Color):
        raise ValueTypeError(f"{show_value(value)} is not a color")
    return value


def as_list(value: Value) -> ObjectList:
    """The value as a list of objects; a lone object is not a list."""
    if not isinstance(value, ObjectList):
        raise ValueTypeError(f"{show_value(value)} is not a list of objects")
    return value


def as_object(value: Value) -> Any:
    """The value as one object: an object, or a list of exactly one."""
    if isinstance(value, ObjectList):
        if len(value) != 1:
            raise NotOneObjectError(f"one object is wanted, and the list holds {len(value)}")
        return value[0]
    if not isinstance(value, WorldObject):
        raise ValueTypeError(f"{show_value(value)} is not an object")
    return value


def show_value(value: Value) -> str:
    """The value as a short text for messages: `3`, `color r`, `5:ry`, `[1:g 4:g]`."""
    if isinstance(value, Color):
        return f"color {value!s}"
    if isinstance(value, Fraction):
        return f"fraction {value!s}"
    if isinstance(value, ObjectList):
        return "[" + " ".join(str(item) for item in value) + "]"
    return str(value)
