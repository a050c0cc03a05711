"""A learned baseline for REINFORCE: the reward expected from a prefix."""

from __future__ import annotations

import tensorflow as tf

import gin
from lang2program_tf.legacy_keras import Adam


@gin.configurable
class LogisticBaseline(tf.Module):
    """σ(w·q + b) on the decoder's query q, trained by log loss; q itself learns nothing from it."""

    def __init__(self, query_width: int = 128, *, learning_rate: float = 0.001) -> None:
        """Creates the variables; the width is that of the parser's last query layer."""
        super().__init__(name="baseline")
        self.kernel = tf.Variable(tf.zeros([query_width]), name="kernel")
        self.bias = tf.Variable(0.0, name="bias")
        self.optimizer = Adam(learning_rate, epsilon=1e-8)
        self.optimizer._create_all_weights([self.kernel, self.bias])

    def values(self, query: tf.Tensor) -> tf.Tensor:
        """[B, R] expected reward at queries [B, R, H]."""
        return tf.sigmoid(self._logits(tf.stop_gradient(query)))

    def gradients(
        self, query: tf.Tensor, *, rewards: tf.Tensor, counts: tf.Tensor
    ) -> list[tf.Tensor]:
        """Of the log loss, summed over the decisions of all programs.

        Args:
            query: [B, R, H] of decisions.
            rewards: [B, R] Σ of the rewards of the programs through each decision.
            counts: [B, R] how many programs there are through each.
        """
        with tf.GradientTape() as tape:
            logits = self._logits(tf.stop_gradient(query))
            hits = rewards * tf.math.log_sigmoid(logits)
            misses = (counts - rewards) * tf.math.log_sigmoid(-logits)
            loss = -tf.reduce_sum(hits + misses)
        found: list[tf.Tensor] = tape.gradient(loss, [self.kernel, self.bias])
        return found

    def learn(self, gradients: list[tf.Tensor], count: tf.Tensor) -> None:
        """One step, with gradients over so many decisions; they are averaged."""
        mean = [gradient / tf.maximum(count, 1.0) for gradient in gradients]
        self.optimizer.apply_gradients(zip(mean, [self.kernel, self.bias]))

    def _logits(self, query: tf.Tensor) -> tf.Tensor:
        return tf.linalg.matvec(query, self.kernel) + self.bias
