"""Optimizers bound by gin: Adam as the original applies it, plain ones, and weight averaging.

All are optimizers of Keras 2, which the averaging of tensorflow-addons wraps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import tensorflow as tf

import gin
from lang2program_tf.learning.averaging import keeps_average, with_average
from lang2program_tf.legacy_keras import SGD, Adam, CosineDecay, LearningRateSchedule, Optimizer


class TableSquares(NamedTuple):
    """Σ g² over single look-ups in a table.

    Attributes:
        table: the variable [V, D].
        squares: [V, D] float32.
    """

    table: tf.Variable
    squares: tf.Tensor


class OriginalAdam(Adam):
    """Adam of TensorFlow 0.12: look-ups are squared one by one.

    In the second moment of a table, the square of the gradient is replaced by the sum of squares of
    its look-ups, as given by `squaring`; everything else is ordinary Adam. So is all of a step with
    more than `most_cases` cases, tokens of programs: their gradient was taken in slices, and of the
    sum of slices no look-ups are known.
    """

    def __init__(self, learning_rate: float, *, epsilon: float, most_cases: int = 5000) -> None:
        super().__init__(learning_rate, epsilon=epsilon, name="OriginalAdam")
        self.most_cases = most_cases
        self._squares: dict[Any, tf.Tensor] = {}
        self._in_slices: tf.Tensor | bool = False

    @contextmanager
    def squaring(
        self, squares: Sequence[TableSquares], *, cases: tf.Tensor | int
    ) -> Iterator[None]:
        """Within it, gradients of so many cases are applied, with these sums of squares."""
        self._squares = {table.ref(): sums for table, sums in squares}
        self._in_slices = cases > self.most_cases
        try:
            yield
        finally:
            self._squares, self._in_slices = {}, False

    def _resource_apply_dense(
        self, grad: tf.Tensor, var: tf.Variable, apply_state: dict[Any, Any] | None = None
    ) -> tf.Operation:
        if var.ref() not in self._squares:
            return super()._resource_apply_dense(grad, var, apply_state)
        place = (var.device, var.dtype.base_dtype)
        numbers = (apply_state or {}).get(place) or self._fallback_apply_state(*place)
        first, second = self.get_slot(var, "m"), self.get_slot(var, "v")
        mean = first * numbers["beta_1_t"] + grad * numbers["one_minus_beta_1_t"]
        squares = tf.where(self._in_slices, tf.square(grad), self._squares[var.ref()])
        mean_square = second * numbers["beta_2_t"] + squares * numbers["one_minus_beta_2_t"]
        change = numbers["lr"] * mean / (tf.sqrt(mean_square) + numbers["epsilon"])
        return tf.group(first.assign(mean), second.assign(mean_square), var.assign_sub(change))


# The rate of adam may be a schedule: warm-up and cosine decay, as Keras has it.
gin.external_configurable(CosineDecay, module="learning")


@gin.configurable
def adam(
    learning_rate: float | LearningRateSchedule = 0.001,
    *,
    beta_2: float = 0.999,
    epsilon: float = 1e-8,
) -> Optimizer:
    """Ordinary Adam, with the epsilon of the original."""
    return Adam(learning_rate, beta_2=beta_2, epsilon=epsilon)


@gin.configurable
def original_adam(
    learning_rate: float = 0.001, *, epsilon: float = 1e-8, most_cases: int = 5000
) -> Optimizer:
    """Adam with the original's rule for embedding tables, see `OriginalAdam`."""
    return OriginalAdam(learning_rate, epsilon=epsilon, most_cases=most_cases)


@gin.configurable
def sgd(learning_rate: float = gin.REQUIRED) -> Optimizer:
    """Stochastic gradient descent."""
    return SGD(learning_rate)


@gin.configurable
def averaged(
    optimizer: Optimizer = gin.REQUIRED, *, average_decay: float = gin.REQUIRED
) -> Optimizer:
    """Keeps a moving average of the weights, with which the parser is evaluated and exported."""
    return with_average(optimizer, average_decay=average_decay)


def without_averaging(optimizer: Optimizer) -> Optimizer:
    """The optimizer inside one that keeps averages, or the optimizer itself."""
    return optimizer._optimizer if keeps_average(optimizer) else optimizer


def lookup_rule(optimizer: Optimizer) -> OriginalAdam | None:
    """The optimizer that wants sums of squares of look-ups, if there is one inside."""
    inner = without_averaging(optimizer)
    return inner if isinstance(inner, OriginalAdam) else None


def apply_gradients(
    optimizer: Optimizer,
    gradients: Iterable[tuple[tf.Tensor, tf.Variable]],
    *,
    squares: Sequence[TableSquares] = (),
    cases: tf.Tensor | int = 0,
) -> None:
    """Changes variables by their gradients.

    Args:
        optimizer: one of this module.
        gradients: and their variables.
        squares: for an optimizer with the look-up rule; others have no use for them.
        cases: of how many tokens of programs the gradient is; for that rule too.
    """
    rule = lookup_rule(optimizer)
    if rule is None:
        optimizer.apply_gradients(gradients)
        return
    with rule.squaring(squares, cases=cases):
        optimizer.apply_gradients(gradients)
