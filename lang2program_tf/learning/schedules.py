"""Values that change with the training step, for ε and β."""

from __future__ import annotations

import tensorflow as tf

import gin


@gin.configurable
class LinearSchedule:
    """Waits at `start` for `wait` steps, then goes straight to `end` in `steps` steps and stays.

    With `steps` 1 it is a jump: β = 0 for an epoch, then β = 1.
    """

    def __init__(
        self,
        *,
        start: float = gin.REQUIRED,
        end: float = gin.REQUIRED,
        steps: int = gin.REQUIRED,
        wait: int = 0,
    ) -> None:
        if steps < 1:
            raise ValueError(f"steps={steps} must be 1 or more")
        if wait < 0:
            raise ValueError(f"wait={wait} must be 0 or more")
        self.start, self.end, self.steps, self.wait = start, end, steps, wait

    def __call__(self, step: tf.Tensor) -> tf.Tensor:
        """The value at a step: float32 scalar."""
        done = tf.clip_by_value((tf.cast(step, tf.float32) - self.wait) / self.steps, 0.0, 1.0)
        return self.start + (self.end - self.start) * done
