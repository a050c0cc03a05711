"""Runs recorded gradient weights, `softmax_alpha_beta` and `caseweights.*`, through our rules."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from lang2program_tf.errors import UserError
from lang2program_tf.learning.weights import GradientWeights, Meritocratic, Reinforce
from lang2program_tf.log_probs import NEVER
from lang2program_tf.parity.recordings import Record


class WeighedPrograms(NamedTuple):
    """The programs of one example, and the weights that the original gave them.

    Attributes:
        number: of the record, from 1.
        log_probs: as the original's rule saw them.
        rewarded: whether each leads to the target.
        weights: of each.
    """

    number: int
    log_probs: Sequence[float]
    rewarded: Sequence[bool]
    weights: Sequence[float]


class ComparedWeights(NamedTuple):
    """The weights of the programs of one example, side by side.

    Attributes:
        expected: n weights, the original's.
        found: [n] float32, ours.
    """

    expected: Sequence[float]
    found: NDArray[np.float32]


def softmax_rules(records: Sequence[Record]) -> dict[str, list[WeighedPrograms]]:
    """The records of `softmax_alpha_beta` by rule."""
    rules = defaultdict(list)
    for number, record in enumerate(records, start=1):
        rewarded = [log_prob is not None for log_prob in record["log_probs"]]
        log_probs = [NEVER if value is None else value for value in record["log_probs"]]
        name = f"mml alpha={record['alpha']} beta={record['beta']}"
        rules[name].append(WeighedPrograms(number, log_probs, rewarded, record["weights"]))
    return dict(rules)


def case_rules(records: Sequence[Record]) -> dict[str, list[WeighedPrograms]]:
    """The records of a `caseweights.*` by rule."""
    rules = defaultdict(list)
    for number, record in enumerate(records, start=1):
        seen, correct = record["log_prob_seen_by_weighter"], record["correct"]
        for name, weights in record["weights"].items():
            rules[name].append(WeighedPrograms(number, seen, correct, weights))
    return dict(rules)


def rule_named(name: str) -> GradientWeights:
    """Our rule for a recorded name such as `mml alpha=1 beta=0.25`."""
    kind, *settings = name.split(" ")
    try:
        values = {key: float(value) for key, value in (text.split("=") for text in settings)}
        if kind == "mml":
            return Meritocratic(values.pop("beta"), **values)
        if kind == "reinforce":
            return Reinforce(values.pop("constant_value"), **values)
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"recorded rule {name!r} is not understood ({error!r})") from error
    raise UserError(f"recorded rule {name!r} is neither mml nor reinforce")


def compare_weights(name: str, examples: Sequence[WeighedPrograms]) -> list[ComparedWeights]:
    """Weighs the programs of all examples in one batch, by the rule of a recorded name."""
    most = max(len(example.log_probs) for example in examples)
    log_probs = np.full([len(examples), most], NEVER, np.float32)
    rewarded = np.zeros([len(examples), most], np.bool_)
    for row, example in enumerate(examples):
        log_probs[row, : len(example.log_probs)] = example.log_probs
        rewarded[row, : len(example.log_probs)] = example.rewarded
    step = tf.constant(0, tf.int64)
    weights = rule_named(name).weigh(tf.constant(log_probs), tf.constant(rewarded), step).numpy()
    return [
        ComparedWeights(example.weights, row[: len(example.log_probs)])
        for row, example in zip(weights, examples)
    ]
