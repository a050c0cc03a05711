"""The log-probabilities of given programs."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

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
    # Even where beginnings are the same, a replay follows every program at a place of its own.
    recent, kinds, values = (by_example(part) for part in tree.prefixes)  # [B, T * Z, ...]
    history = HistoryFeatures(recent, stack_features(machine.rules, kinds, values))
    scores = parser.score(memory, history, by_example(tree.utterance))
    token = by_example(tree.token)  # −1 behind the end
    log_probs = tf.gather(scores.log_probs, tf.maximum(token, 0), batch_dims=2)
    log_probs = tf.where(token >= 0, log_probs, 0.0)
    shape = tf.shape(tree.token)  # [T, B, Z]
    return tf.reduce_sum(tf.reshape(log_probs, [shape[1], shape[0], shape[2]]), axis=1)
