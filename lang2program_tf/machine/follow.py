"""Runs chosen tokens: the states after them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import tensorflow as tf

from lang2program_tf.machine import state as st
from lang2program_tf.machine.features import StackFeatures, stack_features
from lang2program_tf.machine.rules import Rules
from lang2program_tf.machine.state import MachineState, Options
from lang2program_tf.machine.tables import Ints, TokenTables


class Following(NamedTuple):
    """The states of J chosen continuations of K prefixes of B examples.

    Attributes:
        state: the states.
        parent: [B, J] int32, the prefix that each of them continues.
        pushed: features of the value that was pushed, leading axes [B, J]; those of an empty slot
            if none was.
        source: [B, J, S] int32, where the slots come from: of the K * S old slots, the J pushed
            values and an empty slot, counted in this order; see `take_slots`.
    """

    state: MachineState
    parent: tf.Tensor
    pushed: StackFeatures
    source: tf.Tensor


def list_orders(num_positions: int) -> Ints:
    """[2 ** P, P] for each set of positions, where the values of that list come from.

    Counted are: nothing, a number or object, P positions. The empty set stands for a number or
    object.
    """
    orders = np.zeros([1 << num_positions, num_positions], np.int32)
    orders[0, 0] = 1
    for members in range(1, len(orders)):
        columns = [2 + p for p in range(num_positions) if members >> p & 1]
        orders[members, : len(columns)] = columns
    return orders


def follow(
    rules: Rules,
    tables: TokenTables,
    orders: Ints,
    state: MachineState,
    options: Options,
    parent: tf.Tensor,
    token: tf.Tensor,
) -> Following:
    """The states after `token` [B, J] from the prefixes `parent` [B, J]."""
    by_token = np.stack(
        [
            tables.command,
            tables.sort,
            tables.constant,
            tables.kind,
            tables.is_list,
            tables.may_be_object,
            tables.pops,
        ]
    )
    command, sort, constant, kind, is_list, may_be_object, pops = tf.unstack(
        tf.gather(by_token, token, axis=1)
    )  # [B, J] each
    world, history, utterance, next_identity = (
        tf.gather(part, parent, batch_dims=1)
        for part in (state.world, state.history, state.utterance, state.next_identity)
    )
    performed = _fetch(options.commands, parent, command)  # [B, J, 3]
    action = performed[..., 0]
    pushes = tf.transpose(options.pushes, [1, 2, 0])[..., tf.newaxis]
    value = constant + _fetch(pushes, parent, sort)[..., 0]
    is_object = tf.cast(value >= st.OBJECT_CODE_BASE, tf.int32)
    kind += may_be_object * is_object * (st.OBJECT - st.NUMBER)
    head = tf.stack([tf.zeros_like(value), value], axis=-1)
    order = tf.gather(orders, value * is_list)
    values = tf.gather(tf.concat([head, rules.objects(world)], axis=-1), order, batch_dims=2)
    pops += tf.gather(tables.arities, action)
    source = _sources(state, parent, pops, kind)
    after = MachineState(
        world=world_after(rules, world, performed),
        kinds=take_slots(state.kinds[..., tf.newaxis], kind[..., tf.newaxis], source)[..., 0],
        values=take_slots(state.values, values, source),
        history=_history_after(history, utterance, performed),
        utterance=utterance + tf.cast(action > 0, tf.int32),
        next_identity=next_identity + rules.newcomers(action),
    )
    return Following(after, parent, stack_features(rules, kind, values), source)


def world_after(rules: Rules, world: tf.Tensor, command: tf.Tensor) -> tf.Tensor:
    """[..., P] encoded worlds after commands [..., 3] that were allowed in them, or zeros."""
    last = len(world.shape) - 1
    turned = [tf.transpose(part, [last, *range(last)]) for part in (world, command)]
    return tf.transpose(rules.perform(*turned), [*range(1, last + 1), 0])


def _fetch(parts: tf.Tensor, parent: tf.Tensor, place: tf.Tensor) -> tf.Tensor:
    """[B, J, n] of [B, K, m, n] parts, by prefix and by place on the axis m."""
    shape = tf.shape(parts)
    flat = tf.reshape(parts, [shape[0], -1, shape[3]])
    return tf.gather(flat, parent * shape[2] + place, batch_dims=1)


def _history_after(history: tf.Tensor, utterance: tf.Tensor, command: tf.Tensor) -> tf.Tensor:
    """Histories [B, J, M, 3] with commands [B, J, 3] performed at the utterances [B, J]."""
    here = tf.one_hot(utterance, tf.shape(history)[2], dtype=tf.int32)  # [B, J, M]
    return history + here[..., tf.newaxis] * command[:, :, tf.newaxis]


def _sources(state: MachineState, parent: tf.Tensor, pops: tf.Tensor, kind: tf.Tensor) -> tf.Tensor:
    """[B, J, S] as in `Following.source`."""
    num_slots = state.kinds.shape[2]
    num_old = tf.shape(state.kinds)[1] * num_slots
    num_new = tf.shape(parent)[1]
    pushes = tf.cast(kind > st.NONE, tf.int32)
    slot = np.arange(num_slots, dtype=np.int32) - (pops - pushes)[..., tf.newaxis]
    old = parent[..., tf.newaxis] * num_slots + slot
    source = tf.where(slot < 0, num_old + num_new, old)
    is_new = (kind > st.NONE)[..., tf.newaxis] & (np.arange(num_slots) == num_slots - 1)
    new = num_old + tf.range(num_new)[:, tf.newaxis]
    return tf.where(is_new, new, source)


def take_slots(old: tf.Tensor, pushed: tf.Tensor, source: tf.Tensor) -> tf.Tensor:
    """[B, J, S, n] the slots after tokens.

    Args:
        old: [B, K, S, n] the slots before them.
        pushed: [B, J, n] what was pushed.
        source: [B, J, S] as in `Following.source`.
    """
    shape = tf.shape(old)
    flat = tf.reshape(old, [shape[0], shape[1] * shape[2], old.shape[3]])
    empty = tf.zeros_like(pushed[:, :1])
    return tf.gather(tf.concat([flat, pushed, empty], axis=1), source, batch_dims=1)
