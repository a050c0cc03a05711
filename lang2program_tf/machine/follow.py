"""Runs chosen tokens: the states after them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import tensorflow as tf

from lang2program_tf.machine import state as st
from lang2program_tf.machine.features import StackFeatures, stack_features
from lang2program_tf.machine.packed import PackedState
from lang2program_tf.machine.rules import Rules
from lang2program_tf.machine.state import Options
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

    state: PackedState
    parent: tf.Tensor
    pushed: StackFeatures
    source: tf.Tensor


def list_orders(num_positions: int) -> Ints:
    """[2 ** P, 1 + P] for each set of positions, where a value of that list comes from.

    Columns are counted in: nothing, the value's kind, a number or object, P positions. The empty
    set stands for a number or object.
    """
    orders = np.zeros([1 << num_positions, 1 + num_positions], np.int32)
    orders[:, 0] = 1
    orders[0, 1] = 2
    for members in range(1, len(orders)):
        columns = [3 + p for p in range(num_positions) if members >> p & 1]
        orders[members, 1 : 1 + len(columns)] = columns
    return orders


def follow(
    rules: Rules,
    tables: TokenTables,
    orders: Ints,
    packed: PackedState,
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
    rows = tf.gather(packed.rows, parent, batch_dims=1)
    history = tf.gather(packed.history, parent, batch_dims=1)
    commands = _fetch(options.commands, parent, command)
    history = _history_after(history, rows[..., rules.num_positions], commands)
    commands = tf.transpose(commands, [2, 0, 1])  # [3, B, J]
    pushes = tf.transpose(options.pushes, [1, 2, 0])[..., tf.newaxis]
    value = constant + _fetch(pushes, parent, sort)[..., 0]
    is_object = tf.cast(value >= st.OBJECT_CODE_BASE, tf.int32)
    kind += may_be_object * is_object * (st.OBJECT - st.NUMBER)
    objects = rules.objects(rows[..., : rules.num_positions])
    head = tf.stack([tf.zeros_like(kind), kind, value], axis=-1)
    order = tf.gather(orders, value * is_list)
    pushed = tf.gather(tf.concat([head, objects], axis=-1), order, batch_dims=2)
    pops += tf.gather(tables.arities, commands[0])
    source = _sources(packed, parent, pops, kind)
    state = PackedState(
        rows=_rows_after(rules, rows, commands),
        history=history,
        slots=take_slots(packed.slots, pushed, source),
    )
    features = stack_features(rules, pushed[..., 0], pushed[..., 1:])
    return Following(state, parent, features, source)


def _fetch(parts: tf.Tensor, parent: tf.Tensor, place: tf.Tensor) -> tf.Tensor:
    """[B, J, n] of [B, K, m, n] parts, by prefix and by place on the axis m."""
    shape = tf.shape(parts)
    flat = tf.reshape(parts, [shape[0], -1, shape[3]])
    return tf.gather(flat, parent * shape[2] + place, batch_dims=1)


def _rows_after(rules: Rules, rows: tf.Tensor, command: tf.Tensor) -> tf.Tensor:
    """Rows [B, J, P + 2] of a PackedState after commands [3, B, J]."""
    fields = tf.transpose(rows, [2, 0, 1])
    size = rules.num_positions
    acts = command[0] > 0
    creates = tf.zeros_like(acts)
    if rules.creates is not None:
        creates = tf.equal(command[0], rules.creates + 1)
    counters = fields[size:] + tf.cast(tf.stack([acts, creates]), tf.int32)
    world = rules.perform(fields[:size], command)
    return tf.transpose(tf.concat([world, counters], axis=0), [1, 2, 0])


def _history_after(history: tf.Tensor, utterance: tf.Tensor, command: tf.Tensor) -> tf.Tensor:
    """Histories [B, J, M, 3] with commands [B, J, 3] performed at the utterances [B, J]."""
    here = tf.one_hot(utterance, tf.shape(history)[2], dtype=tf.int32)  # [B, J, M]
    return history + here[..., tf.newaxis] * command[:, :, tf.newaxis]


def _sources(packed: PackedState, parent: tf.Tensor, pops: tf.Tensor, kind: tf.Tensor) -> tf.Tensor:
    """[B, J, S] as in `Following.source`."""
    num_slots = packed.slots.shape[2]
    num_old = tf.shape(packed.slots)[1] * num_slots
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
