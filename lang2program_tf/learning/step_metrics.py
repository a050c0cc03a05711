"""What a step tells: sums over its examples, wherever they were searched, and what they mean."""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf

from lang2program_tf.search import SearchTree


class StepMetrics(NamedTuple):
    """What one step tells; float32 scalars.

    Attributes:
        loss: Σ weight × cross-entropy.
        solved: share of examples with a rewarded program.
        rewarded: rewarded programs an example.
        complete: complete programs an example; recalled ones are all complete.
        reward: Σ p(z) R(z) an example: the expected reward, as far as the search saw.
        entropy: of q, averaged over the examples with reward: does it spread or collapse?
        effective: e^entropy, the effective number of programs, averaged likewise.
        gradient_norm: of all variables together.
        decisions: how many different decisions were learned from.
    """

    loss: tf.Tensor
    solved: tf.Tensor
    rewarded: tf.Tensor
    complete: tf.Tensor
    reward: tf.Tensor
    entropy: tf.Tensor
    effective: tf.Tensor
    gradient_norm: tf.Tensor
    decisions: tf.Tensor


class Totals(NamedTuple):
    """Sums over examples, of which `StepMetrics` are made; float32 scalars.

    Attributes:
        loss: Σ weight × cross-entropy.
        solved: how many have a rewarded program.
        rewarded: rewarded programs.
        complete: complete programs.
        reward: Σ p(z) R(z).
        entropy: of q, of the examples with reward.
        effective: e^entropy, of the same.
        decisions: how many different decisions were learned from.
    """

    loss: tf.Tensor
    solved: tf.Tensor
    rewarded: tf.Tensor
    complete: tf.Tensor
    reward: tf.Tensor
    entropy: tf.Tensor
    effective: tf.Tensor
    decisions: tf.Tensor


class Weighed(NamedTuple):
    """The complete programs of a search, [T, B, K, C] each.

    Attributes:
        log_probs: float32, as the weights see them; −inf where there is no program.
        rewarded: bool.
        weights: float32.
    """

    log_probs: tf.Tensor
    rewarded: tf.Tensor
    weights: tf.Tensor


def totals_of(tree: SearchTree, programs: Weighed, loss: tf.Tensor, counts: tf.Tensor) -> Totals:
    """The sums over the examples of a search.

    Args:
        tree: what was found.
        programs: its complete programs.
        loss: of all examples.
        counts: [B, R] float32, how many programs go through each decision; 0 at padding.
    """
    solved = tf.cast(tree.num_rewarded > 0, tf.float32)  # [B]
    shares = tf.where(programs.rewarded, tf.maximum(programs.weights, 0.0), 0.0)
    shares = tf.math.divide_no_nan(shares, tf.reduce_sum(shares, axis=[0, 2, 3], keepdims=True))
    entropy = -tf.reduce_sum(tf.math.xlogy(shares, shares), axis=[0, 2, 3])  # [B]
    mass = tf.where(programs.rewarded, tf.exp(programs.log_probs), 0.0)
    return Totals(
        loss=loss,
        solved=tf.reduce_sum(solved),
        rewarded=tf.cast(tf.reduce_sum(tree.num_rewarded), tf.float32),
        complete=tf.cast(tf.reduce_sum(tree.num_complete), tf.float32),
        reward=tf.reduce_sum(mass),
        entropy=tf.reduce_sum(entropy * solved),
        effective=tf.reduce_sum(tf.exp(entropy) * solved),
        decisions=tf.math.count_nonzero(counts > 0, dtype=tf.float32),
    )


def step_metrics(totals: Totals, norm: tf.Tensor, num_examples: int | tf.Tensor) -> StepMetrics:
    """The metrics of a step on so many examples, with the norm of its gradient."""
    size = tf.cast(num_examples, tf.float32)
    num_solved = tf.maximum(totals.solved, 1.0)
    return StepMetrics(
        loss=totals.loss,
        solved=totals.solved / size,
        rewarded=totals.rewarded / size,
        complete=totals.complete / size,
        reward=totals.reward / size,
        entropy=totals.entropy / num_solved,
        effective=totals.effective / num_solved,
        gradient_norm=norm,
        decisions=totals.decisions,
    )
