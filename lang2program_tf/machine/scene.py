"""Scene on int tensors.

A person's code has bit fields: identity + 1 from bit 10, position from bit 6, shirt from bit 3 and
hat from bit 0; colors count from 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import tensorflow as tf
from tensorflow.bitwise import bitwise_and, right_shift

from lang2program_tf.language import World
from lang2program_tf.language.scene import SCENE, STAGE_LENGTH, Person, SceneWorld
from lang2program_tf.machine import primitives
from lang2program_tf.machine.rules import (
    ActionResult,
    Operands,
    Rules,
    find,
    object_rows,
    second,
    set_of,
    third,
    top,
    write_two,
)
from lang2program_tf.machine.state import COLOR_LETTERS, OBJECT_CODE_BASE

_IDENTITY, _POSITION, _SHIRT = 10, 6, 3  # first bits of the fields
_COLOR_MASK, _POSITION_MASK = 0b111, 0b1111
# By position, the one beside it; 0 where there is none.
_LEFT_OF = np.array([0, *range(STAGE_LENGTH)], np.int32)
_RIGHT_OF = np.array([0, *range(2, STAGE_LENGTH + 1), 0], np.int32)
_ROW_OF_ZERO = primitives.number_row(0)
_ROW_BEFORE_COLORS = primitives.color_row("r") - 1


class SceneRules(Rules):
    """People on a stage."""

    domain = SCENE
    creates: str | None = "create"
    identity_step = 1 << _IDENTITY
    look_sizes = (len(COLOR_LETTERS),) * 2
    look_groups = ((0,), (1,), (0, 1))

    def encode_object(self, thing: Person) -> int:
        return (
            (thing.identity + 1 << _IDENTITY)
            + (thing.position << _POSITION)
            + (COLOR_LETTERS.index(thing.shirt) << _SHIRT)
            + COLOR_LETTERS.index(thing.hat)
        )

    def decode_object(self, code: int) -> Person:
        return Person(
            code >> _POSITION & _POSITION_MASK,
            COLOR_LETTERS[code >> _SHIRT & _COLOR_MASK],
            COLOR_LETTERS[code & _COLOR_MASK],
            (code >> _IDENTITY) - 1,
        )

    def decode_world(self, codes: Sequence[int], *, next_identity: int | None = None) -> SceneWorld:
        people = tuple(self.decode_object(int(code)) for code in codes if code)
        if next_identity is None:
            next_identity = max((person.identity + 1 for person in people), default=0)
        return SceneWorld(people, next_identity)

    def next_identity(self, world: World) -> int:
        assert isinstance(world, SceneWorld)
        return world.next_identity

    def visible(self, world: tf.Tensor) -> tf.Tensor:
        return bitwise_and(world, (1 << _IDENTITY) - 1)

    def resolve(self, world: tf.Tensor, codes: tf.Tensor) -> tf.Tensor:
        found = find(right_shift(world, _IDENTITY), right_shift(codes, _IDENTITY), world)
        gone = bitwise_and(codes, ~(_POSITION_MASK << _POSITION))
        # A person on stage has a position, so the larger code is the right one.
        return tf.maximum(found, gone)

    def position(self, codes: tf.Tensor) -> tf.Tensor:
        return bitwise_and(right_shift(codes, _POSITION), _POSITION_MASK)

    def properties(
        self, world: tf.Tensor, top: tf.Tensor, second: tf.Tensor
    ) -> dict[str, tf.Tensor]:
        hat, shirt = bitwise_and(world, _COLOR_MASK), self._shirt(world)
        same = tf.equal(tf.stack([hat, shirt, shirt], axis=1), tf.stack([top, top, second]))
        people = set_of(world > 0)  # an empty position has no color, and neither has "no color"
        hats, shirts, shirts_second = tf.unstack(bitwise_and(set_of(same), people))
        return {
            "hasShirt": shirts,
            "hasHat": hats,
            "hasShirtHat": bitwise_and(shirts_second, hats),
        }

    def relations(self, thing: tf.Tensor) -> dict[str, tf.Tensor]:
        position = self.position(thing)
        return {
            "leftOf": tf.gather(_LEFT_OF, position),
            "rightOf": tf.gather(_RIGHT_OF, position),
        }

    def actions(
        self, world: tf.Tensor, next_identity: tf.Tensor, operands: Operands
    ) -> dict[str, ActionResult]:
        at, free = _free_positions(world, operands.number)
        position = self.position(operands.thing)
        first, other = top(operands.thing), second(operands.thing)
        first_at, other_at = top(position), second(position)
        shirt, hat = second(operands.color), top(operands.color)
        created = (
            (next_identity + 1) * (1 << _IDENTITY)
            + third(at) * (1 << _POSITION)
            + shirt * (1 << _SHIRT)
            + hat
        )
        can_create = third(free) & (shirt > 0) & (hat > 0)
        can_swap = (first_at > 0) & (other_at > 0) & tf.not_equal(first_at, other_at)
        return {
            "create": ActionResult(can_create, created),
            "leave": ActionResult(first_at > 0, first),
            "move": ActionResult(top(free) & (other_at > 0), other, top(at)),
            "swapHats": ActionResult(can_swap, first, other),
        }

    def perform(self, world: tf.Tensor, command: tf.Tensor) -> tf.Tensor:
        _, person, argument = tf.unstack(command)
        creates, moves, swaps = (
            self.performs(command, name) for name in ("create", "move", "swapHats")
        )
        position, other_position = self.position(person), self.position(argument)
        exchange = bitwise_and(argument, _COLOR_MASK) - bitwise_and(person, _COLOR_MASK)
        moved = person + (argument - position) * (1 << _POSITION)
        return write_two(
            world,
            position,
            (creates + swaps) * person + swaps * exchange,
            moves * argument + swaps * other_position,
            moves * moved + swaps * (argument - exchange),
        )

    def attribute_rows(self, codes: tf.Tensor) -> tf.Tensor:
        return object_rows(
            codes,
            [
                self.position(codes) + _ROW_OF_ZERO,
                self._shirt(codes) + _ROW_BEFORE_COLORS,
                bitwise_and(codes, _COLOR_MASK) + _ROW_BEFORE_COLORS,
            ],
        )

    def thing_places(self, things: tf.Tensor) -> tf.Tensor:
        """The places of the stage, be there somebody or not."""
        return tf.broadcast_to(tf.range(1, STAGE_LENGTH + 1), tf.shape(things))

    def identity(self, codes: tf.Tensor) -> tf.Tensor:
        return right_shift(codes, _IDENTITY)

    def looks(self, codes: tf.Tensor) -> tf.Tensor:
        """Shirt and hat."""
        is_person = tf.cast(codes >= OBJECT_CODE_BASE, tf.int32)[..., tf.newaxis]
        return is_person * tf.stack([self._shirt(codes), bitwise_and(codes, _COLOR_MASK)], axis=-1)

    def _shirt(self, codes: tf.Tensor) -> tf.Tensor:
        return bitwise_and(right_shift(codes, _SHIRT), _COLOR_MASK)


def _free_positions(world: tf.Tensor, number: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """The positions that numbers [n, B, K] mean (0 for no number), and whether nobody is there."""
    position = number + (STAGE_LENGTH + 1) * tf.cast(number < 0, tf.int32)
    taken = 2 * set_of(world > 0) + 1  # from bit 1; bit 0 makes position 0 never free
    return position, tf.equal(bitwise_and(right_shift(taken, position), 1), 0)
