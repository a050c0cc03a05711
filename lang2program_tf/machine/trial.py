"""Tries every token from every state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from lang2program_tf.language import MAX_STACK, Kind
from lang2program_tf.machine import state as st
from lang2program_tf.machine.rules import ActionResult, Operands, Rules, find, places, set_of
from lang2program_tf.machine.state import MachineState, Options
from lang2program_tf.machine.tables import Ints, TokenTables


class Findings(NamedTuple):
    """What was found on the stacks of K prefixes of B examples; int32.

    Attributes:
        operands: the values as arguments.
        command: [3, B, K] the command that the number on top means: action + 1 and arguments with
            their present attributes; zeros if there is none.
        depth: [B, K] how many values there are.
    """

    operands: Operands
    command: tf.Tensor
    depth: tf.Tensor


def try_tokens(
    rules: Rules, tables: TokenTables, state: MachineState, num_utterances: tf.Tensor
) -> Options:
    """What every token would do; `num_utterances` is [B, K] or broadcasts."""
    state = _prefixes_last(state)
    found = _look(rules, state)
    pushes = _pushes(rules, tables, state, found)
    results = rules.actions(state.world, state.next_identity, found.operands)
    actions = [results[name] for name in tables.names[Kind.ACTION]]
    allowed, commands = _with_repeated(actions, found.command[0])
    is_last = tf.equal(state.utterance + 1, num_utterances)
    outcomes = tf.concat(
        [
            _push_outcomes(tables, pushes, found.depth),
            _action_outcomes(tables, allowed, found, is_last),
        ],
        axis=0,
    )  # [D + C, B, K]
    ends = tf.equal(outcomes[-len(tables.action_tokens) :], st.TERMINATES)
    return Options(
        outcomes=_by_token(tables, outcomes),
        limits=_by_token(tables, _limit(tf.equal(outcomes, st.CONTINUES))),
        end_limits=tf.transpose(_limit(ends), [1, 2, 0]),
        pushes=pushes,
        commands=tf.transpose(commands, [2, 3, 0, 1]),
    )


def _prefixes_last(state: MachineState) -> MachineState:
    """States with the axes [B, K] of prefixes behind all others: worlds are [P, B, K]."""

    def turn(part: tf.Tensor) -> tf.Tensor:
        return tf.transpose(part, [*range(2, len(part.shape)), 0, 1])

    return state._replace(
        world=turn(state.world),
        kinds=turn(state.kinds),
        values=turn(state.values),
        history=turn(state.history),
    )


# From here on states have their prefixes last.


def _look(rules: Rules, state: MachineState) -> Findings:
    first = state.values[:, 0]  # [S, B, K]
    kinds = np.array([st.NUMBER, st.COLOR, st.FRACTION], np.int32).reshape([3, 1, 1, 1])
    scalars = first * tf.cast(tf.equal(state.kinds, kinds), tf.int32)  # [3, S, B, K]
    single = (state.kinds >= st.OBJECT) & tf.equal(state.values[:, 1], 0)
    command = _recall(state, scalars[0, -1])
    codes = tf.concat([first * tf.cast(single, tf.int32), command[1:]], axis=0)
    codes = rules.resolve(state.world, codes)  # [S + 2, B, K]
    things, arguments = codes[:-2], codes[-2:]
    slots = tf.concat([scalars, things[tf.newaxis]], axis=0)
    slots = tf.pad(slots, [[0, 0], [1, 0], [0, 0], [0, 0]])  # [4, S + 1, B, K]
    return Findings(
        operands=Operands(*tf.unstack(slots)),
        command=tf.concat([command[:1], arguments], axis=0),
        depth=tf.math.count_nonzero(state.kinds, axis=0, dtype=tf.int32),
    )


def _recall(state: MachineState, number: tf.Tensor) -> tf.Tensor:
    """[3, B, K] the history entry that a number [B, K] means, zeros if there is none."""
    place = _from_start(number, state.utterance)
    commands = tf.range(1, tf.shape(state.history)[0] + 1)[:, tf.newaxis, tf.newaxis]
    # Entries that are not written yet are zeros.
    here = tf.cast(tf.equal(commands, place), tf.int32)  # [M, B, K]
    return tf.reduce_sum(here[:, tf.newaxis] * state.history, axis=0)


def _from_start(number: tf.Tensor, length: tf.Tensor) -> tf.Tensor:
    """Numbers that count from 1, or from −1 at the end, as ones that count from 1."""
    return number + (length + 1) * tf.cast(number < 0, tf.int32)


def _pushes(rules: Rules, tables: TokenTables, state: MachineState, found: Findings) -> tf.Tensor:
    """[D, B, K] as in `Options.pushes`."""
    operands = found.operands
    nothing = tf.zeros_like(found.depth)
    properties = rules.properties(state.world, operands.color[-1], operands.color[-2])
    relations = rules.relations(operands.thing[-1])
    pushes = [
        nothing,  # constants
        set_of(state.world > 0),
        _item(state, operands.number[-1]),
        *(properties[name] for name in tables.names[Kind.PROPERTY]),
        *(relations[name] for name in tables.names[Kind.RELATION]),
        *tf.unstack(found.command[1:]),
        *[nothing] * tables.num_failing,
    ]
    return tf.stack(pushes)


def _item(state: MachineState, number: tf.Tensor) -> tf.Tensor:
    """[B, K] the element of the list below the top that a number means, 0 if there is none."""
    items = state.values[-2]  # [P, B, K]
    length = tf.math.count_nonzero(items, axis=0, dtype=tf.int32)
    place = _from_start(number, length)[tf.newaxis]
    is_list = tf.equal(state.kinds[-2], st.LIST)
    return find(places(items), place, items)[0] * tf.cast(is_list, tf.int32)


def _with_repeated(
    results: Sequence[ActionResult], repeated: tf.Tensor
) -> tuple[tf.Tensor, tf.Tensor]:
    """Results of the domain's own actions and of prevAction.

    Args:
        results: of the domain's own A actions, in token order.
        repeated: [B, K] the number from 1 of the action that prevAction repeats, 0 for none.

    Returns:
        [C, B, K] int32, 1 where an action is allowed, else 0; and the commands as in `Options`, but
        for the order of axes: [C + 1, 3, B, K].
    """
    allowed = tf.cast(tf.stack([result.allowed for result in results]), tf.int32)  # [A, 2, B, K]
    arguments = tf.stack(
        [
            tf.stack([first, tf.zeros_like(first) if second is None else second])
            for _, first, second in results
        ]
    )  # [A, 2 arguments, 2, B, K]
    names = np.arange(1, allowed.shape[0] + 1, dtype=np.int32).reshape([-1, 1, 1])
    again = tf.cast(tf.equal(names, repeated), tf.int32)  # [A, B, K]
    allowed_again = tf.reduce_sum(again * allowed[:, 0], axis=0, keepdims=True)
    again = tf.reduce_sum(again[:, tf.newaxis] * arguments[:, :, 0], axis=0, keepdims=True)
    arguments = tf.concat([arguments[:, :, 1], again, tf.zeros_like(again)], axis=0)
    nothing = tf.zeros_like(repeated)[tf.newaxis]
    names = tf.concat([nothing + names, repeated[tf.newaxis], nothing], axis=0)
    return (
        tf.concat([allowed[:, 1], allowed_again], axis=0),
        tf.concat([names[:, tf.newaxis], arguments], axis=1),
    )


def _push_outcomes(tables: TokenTables, pushes: tf.Tensor, depth: tf.Tensor) -> tf.Tensor:
    """[D, B, K] outcomes of tokens that are not actions."""
    runs = tf.cast(pushes > _column(tables.least), tf.int32)
    fits = tf.cast(depth <= _column(tables.deepest), tf.int32)
    return runs * (st.PRUNED + (st.CONTINUES - st.PRUNED) * fits)


def _action_outcomes(
    tables: TokenTables, allowed: tf.Tensor, found: Findings, is_last: tf.Tensor
) -> tf.Tensor:
    """[C, B, K] outcomes of the actions.

    Args:
        tables: the tokens.
        allowed: [C, B, K] int32, 1 or 0.
        found: what was found on the stack.
        is_last: [B, K] bool, whether the program is complete afterwards.
    """
    again = 1 + tf.gather(tables.arities, found.command[:1])
    leftover = tf.concat(
        [found.depth - _column(tables.arities[1:]), found.depth - again], axis=0
    )  # [C, B, K]
    clear = tf.cast(tf.equal(leftover, 0), tf.int32)
    # Of the actions only prevAction may leave values on the stack of a program that goes on.
    most = _column(np.array([0] * (len(tables.arities) - 1) + [MAX_STACK], np.int32))
    kept = tf.cast(leftover <= most, tf.int32)
    ended = st.LEFTOVER + (st.TERMINATES - st.LEFTOVER) * clear
    goes_on = st.PRUNED + (st.CONTINUES - st.PRUNED) * kept
    return allowed * (goes_on + tf.cast(is_last, tf.int32) * (ended - goes_on))


def _by_token(tables: TokenTables, known: tf.Tensor) -> tf.Tensor:
    """[B, K, V] from what is known of sorts and actions [D + C, B, K]."""
    return tf.transpose(tf.gather(known, tables.row), [1, 2, 0])


def _limit(condition: tf.Tensor) -> tf.Tensor:
    """∞ or −∞."""
    return (tf.cast(condition, tf.float32) - 0.5) * float("inf")


def _column(values: Ints) -> Ints:
    """[n] as [n, 1, 1]."""
    return values[:, np.newaxis, np.newaxis]
