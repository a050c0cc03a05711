"""States as a few rows of ints, the form in which a search fetches and keeps them."""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf

from lang2program_tf.machine.state import MachineState


class PackedState(NamedTuple):
    """The states of K prefixes of B examples; int32.

    Attributes:
        rows: [B, K, P + 2]: world, utterance, next identity.
        history: [B, K, M, 3] as in `MachineState`.
        slots: [B, K, S, 1 + P]: kind and values of each stack slot.
    """

    rows: tf.Tensor
    history: tf.Tensor
    slots: tf.Tensor


class Fields(NamedTuple):
    """The states of K prefixes of B examples with the axes of prefixes last; int32.

    Attributes:
        world: [P, B, K].
        counters: [2, B, K] utterance and next identity.
        history: [M, 3, B, K] and
        kinds: [S, B, K] and
        values: [S, P, B, K] as in `MachineState`.
    """

    world: tf.Tensor
    counters: tf.Tensor
    history: tf.Tensor
    kinds: tf.Tensor
    values: tf.Tensor


def fields_of(packed: PackedState) -> Fields:
    """The states with the axes of prefixes last."""
    size = packed.slots.shape[-1] - 1
    rows = tf.transpose(packed.rows, [2, 0, 1])
    slots = tf.transpose(packed.slots, [2, 3, 0, 1])  # [S, 1 + P, B, K]
    return Fields(
        world=rows[:size],
        counters=rows[size:],
        history=tf.transpose(packed.history, [2, 3, 0, 1]),
        kinds=slots[:, 0],
        values=slots[:, 1:],
    )


def pack(state: MachineState) -> PackedState:
    """Packs states with leading axes [B, K]."""
    counters = tf.stack([state.utterance, state.next_identity], axis=-1)
    return PackedState(
        rows=tf.concat([state.world, counters], axis=-1),
        history=state.history,
        slots=tf.concat([state.kinds[..., tf.newaxis], state.values], axis=-1),
    )


def unpack(packed: PackedState) -> MachineState:
    """The inverse of `pack`."""
    positions = packed.slots.shape[-1] - 1
    return MachineState(
        world=packed.rows[..., :positions],
        kinds=packed.slots[..., 0],
        values=packed.slots[..., 1:],
        history=packed.history,
        utterance=packed.rows[..., positions],
        next_identity=packed.rows[..., positions + 1],
    )
