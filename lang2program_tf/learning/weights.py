"""Gradient weights q(z): how much of the gradient each program gets (Sections 3.2 and 4.2)."""

from __future__ import annotations

import abc

import tensorflow as tf

import gin
from lang2program_tf.log_probs import NEVER
from lang2program_tf.search.selection import ValueOrSchedule, value_at


class GradientWeights(abc.ABC):
    """A rule that weighs the complete programs of a search.

    Attributes:
        weighs_all: whether programs without reward get a weight too.
    """

    weighs_all: bool = False

    @property
    def uses_probabilities(self) -> bool:
        """Whether weights depend on log p(z), and so on how it was computed."""
        return False

    @abc.abstractmethod
    def weigh(self, log_probs: tf.Tensor, rewarded: tf.Tensor, step: tf.Tensor) -> tf.Tensor:
        """[B, Z] float32 weights of programs.

        Args:
            log_probs: [B, Z] float32, log p(z), −inf where there is no program.
            rewarded: [B, Z] bool.
            step: training step, for schedules.
        """


@gin.configurable
class Meritocratic(GradientWeights):
    """q_β, the β-meritocratic update; with α the original's family of rules.

    q_β is q_MML^β, renormalised over the rewarded programs: β = 1 is MML, β = 0 gives all rewarded
    programs the same weight. The weights of an example are multiplied by (Σ p R)^(1 − α), so that
    α = 0, β = 1 is q_RL, the gradient of the expected reward.
    """

    def __init__(self, beta: ValueOrSchedule = gin.REQUIRED, *, alpha: float = 1.0) -> None:
        if not callable(beta) and beta < 0:
            raise ValueError(f"beta={beta} must be 0 or more")
        self.beta = beta
        self.alpha = alpha

    @property
    def uses_probabilities(self) -> bool:
        return callable(self.beta) or self.beta != 0 or self.alpha != 1

    def weigh(self, log_probs: tf.Tensor, rewarded: tf.Tensor, step: tf.Tensor) -> tf.Tensor:
        counts = rewarded & (log_probs > NEVER)
        any_counts = tf.reduce_any(counts, axis=-1, keepdims=True)

        def only_counted(values: tf.Tensor) -> tf.Tensor:
            """−inf where nothing counts, but finite numbers, masked later, in rows of nothing."""
            return tf.where(counts, values, tf.where(any_counts, NEVER, 0.0))

        shares = tf.nn.softmax(only_counted(value_at(self.beta, step) * log_probs))
        total = tf.reduce_logsumexp(only_counted(log_probs), axis=-1, keepdims=True)
        return tf.where(counts, shares * tf.exp((1.0 - self.alpha) * total), 0.0)


@gin.configurable
class Reinforce(GradientWeights):
    """REINFORCE: R(z) − c for every sampled program, c a constant baseline.

    R(z) is `correct` for programs that lead to the target, `incorrect` for the others.
    """

    weighs_all = True

    def __init__(
        self, baseline: float = gin.REQUIRED, *, correct: float = 1.0, incorrect: float = 0.0
    ) -> None:
        self.baseline = baseline
        self.correct = correct
        self.incorrect = incorrect

    def weigh(self, log_probs: tf.Tensor, rewarded: tf.Tensor, step: tf.Tensor) -> tf.Tensor:
        del step
        weights = tf.where(rewarded, self.correct, self.incorrect) - self.baseline
        return tf.where(log_probs > NEVER, weights, 0.0)


@gin.configurable
class ReinforceOriginal(Reinforce):
    """REINFORCE as the paper's runs had it: rewards are 1 and −c, and no baseline is subtracted."""

    def __init__(self, baseline: float = gin.REQUIRED) -> None:
        super().__init__(0.0, incorrect=-baseline)
