"""What the loop itself must remember, as variables so that checkpoints hold it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import tensorflow as tf

from lang2program_tf.learning.step_metrics import StepMetrics

# These are means over the examples with reward, so steps count by how many such examples they had.
_OF_SOLVED = np.array([name in ("entropy", "effective") for name in StepMetrics._fields])


class MetricMeans(tf.Module):
    """Means of the steps' metrics between two records."""

    def __init__(self) -> None:
        super().__init__(name="metric_means")
        shape = [len(StepMetrics._fields)]
        self._sums = tf.Variable(tf.zeros(shape, tf.float64), name="sums")
        self._weights = tf.Variable(tf.zeros(shape, tf.float64), name="weights")

    def add(self, metrics: Mapping[str, float]) -> None:
        """Counts one step, whose metrics are those of `StepMetrics`."""
        values = np.array([metrics[name] for name in StepMetrics._fields])
        weights = np.where(_OF_SOLVED, metrics["solved"], 1.0)
        self._sums.assign_add(weights * values)
        self._weights.assign_add(weights)

    def take(self) -> dict[str, float]:
        """The means of the steps since the last call."""
        means = tf.math.divide_no_nan(self._sums, self._weights).numpy()
        self._sums.assign(tf.zeros_like(self._sums))
        self._weights.assign(tf.zeros_like(self._weights))
        return dict(zip(StepMetrics._fields, means.tolist()))


class Progress(tf.Module):
    """How far a run has come.

    Attributes:
        best_accuracy: highest validation accuracy so far, −1 before the first.
        best_step: when that was.
        seconds: training time so far.
        means: of the metrics since the last record.
    """

    def __init__(self) -> None:
        super().__init__(name="progress")
        self.best_accuracy = tf.Variable(-1.0, dtype=tf.float64, name="best_accuracy")
        self.best_step = tf.Variable(0, dtype=tf.int64, name="best_step")
        self.seconds = tf.Variable(0.0, dtype=tf.float64, name="seconds")
        self.means = MetricMeans()
