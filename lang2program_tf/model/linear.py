"""A linear layer whose weights other layers may fold into theirs."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from lang2program_tf.model.initial_values import InitialValues


class Linear(tf.keras.layers.Layer):
    """x ↦ x · kernel + bias for x [R, inputs].

    Attributes:
        kernel: [inputs, outputs], starts Glorot uniform.
        bias: [outputs], starts at zero.
    """

    def __init__(self, inputs: int, *, outputs: int, initial: InitialValues) -> None:
        super().__init__()
        self.kernel = tf.Variable(initial.glorot_uniform(inputs, outputs), name="kernel")
        self.bias = tf.Variable(np.zeros([outputs], np.float32), name="bias")

    def call(self, x: tf.Tensor) -> tf.Tensor:
        return tf.nn.bias_add(tf.matmul(x, self.kernel), self.bias)
