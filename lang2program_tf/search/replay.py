"""Runs given programs again, to learn from them as if a search had just found them."""

from __future__ import annotations

import functools
from typing import NamedTuple

import tensorflow as tf

from lang2program_tf.log_probs import NEVER
from lang2program_tf.machine import Examples, Machine, MachineState
from lang2program_tf.machine.features import ABSENT, HISTORY_TOKENS
from lang2program_tf.search.tree import Prefixes, SearchTree


class _Replayed(NamedTuple):
    """Where R programs of B examples are after some of their tokens.

    Attributes:
        state: their execution states, leading axes [B, R].
        recent: [B, R, 4] int32, their last tokens.
        same: [B, R, R] bool, which programs have begun with the same tokens.
    """

    state: MachineState
    recent: tf.Tensor
    same: tf.Tensor

    @property
    def place(self) -> tf.Tensor:
        """[B, R] int32, the first program that has begun with the same tokens: the tree's place."""
        return tf.argmax(tf.cast(self.same, tf.int32), axis=-1, output_type=tf.int32)


def replay(
    machine: Machine,
    examples: Examples,
    programs: tf.Tensor,
    log_probs: tf.Tensor,
    *,
    jit_compile: bool = False,
) -> SearchTree:
    """The search tree of programs that are known to be complete and to earn reward.

    Nothing is scored: the tree holds the given log-probabilities of the programs, and 0 for those
    of prefixes. Programs share their beginnings as in the tree of a search.

    Args:
        machine: runs the programs.
        examples: B examples.
        programs: [B, R, L] int32, token ids, −1 behind the end; all −1 where there is no program.
            The programs of an example are different. L must be known.
        log_probs: [B, R] float32, of the programs, −inf where there is none.
        jit_compile: whether XLA compiles what runs a token: a tenth less processor time for a
            whole step of gin/turns/scene.gin.
    """
    lengths = tf.math.count_nonzero(programs >= 0, axis=-1, dtype=tf.int32)  # [B, R]
    by_place = tf.transpose(programs, [2, 0, 1])  # [L, B, R]
    iterations = programs.shape[2]

    follow = functools.partial(_follow, machine)
    if jit_compile:
        follow = tf.function(follow, autograph=False, jit_compile=True)

    def advance(
        iteration: tf.Tensor, now: _Replayed, arrays: list[tf.TensorArray]
    ) -> tuple[tf.Tensor, _Replayed, list[tf.TensorArray]]:
        token = by_place[iteration]
        following, edits = follow(now, token, examples.num_utterances)
        each = tf.range(tf.shape(token)[1])
        alive = (lengths > iteration + 1) & tf.equal(following.place, each)
        ending = tf.where(tf.equal(lengths, iteration + 1), log_probs, NEVER)
        complete = _at_actions(machine, ending, now.place, token)
        record = [
            now.place,
            token,
            tf.where(alive, 0.0, NEVER),
            now.state.utterance,
            now.state.world,
            complete,
            complete > NEVER,
            edits,
            now.recent,
            now.state.kinds,
            now.state.values,
        ]
        arrays = [array.write(iteration, part) for array, part in zip(arrays, record)]
        return iteration + 1, following, arrays

    start = (tf.constant(0), _start(machine, examples, programs), _arrays(machine, iterations))
    _, _, arrays = tf.while_loop(lambda iteration, *_: iteration < iterations, advance, start)
    return _tree(arrays, iterations)


def _start(machine: Machine, examples: Examples, programs: tf.Tensor) -> _Replayed:
    shape = tf.shape(programs)
    batch, count = shape[0], shape[1]
    return _Replayed(
        state=machine.initial_state(examples, num_prefixes=count),
        recent=tf.fill([batch, count, HISTORY_TOKENS], ABSENT),
        same=tf.fill([batch, count, count], True),
    )


def _follow(
    machine: Machine, now: _Replayed, token: tf.Tensor, num_utterances: tf.Tensor
) -> tuple[_Replayed, tf.Tensor]:
    """Where programs are after their next tokens [B, R], and `Options.edits` before them."""
    options = machine.options(now.state, num_utterances[:, tf.newaxis])
    each = tf.broadcast_to(tf.range(tf.shape(token)[1]), tf.shape(token))
    following = _Replayed(
        state=machine.follow(now.state, options, each, tf.maximum(token, 0)).state,
        recent=tf.concat([now.recent[..., 1:], token[..., tf.newaxis]], axis=-1),
        same=now.same & tf.equal(token[:, tf.newaxis], token[..., tf.newaxis]),
    )
    return following, options.edits


def _at_actions(
    machine: Machine, ending: tf.Tensor, place: tf.Tensor, token: tf.Tensor
) -> tf.Tensor:
    """[B, R, C] the numbers `ending` [B, R] that are not −inf, at their prefixes and actions."""
    shape = tf.shape(ending)
    matches = tf.equal(token[..., tf.newaxis], machine.action_tokens)  # [B, R, C]
    action = tf.argmax(tf.cast(matches, tf.int32), axis=-1, output_type=tf.int32)
    row = tf.range(shape[0])[:, tf.newaxis] * shape[1] + place
    to = tf.where(ending > NEVER, row * machine.num_actions + action, -1)  # −1: nowhere
    size = tf.size(ending) * machine.num_actions
    flat = tf.reshape(to, [-1])
    total = tf.math.unsorted_segment_sum(tf.reshape(ending, [-1]), flat, size)
    ends = tf.math.unsorted_segment_sum(tf.ones_like(flat), flat, size) > 0
    return tf.reshape(tf.where(ends, total, NEVER), [shape[0], shape[1], machine.num_actions])


def _arrays(machine: Machine, iterations: int) -> list[tf.TensorArray]:
    """Room for `iterations` records, in the order of the tree's fields."""
    rules, slots, actions = machine.rules, machine.stack_slots, machine.num_actions
    kinds: list[tuple[tf.DType, list[int]]] = [
        (tf.int32, []),
        (tf.int32, []),
        (tf.float32, []),
        (tf.int32, []),
        (tf.int32, [rules.num_positions]),
        (tf.float32, [actions]),
        (tf.bool, [actions]),
        (tf.int32, [actions, 3]),
        (tf.int32, [HISTORY_TOKENS]),
        (tf.int32, [slots]),
        (tf.int32, [slots, rules.num_positions]),
    ]
    return [
        tf.TensorArray(dtype, size=iterations, element_shape=[None, None, *shape])
        for dtype, shape in kinds
    ]


def _tree(arrays: list[tf.TensorArray], iterations: int) -> SearchTree:
    """The tree of full arrays."""
    *parts, recent, kinds, values = (
        tf.ensure_shape(part, [iterations, *part.shape[1:]])
        for part in (array.stack() for array in arrays)
    )
    return SearchTree(*[*parts, Prefixes(recent, kinds, values)])
