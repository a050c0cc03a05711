"""Alchemy on int tensors.

A beaker's code has its position from bit 12 and its content below: three bits a unit, the bottom
unit lowest, colors from 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray
from tensorflow.bitwise import bitwise_and, left_shift, right_shift

from lang2program_tf.language.alchemy import (
    ALCHEMY,
    BROWN,
    CAPACITY,
    COLORS,
    AlchemyWorld,
    Beaker,
)
from lang2program_tf.machine import primitives
from lang2program_tf.machine.rules import (
    ActionResult,
    Operands,
    Rules,
    object_rows,
    second,
    set_of,
    top,
    write_two,
)
from lang2program_tf.machine.state import OBJECT_CODE_BASE

_UNIT = 3  # bits of a unit
_POSITION = _UNIT * CAPACITY  # first bit of the position
_UNIT_MASK, _CONTENT_MASK = (1 << _UNIT) - 1, (1 << _POSITION) - 1
_EMPTY, _MIXED = len(COLORS) + 1, len(COLORS) + 2  # "colors" of beakers that have none
_ROW_OF_ZERO = primitives.number_row(0)
_ROW_BEFORE_COLORS = primitives.color_row("r") - 1
_ROW_OF_NO_COLOR = primitives.color_row(None)


def _decode_units(content: int) -> str:
    units = ""
    while content:
        units += COLORS[(content & _UNIT_MASK) - 1]
        content >>= _UNIT
    return units


def _encode_units(units: str) -> int:
    return sum(COLORS.index(unit) + 1 << _UNIT * i for i, unit in enumerate(units))


def _content_tables() -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Amount and color of every content."""
    amounts = np.zeros(_CONTENT_MASK + 1, np.int32)
    colors = np.zeros(_CONTENT_MASK + 1, np.int32)
    for content in range(_CONTENT_MASK + 1):
        units = [content >> _UNIT * i & _UNIT_MASK for i in range(CAPACITY)]
        amounts[content] = max((i + 1 for i, unit in enumerate(units) if unit), default=0)
        distinct = set(units[: amounts[content]])
        colors[content] = _MIXED if len(distinct) > 1 else max(distinct, default=_EMPTY)
    return amounts, colors


_AMOUNTS, _COLORS = _content_tables()
_COLOR_ROWS = np.where(_COLORS < _EMPTY, _ROW_BEFORE_COLORS + _COLORS, _ROW_OF_NO_COLOR)
_ALL_BROWN = np.array([_encode_units(BROWN * amount) for amount in range(CAPACITY + 1)], np.int32)


class AlchemyRules(Rules):
    """Beakers in a row."""

    domain = ALCHEMY
    look_sizes = (_MIXED + 1, CAPACITY + 1, *[len(COLORS) + 1] * CAPACITY)
    look_groups = ((0,), (0, 1))

    def encode_object(self, thing: Beaker) -> int:
        return (thing.position << _POSITION) + _encode_units(thing.units)

    def decode_object(self, code: int) -> Beaker:
        return Beaker(code >> _POSITION, _decode_units(code & _CONTENT_MASK))

    def decode_world(
        self, codes: Sequence[int], *, next_identity: int | None = None
    ) -> AlchemyWorld:
        del next_identity
        return AlchemyWorld(tuple(_decode_units(int(code) & _CONTENT_MASK) for code in codes))

    def position(self, codes: tf.Tensor) -> tf.Tensor:
        return right_shift(codes, _POSITION)

    def properties(
        self, world: tf.Tensor, top: tf.Tensor, second: tf.Tensor
    ) -> dict[str, tf.Tensor]:
        del second
        color = tf.gather(_COLORS, bitwise_and(world, _CONTENT_MASK))
        return {"hasColor": set_of(tf.equal(color, top))}

    def actions(
        self, world: tf.Tensor, next_identity: tf.Tensor, operands: Operands
    ) -> dict[str, ActionResult]:
        del world, next_identity
        content = bitwise_and(operands.thing, _CONTENT_MASK)
        position, amount = self.position(operands.thing), tf.gather(_AMOUNTS, content)
        color = tf.gather(_COLORS, content)
        first, other = top(operands.thing), second(operands.thing)
        first_at, other_at = top(position), second(position)
        other_amount = second(amount)
        wanted = top(operands.number) + top(operands.fraction) * other_amount
        can_drain = (other_at > 0) & (wanted > 0) & (wanted <= other_amount)
        can_mix = (first_at > 0) & tf.equal(top(color), _MIXED)
        can_pour = (
            (first_at > 0)
            & (other_at > 0)
            & tf.not_equal(first_at, other_at)
            & (second(color) < _EMPTY)
            & (top(amount) + other_amount <= CAPACITY)
        )
        return {
            "drain": ActionResult(can_drain, other, wanted),
            "mix": ActionResult(can_mix, first),
            "pour": ActionResult(can_pour, other, first),
        }

    def perform(self, world: tf.Tensor, command: tf.Tensor) -> tf.Tensor:
        _, beaker, argument = tf.unstack(command)
        drains, mixes, pours = (self.performs(command, name) for name in ("drain", "mix", "pour"))
        content, position = bitwise_and(beaker, _CONTENT_MASK), self.position(beaker)
        amount = tf.gather(_AMOUNTS, content)
        into = bitwise_and(argument, _CONTENT_MASK)
        left = left_shift(1, _UNIT * drains * (amount - argument)) - 1  # a mask of units
        remaining = drains * bitwise_and(content, left) + mixes * tf.gather(_ALL_BROWN, amount)
        poured = argument + left_shift(content, _UNIT * tf.gather(_AMOUNTS, into))
        return write_two(
            world,
            position,
            position * (1 << _POSITION) + remaining,
            pours * self.position(argument),
            poured,
        )

    def attribute_rows(self, codes: tf.Tensor) -> tf.Tensor:
        content = bitwise_and(codes, _CONTENT_MASK)
        return object_rows(
            codes,
            [
                self.position(codes) + _ROW_OF_ZERO,
                tf.gather(_COLOR_ROWS, content),
                tf.gather(_AMOUNTS, content) + _ROW_OF_ZERO,
            ],
        )

    def looks(self, codes: tf.Tensor) -> tf.Tensor:
        """Color, amount, and the color of each unit from the bottom."""
        content = bitwise_and(codes, _CONTENT_MASK)
        units = [
            bitwise_and(right_shift(content, _UNIT * unit), _UNIT_MASK) for unit in range(CAPACITY)
        ]
        is_beaker = tf.cast(codes >= OBJECT_CODE_BASE, tf.int32)[..., tf.newaxis]
        color, amount = tf.gather(_COLORS, content), tf.gather(_AMOUNTS, content)
        return is_beaker * tf.stack([color, amount, *units], axis=-1)
