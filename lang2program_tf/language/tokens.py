"""Program tokens: what people call them, what the original called them, what kind each is."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Tuple, Union


class Kind(enum.Enum):
    """What a token does to the stack (the paper's Appendix B)."""

    NUMBER = "number"
    COLOR = "color"
    FRACTION = "fraction"
    ALL_OBJECTS = "allObjects"
    INDEX = "index"
    PROPERTY = "property"
    RELATION = "relation"
    ACTION = "action"
    PREV_ACTION = "prevAction"
    PREV_ARG = "prevArg"


@dataclass(frozen=True)
class Token:
    """One token of a domain.

    Attributes:
        name: the paper's name, shown to people.
        original: the name in the 2017 code, used in recordings and for the order of tokens.
        kind: what it does.
        value: the number, color letter or fraction it pushes; the argument number of prevArg.
        arity: how many values it pops (prevAction: one, and those of the action it repeats).
    """

    name: str
    original: str
    kind: Kind
    value: Union[int, str, None] = None
    arity: int = 0

    def __str__(self) -> str:
        return self.name


def number(value: int) -> Token:
    """The token that pushes `value`."""
    return Token(str(value), str(value), Kind.NUMBER, value)


def numbers(count: int) -> Tuple[Token, ...]:
    """The tokens that push 1 to `count`, and −1, which counts from the end."""
    return (*(number(i) for i in range(1, count + 1)), number(-1))


def color(name: str, letter: str) -> Token:
    """The token that pushes a color; `letter` is its sign in the data set and in the original."""
    return Token(name, letter, Kind.COLOR, letter)


def property_(name: str, original: str, arity: int = 1) -> Token:
    """The token that pushes the objects with the given color or colors."""
    return Token(name, original, Kind.PROPERTY, arity=arity)


def relation(name: str, original: str) -> Token:
    """The token that pushes a position relative to a person."""
    return Token(name, original, Kind.RELATION, arity=1)


def action(name: str, arity: int) -> Token:
    """The token that changes the world and ends a command."""
    return Token(name, f"A{name[0].upper()}{name[1:]}", Kind.ACTION, arity=arity)


ALL_OBJECTS = Token("allObjects", "all-objects", Kind.ALL_OBJECTS)
INDEX = Token("index", "index", Kind.INDEX, arity=2)
PREV_ACTION = Token("prevAction", "H0", Kind.PREV_ACTION, arity=1)
ALL_OF_IT = Token("1/1", "X1/1", Kind.FRACTION, "1/1")


def prev_arg(argument: int) -> Token:
    """The token that pushes argument number `argument` of an earlier command."""
    return Token(f"prevArg{argument}", f"H{argument}", Kind.PREV_ARG, argument, arity=1)


# What every domain has, behind its own, in the order of the original.
COMMON = (ALL_OBJECTS, INDEX, PREV_ACTION, prev_arg(1), prev_arg(2))
