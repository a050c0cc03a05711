"""The log-probabilities of given programs."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from lang2program_tf.learning.tree_rows import used_rows
from lang2program_tf.machine import Examples, Machine
from lang2program_tf.machine.features import HistoryFeatures, stack_features
from lang2program_tf.model.parser_protocol import ParserProtocol
from lang2program_tf.search.replay import replay
from lang2program_tf.search.tree import by_example


def program_log_probs(
    parser: ParserProtocol,
    memory: Any,
    machine: Machine,
    examples: Examples,
    programs: tf.Tensor,
    *,
    jit_compile: bool = False,
) -> tf.Tensor:
    """[B, Z] float32, of programs that are known to run; 0 where there is none.

    Args:
        parser: whose probabilities.
        memory: of the B examples.
        machine: runs the programs.
        examples: where they begin.
        programs: [B, Z, L] int32, token ids, −1 behind the end.
        jit_compile: as for `replay`.
    """
    unknown = tf.zeros(tf.shape(programs)[:2])
    tree = replay(machine, examples, programs, unknown, jit_compile=jit_compile)
    assert tree.prefixes is not None
    shape = tf.shape(tree.token)  # [T, B, Z]
    iterations, batch, size = shape[0], shape[1], shape[2]
    token = by_example(tree.token)  # −1 behind the end
    goes_on = token >= 0
    # Where a decision is made: at the first of the programs that have begun alike, so that each is
    # scored once. It goes on if any does, because no complete program is another's beginning.
    place = by_example(tree.parent) + tf.repeat(tf.range(iterations) * size, size)
    used = goes_on & tf.equal(place, tf.range(iterations * size))
    row = used_rows(used)  # [B, R]

    def of_decision(parts: tf.Tensor) -> tf.Tensor:
        return tf.gather(by_example(parts), row, batch_dims=1)

    recent, kinds, values = (of_decision(part) for part in tree.prefixes)
    history = HistoryFeatures(recent, stack_features(machine.rules, kinds, values))
    scores = parser.score(memory, history, of_decision(tree.utterance))
    # Rows are in order, so that the number of a used one is how many were used before it.
    decision = tf.gather(tf.cumsum(tf.cast(used, tf.int32), axis=1), place, batch_dims=1) - 1
    chosen = tf.stack([tf.maximum(decision, 0), tf.maximum(token, 0)], axis=-1)
    log_probs = tf.where(goes_on, tf.gather_nd(scores.log_probs, chosen, batch_dims=1), 0.0)
    return tf.reduce_sum(tf.reshape(log_probs, [batch, iterations, size]), axis=1)
