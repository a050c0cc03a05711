"""Tangrams on int tensors.

A world holds shapes from 1 to 5. A piece's code is `64 + position * 8 + shape`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray
from tensorflow.bitwise import bitwise_and, bitwise_xor, left_shift, right_shift

from lang2program_tf.language import World
from lang2program_tf.language.tangrams import SHAPES, TANGRAMS, Tangram, TangramsWorld
from lang2program_tf.machine import primitives
from lang2program_tf.machine.rules import (
    ActionResult,
    Operands,
    Rules,
    find,
    object_rows,
    places,
    second,
    top,
)
from lang2program_tf.machine.state import OBJECT_CODE_BASE

_POSITION = 3  # first bit of the position; bits of a shape
_SHAPE_MASK = (1 << _POSITION) - 1
_ROW_OF_ZERO = primitives.number_row(0)
_ROW_BEFORE_SHAPES = primitives.shape_row("0") - 1


class TangramsRules(Rules):
    """A row of pieces."""

    domain = TANGRAMS
    look_sizes = (len(SHAPES) + 1,)

    def encode_world(self, world: World) -> list[int]:
        shapes = [SHAPES.index(piece.shape) + 1 for piece in world.objects]
        return shapes + [0] * (self.num_positions - len(shapes))

    def encode_object(self, thing: Tangram) -> int:
        return OBJECT_CODE_BASE + (thing.position << _POSITION) + SHAPES.index(thing.shape) + 1

    def decode_object(self, code: int) -> Tangram:
        code -= OBJECT_CODE_BASE
        return Tangram(code >> _POSITION, SHAPES[(code & _SHAPE_MASK) - 1])

    def decode_world(
        self, codes: Sequence[int], *, next_identity: int | None = None
    ) -> TangramsWorld:
        del next_identity
        return TangramsWorld(tuple(SHAPES[int(code) - 1] for code in codes if code))

    def objects(self, world: tf.Tensor) -> tf.Tensor:
        position = np.arange(1, self.num_positions + 1, dtype=np.int32)
        return tf.where(world > 0, OBJECT_CODE_BASE + (position << _POSITION) + world, 0)

    def resolve(self, world: tf.Tensor, codes: tf.Tensor) -> tf.Tensor:
        shape = bitwise_and(codes, _SHAPE_MASK)
        position = find(world, shape, places(world))
        now = OBJECT_CODE_BASE + position * (1 << _POSITION) + shape
        return tf.where(codes < OBJECT_CODE_BASE, codes, now)

    def position(self, codes: tf.Tensor) -> tf.Tensor:
        return right_shift(tf.maximum(codes - OBJECT_CODE_BASE, 0), _POSITION)

    def actions(
        self, world: tf.Tensor, next_identity: tf.Tensor, operands: Operands
    ) -> dict[str, ActionResult]:
        del next_identity
        first, other = top(operands.thing), second(operands.thing)
        position = self.position(operands.thing)
        first_at, other_at = top(position), second(position)
        length = tf.math.count_nonzero(world, axis=0, dtype=tf.int32)  # [B, K]
        number = second(operands.number)
        add_at = number + (length + 2) * tf.cast(number < 0, tf.int32)
        can_add = (first > 0) & tf.equal(first_at, 0) & (add_at > 0) & (add_at <= length + 1)
        added = first + add_at * (1 << _POSITION)
        can_swap = (first_at > 0) & (other_at > 0) & tf.not_equal(first_at, other_at)
        return {
            "add": ActionResult(can_add, add_at, added),
            "remove": ActionResult(first_at > 0, first),
            "swap": ActionResult(can_swap, first, other),
        }

    def perform(self, world: tf.Tensor, command: tf.Tensor) -> tf.Tensor:
        _, first, other = tf.unstack(command)
        adds, removes, swaps = (self.performs(command, name) for name in ("add", "remove", "swap"))
        first_at, other_at = self.position(first), self.position(other)
        row = tf.reduce_sum(left_shift(world, _bits(world)), axis=0)
        after = (
            (1 - adds - removes - swaps) * row
            + adds * _with_piece(row, other_at, bitwise_and(other, _SHAPE_MASK))
            + removes * _without_piece(row, first_at)
            + swaps * _with_exchange(row, first_at, other_at)
        )
        return bitwise_and(right_shift(after, _bits(world)), _SHAPE_MASK)

    def attribute_rows(self, codes: tf.Tensor) -> tf.Tensor:
        return object_rows(
            codes,
            [
                self.position(codes) + _ROW_OF_ZERO,
                bitwise_and(codes, _SHAPE_MASK) + _ROW_BEFORE_SHAPES,
            ],
        )

    def things(self, world: tf.Tensor) -> tf.Tensor:
        """All pieces in the order of their shapes, be they on the row or not."""
        shapes = np.arange(1, self.num_positions + 1, dtype=np.int32)
        here = tf.equal(world[:, tf.newaxis], shapes[:, np.newaxis])  # [B, shapes, P]
        position = tf.reduce_sum(tf.cast(here, tf.int32) * shapes, axis=-1)
        return OBJECT_CODE_BASE + position * (1 << _POSITION) + shapes

    def identity(self, codes: tf.Tensor) -> tf.Tensor:
        return bitwise_and(codes, _SHAPE_MASK)

    def looks(self, codes: tf.Tensor) -> tf.Tensor:
        """The shape."""
        is_piece = tf.cast(codes >= OBJECT_CODE_BASE, tf.int32)
        return (is_piece * bitwise_and(codes, _SHAPE_MASK))[..., tf.newaxis]


# Rows of pieces as one int, three bits a shape from the left end on. Position 0, which only
# commands of other actions have, is taken for the first.


def _bits(world: tf.Tensor) -> NDArray[np.int32]:
    """The first bit of each position, to broadcast with worlds [P, ...]."""
    return _POSITION * (places(world) - 1)


def _split(row: tf.Tensor, position: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    """What stands left of positions, what from there on, and the first bit of the position."""
    bit = _POSITION * tf.maximum(position - 1, 0)
    right = right_shift(row, bit)
    return row - left_shift(right, bit), right, bit


def _with_piece(row: tf.Tensor, position: tf.Tensor, shape: tf.Tensor) -> tf.Tensor:
    left, right, bit = _split(row, position)
    return left + left_shift(left_shift(right, _POSITION) + shape, bit)


def _without_piece(row: tf.Tensor, position: tf.Tensor) -> tf.Tensor:
    left, right, bit = _split(row, position)
    return left + left_shift(right_shift(right, _POSITION), bit)


def _with_exchange(row: tf.Tensor, position: tf.Tensor, other: tf.Tensor) -> tf.Tensor:
    _, right, bit = _split(row, position)
    _, other_right, other_bit = _split(row, other)
    change = bitwise_and(bitwise_xor(right, other_right), _SHAPE_MASK)
    return bitwise_xor(row, bitwise_xor(left_shift(change, bit), left_shift(change, other_bit)))
