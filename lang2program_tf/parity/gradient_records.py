"""Runs the recorded steps `grads.*` and `adamsparse.*` through our gradient and our Adam."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from lang2program_tf.corpus.words import WordVectors
from lang2program_tf.learning.gradient import (
    Decisions,
    DecisionWeights,
    score_decisions,
    weighted_loss,
)
from lang2program_tf.learning.lookup_squares import lookup_squares
from lang2program_tf.learning.optimizers import TableSquares, apply_gradients, original_adam
from lang2program_tf.model import Parser
from lang2program_tf.parity.model_records import scoring_inputs
from lang2program_tf.parity.original_weights import OriginalModel, read_npz
from lang2program_tf.parity.recordings import Record


class Compared(NamedTuple):
    """Arrays of the same shape: the original's and ours."""

    expected: NDArray[np.float32]
    found: NDArray[np.float32]


class Step(NamedTuple):
    """Loss, gradients in the order of the trained variables, and sums of squares of look-ups."""

    loss: tf.Tensor
    gradients: list[tf.Tensor]
    squares: list[TableSquares]


def step_on_cases(
    parser: Parser, model: OriginalModel, cases: Sequence[Record], *, word_vectors: WordVectors
) -> Step:
    """The gradient of recorded cases, each a decision with a weight."""
    domain = model.domain
    word_ids = [
        [word_vectors.lookup(word) for word in case["utterance"]][: domain.max_words]
        for case in cases
    ]
    inputs = scoring_inputs(domain, cases, word_ids)
    tokens = [[domain.token_id(domain.token(case["decision"]))] for case in cases]
    weight = tf.constant([[case["weight"]] for case in cases], tf.float32)
    weights = DecisionWeights(weight, tf.square(weight))
    with tf.GradientTape() as tape:
        memory = parser.read(inputs.words)
        decisions = Decisions(inputs.history, inputs.utterance, tf.constant(tokens))
        scored = score_decisions(parser, memory, decisions)
        loss = weighted_loss(scored, weights)
    *gradients, by_history = tape.gradient(
        loss, [*parser.trainable_variables, scored.scores.history]
    )
    squares = lookup_squares(parser, memory, scored, by_history, weights)
    return Step(loss, [tf.convert_to_tensor(gradient) for gradient in gradients], squares)


def compare_sparse_step(path: Path) -> dict[str, Compared]:
    """The first change of each table of an `adamsparse.*.npz`, from its recorded look-ups."""
    arrays = read_npz(path)
    end = ".delta"
    compared = {}
    for name in sorted(key[: -len(end)] for key in arrays if key.endswith(end)):
        delta = arrays[f"{name}{end}"]
        rows, values = arrays[f"{name}.slice_indices"], arrays[f"{name}.slice_values"]
        table = tf.Variable(tf.zeros_like(delta))
        gradient = tf.math.unsorted_segment_sum(values, rows, len(delta))
        squares = tf.math.unsorted_segment_sum(tf.square(values), rows, len(delta))
        apply_gradients(
            original_adam(), [(gradient, table)], squares=[TableSquares(table, squares)]
        )
        compared[name] = Compared(delta, table.numpy())
    return compared


def first_changes(
    parser: Parser, gradients: Sequence[tf.Tensor], squares: Sequence[TableSquares]
) -> list[NDArray[np.float32]]:
    """What the first step of the original's Adam adds to each trained variable."""
    variables = parser.trainable_variables
    before = [variable.numpy() for variable in variables]
    apply_gradients(original_adam(), zip(gradients, variables), squares=squares)
    return [variable.numpy() - old for variable, old in zip(variables, before)]
