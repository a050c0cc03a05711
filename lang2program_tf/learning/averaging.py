"""The moving average of weights: that of tensorflow-addons, or the same where there is none.

tensorflow-addons ends with TensorFlow 2.15. The names in checkpoints and the numbers are the same,
so that a run may go on with either.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import tensorflow as tf

from lang2program_tf.legacy_keras import Optimizer


class WeightAverage(Optimizer):
    """An optimizer around another one, which keeps the average of each weight in a slot.

    After `n` updates the average moves by 1 − min(decay, (1 + n) / (10 + n)) of the way to the
    weight, so that young averages forget faster.
    """

    def __init__(self, optimizer: Optimizer, *, average_decay: float) -> None:
        super().__init__("MovingAverage")
        self._optimizer = optimizer
        self._track_trackable(optimizer, "awg_optimizer")
        self._average_decay = average_decay

    def apply_gradients(
        self, grads_and_vars: Iterable[tuple[tf.Tensor, tf.Variable]], *args: Any, **options: Any
    ) -> tf.Operation | None:
        """Changes the weights by the inner optimizer, then their averages."""
        self._optimizer._iterations = self.iterations  # the two count together
        return super().apply_gradients(grads_and_vars, *args, **options)

    def assign_average_vars(self, variables: Sequence[tf.Variable]) -> None:
        """Gives the variables the values of their averages."""
        for variable in variables:
            variable.assign(self.get_slot(variable, "average"))

    def _create_slots(self, var_list: Sequence[tf.Variable]) -> None:
        self._optimizer._create_slots(var_list=var_list)
        for variable in var_list:
            self.add_slot(variable, "average", variable.read_value())

    def _create_hypers(self) -> None:
        self._optimizer._create_hypers()

    def _prepare_local(self, var_device: str, var_dtype: tf.DType, apply_state: Any) -> None:
        self._optimizer._prepare_local(var_device, var_dtype, apply_state)

    def _resource_apply_dense(
        self, grad: tf.Tensor, var: tf.Variable, apply_state: dict[Any, Any] | None = None
    ) -> tf.Operation:
        trained = self._optimizer._resource_apply_dense(grad, var, apply_state=apply_state)
        with tf.control_dependencies([trained]):
            return tf.group(trained, self._move(var))

    def _resource_apply_sparse_duplicate_indices(
        self,
        grad: tf.Tensor,
        var: tf.Variable,
        indices: tf.Tensor,
        apply_state: dict[Any, Any] | None = None,
    ) -> tf.Operation:
        trained = self._optimizer._resource_apply_sparse_duplicate_indices(
            grad, var, indices, apply_state=apply_state
        )
        with tf.control_dependencies([trained]):
            return tf.group(trained, self._move(var))

    def _move(self, variable: tf.Variable) -> tf.Operation:
        step = tf.cast(self.iterations, tf.float32)
        decay = tf.minimum(self._average_decay, (1.0 + step) / (10.0 + step))
        average = self.get_slot(variable, "average")
        return average.assign_sub((average - variable.read_value()) * (1.0 - decay))


if tf.__version__.startswith("2.15."):
    from tensorflow_addons.optimizers import MovingAverage

    _AVERAGES: tuple[type[Optimizer], ...] = (MovingAverage,)
else:
    _AVERAGES = (WeightAverage,)


def with_average(optimizer: Optimizer, *, average_decay: float) -> Optimizer:
    """The optimizer, with an average of the weights kept beside it."""
    if (WeightAverage,) == _AVERAGES:
        return WeightAverage(optimizer, average_decay=average_decay)
    return MovingAverage(optimizer, average_decay=average_decay, dynamic_decay=True)


def keeps_average(optimizer: Optimizer) -> bool:
    """Whether the optimizer is one that `with_average` made."""
    return isinstance(optimizer, _AVERAGES)
