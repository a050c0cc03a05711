"""What the tensor machine must know of a domain.

Inside the machine the axes [B, K] of prefixes stand *last*, behind the axis of what is described:
worlds are [P, B, K]. Then one position or one slot of all prefixes lies side by side in memory, and
comparing a number of each prefix with all positions is a few long operations.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from lang2program_tf.language import Domain, World
from lang2program_tf.machine.state import OBJECT_CODE_BASE


class Operands(NamedTuple):
    """What lies on the stack, seen as arguments; [S + 1, B, K] int32 each.

    The last is the top. The first is always empty, below the deepest slot.

    Attributes:
        number: the number in the slot, 0 if it holds none.
        color: the color in the slot, 0 if it holds none.
        fraction: 1 if the slot holds the fraction 1/1, else 0.
        thing: code of the one object in the slot with its *present* attributes, 0 if the slot does
            not hold exactly one.
    """

    number: tf.Tensor
    color: tf.Tensor
    fraction: tf.Tensor
    thing: tf.Tensor


class ActionResult(NamedTuple):
    """What an action would do to stacks as `top` shows them; meaningless where not allowed.

    Attributes:
        allowed: [2, B, K] bool.
        first: [2, B, K] int32, the first argument that history records.
        second: [2, B, K] int32, the second one; None for none.
    """

    allowed: tf.Tensor
    first: tf.Tensor
    second: tf.Tensor | None = None


class Rules(abc.ABC):
    """The worlds, properties and actions of one domain on int tensors.

    Attributes:
        domain: the domain in Python, which is the reference.
        creates: the action that takes a new identity, if any does.
        identity_step: what one hidden number more adds to an object's code; 0 where there are none.
        look_sizes: how many values each of the L numbers of `looks` has.
        look_groups: the columns of `looks` by which people say that things look the same.
    """

    domain: Domain
    creates: str | None = None
    identity_step: int = 0
    look_sizes: tuple[int, ...]
    look_groups: tuple[tuple[int, ...], ...] = ()

    @property
    def num_positions(self) -> int:
        """P, entries of an encoded world."""
        return self.domain.num_positions

    def encode_world(self, world: World) -> list[int]:
        """The P ints of a world: here the code of what stands at a position, 0 for nothing."""
        codes = [0] * self.num_positions
        for thing in world.objects:
            codes[thing.position - 1] = self.encode_object(thing)
        return codes

    def decode_world(self, codes: Sequence[int], *, next_identity: int | None = None) -> World:
        """The world of P ints: here a plain row of what they stand for.

        Args:
            codes: the ints.
            next_identity: as in `MachineState`; None: the first number that nobody has.
        """
        del next_identity
        return World(self.decode_object(int(code)) for code in codes if code)

    @abc.abstractmethod
    def encode_object(self, thing: Any) -> int:
        """The code of a snapshot."""

    @abc.abstractmethod
    def decode_object(self, code: int) -> Any:
        """The snapshot that a code stands for."""

    def next_identity(self, world: World) -> int:
        """The hidden number of the next object to come, where there are hidden numbers."""
        del world
        return 0

    def visible(self, world: tf.Tensor) -> tf.Tensor:
        """What a person sees of encoded worlds of any shape: equal ints if and only if equal."""
        return world

    def objects(self, world: tf.Tensor) -> tf.Tensor:
        """[..., P] worlds to the code of the object at each position, 0 where there is none."""
        return world

    def resolve(self, world: tf.Tensor, codes: tf.Tensor) -> tf.Tensor:
        """Snapshots with their present attributes, position 0 if gone; numbers stay as they are.

        Here for objects that keep their places.

        Args:
            world: [P, B, K].
            codes: [n, B, K] snapshots or numbers.
        """
        now = find(places(world), self.position(codes), world)
        return tf.where(codes < OBJECT_CODE_BASE, codes, now)

    @abc.abstractmethod
    def position(self, codes: tf.Tensor) -> tf.Tensor:
        """The position in object codes."""

    def properties(
        self, world: tf.Tensor, top: tf.Tensor, second: tf.Tensor
    ) -> dict[str, tf.Tensor]:
        """By the names of property tokens: [B, K] the set of the objects with these colors.

        Args:
            world: [P, B, K].
            top: [B, K] the color on top of the stack, 0 for none.
            second: [B, K] the color below it, 0 for none.
        """
        del world, top, second
        return {}

    def relations(self, thing: tf.Tensor) -> dict[str, tf.Tensor]:
        """By the names of relation tokens: [B, K] the number it pushes, 0 if it fails.

        Args:
            thing: [B, K] the object on top of the stack, 0 for none.
        """
        del thing
        return {}

    @abc.abstractmethod
    def actions(
        self, world: tf.Tensor, next_identity: tf.Tensor, operands: Operands
    ) -> dict[str, ActionResult]:
        """What each of the domain's own actions would do, by name.

        Args:
            world: [P, B, K].
            next_identity: [B, K].
            operands: what lies on the stack.
        """

    @abc.abstractmethod
    def perform(self, world: tf.Tensor, command: tf.Tensor) -> tf.Tensor:
        """Worlds [P, ...] after commands that were allowed in them.

        Args:
            world: [P, ...].
            command: [3, ...] as in history: the number of the action and its arguments. Zeros
                change nothing.
        """

    def performs(self, command: tf.Tensor, action: str) -> tf.Tensor:
        """[...] int32, 1 where commands [3, ...] are of this action, else 0."""
        return tf.cast(tf.equal(command[0], self.action_number(action)), tf.int32)

    def action_number(self, action: str) -> int:
        """The number of an action in commands: its place from 1 among the domain's actions."""
        return [token.name for token in self.domain.action_tokens].index(action) + 1

    @abc.abstractmethod
    def attribute_rows(self, codes: tf.Tensor) -> tf.Tensor:
        """[..., n] objects' codes to [..., attributes, n] rows of the primitive table.

        What is no object, a number or 0, has row −1.
        """

    def things(self, world: tf.Tensor) -> tf.Tensor:
        """[B, N] codes of all that can be spoken of in worlds [B, P], 0 where there is nothing.

        A thing that is gone for now has position 0.
        """
        return world

    def thing_places(self, things: tf.Tensor) -> tf.Tensor:
        """[B, N] where `things` are, 0 for those that are gone."""
        return self.position(things)

    def identity(self, codes: tf.Tensor) -> tf.Tensor:
        """What objects are known by, from 1, in codes of any shape: here their places."""
        return self.position(codes)

    @abc.abstractmethod
    def looks(self, codes: tf.Tensor) -> tf.Tensor:
        """[..., L] what one sees of objects with these codes, from 0; zeros for no object."""

    def newcomers(self, action: tf.Tensor) -> tf.Tensor:
        """How many identities the actions [...], by their numbers from 1, have taken; int32."""
        if self.creates is None:
            return tf.zeros_like(action)
        return tf.cast(tf.equal(action, self.action_number(self.creates)), tf.int32)

    def encode_worlds(self, worlds: Sequence[World]) -> NDArray[np.int32]:
        """[B, P] int32 of a list of worlds."""
        return np.array([self.encode_world(world) for world in worlds], np.int32).reshape(
            len(worlds), self.num_positions
        )

    def next_identities(self, worlds: Sequence[World]) -> NDArray[np.int32]:
        """[B] int32, `next_identity` of a list of worlds."""
        return np.array([self.next_identity(world) for world in worlds], np.int32)


def top(slots: tf.Tensor) -> tf.Tensor:
    """[2, B, K] the top of stacks [S + 1, B, K] as actions see it.

    First of the stack without its topmost value, which is what prevAction leaves to the action it
    repeats, then of the whole stack.
    """
    return slots[-2:]


def second(slots: tf.Tensor) -> tf.Tensor:
    """[2, B, K] the value below the one that `top` gives."""
    return slots[-3:-1]


def third(slots: tf.Tensor) -> tf.Tensor:
    """[2, B, K] the value below the one that `second` gives."""
    return slots[-4:-2]


def places(world: tf.Tensor) -> NDArray[np.int32]:
    """The positions from 1, to broadcast with worlds [P, ...]."""
    size, rank = world.shape[0], len(world.shape)
    return np.arange(1, size + 1, dtype=np.int32).reshape([size] + [1] * (rank - 1))


def set_of(members: tf.Tensor) -> tf.Tensor:
    """[...] positions as bits of an int: those where `members` [P, ...] is True."""
    return tf.reduce_sum(tf.cast(members, tf.int32) * (1 << (places(members) - 1)), axis=0)


def find(keys: tf.Tensor, wanted: tf.Tensor, values: tf.Tensor) -> tf.Tensor:
    """[n, ...] of the values [P, ...] the one whose key is wanted, 0 if no key is.

    Args:
        keys: [P, ...], different where the values are not 0.
        wanted: [n, ...].
        values: [P, ...].
    """
    same = tf.equal(tf.expand_dims(keys, 1), wanted)  # [P, n, ...]
    return tf.reduce_sum(tf.cast(same, tf.int32) * tf.expand_dims(values, 1), axis=0)


def write_two(
    world: tf.Tensor,
    position: tf.Tensor,
    code: tf.Tensor,
    other_position: tf.Tensor,
    other_code: tf.Tensor,
) -> tf.Tensor:
    """Worlds [P, ...] with two codes [...] at positions [...]; position 0 is nowhere."""
    first = tf.cast(tf.equal(places(world), position), tf.int32)
    other = tf.cast(tf.equal(places(world), other_position), tf.int32)
    return world * (1 - first - other) + first * code + other * other_code


def object_rows(codes: tf.Tensor, rows: Sequence[tf.Tensor]) -> tf.Tensor:
    """[..., attributes, n] of the rows [..., n] of each attribute; −1 where a code is no object."""
    is_object = tf.cast(codes >= OBJECT_CODE_BASE, tf.int32)
    return tf.stack([(row + 1) * is_object for row in rows], axis=-2) - 1
