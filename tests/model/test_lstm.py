"""The gradient of the LSTM, which is written out by hand."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from lang2program_tf.model.lstm import lstm_states

UNITS = 6


def plain_states(inputs: tf.Tensor, kernel: tf.Tensor) -> tf.Tensor:
    """The same states word by word, for TensorFlow to derive."""
    state = cell = tf.zeros([inputs.shape[1], UNITS])
    states = []
    for word in tf.unstack(inputs):
        i, f, o, c = tf.split(word + state @ kernel, 4, axis=-1)
        cell = tf.clip_by_value(f, 0, 1) * cell + tf.clip_by_value(i, 0, 1) * tf.tanh(c)
        state = tf.clip_by_value(o, 0, 1) * tf.tanh(cell)
        states.append(state)
    return tf.stack(states)


@pytest.mark.parametrize("words, scale", [(5, 0.3), (15, 0.3), (15, 2.0)])
def test_the_gradient_is_the_one_that_tensorflow_derives(words, scale):
    """With scale 2 most gates are fully open or shut, and let no gradient through."""
    draw = np.random.default_rng(0).normal
    inputs = tf.constant(draw(size=[words, 3, 4 * UNITS], scale=scale) + 0.4, tf.float32)
    kernel = tf.constant(draw(size=[UNITS, 4 * UNITS], scale=scale), tf.float32)
    by_states = tf.constant(draw(size=[words, 3, UNITS]), tf.float32)

    def states_and_gradients(function):
        with tf.GradientTape() as tape:
            tape.watch([inputs, kernel])
            states = function(inputs, kernel)
        return [states, *tape.gradient(states, [inputs, kernel], by_states)]

    found = tf.function(lambda: states_and_gradients(lstm_states), autograph=False)()
    for ours, derived in zip(found, states_and_gradients(plain_states)):
        np.testing.assert_allclose(ours, derived, rtol=1e-4, atol=1e-5)
        assert np.abs(ours).max() > 0.1
