"""Values that change with the training step, for ε and β."""

from __future__ import annotations

import tensorflow as tf

import gin


@gin.configurable
class LinearSchedule:
    """Goes from `start` to `end` in a straight line over the first `steps` steps, then stays."""

    def __init__(
        self,
        *,
        start: float = gin.REQUIRED,
        end: float = gin.REQUIRED,
        steps: int = gin.REQUIRED,
    ) -> None:
        if steps < 1:
            raise ValueError(f"steps={steps} must be 1 or more")
        self.start, self.end, self.steps = start, end, steps

    def __call__(self, step: tf.Tensor) -> tf.Tensor:
        """The value at a step: float32 scalar."""
        done = tf.minimum(tf.cast(step, tf.float32) / self.steps, 1.0)
        return self.start + (self.end - self.start) * done
