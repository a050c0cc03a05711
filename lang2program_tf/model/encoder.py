"""The utterance encoder: a bidirectional LSTM over fixed word vectors (Section 3, "Encoder")."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from lang2program_tf.corpus.words import PADDING
from lang2program_tf.model.initial_values import InitialValues

# Gates of a fused kernel, in column order: the three hard sigmoids side by side, then the tanh.
GATES = ("input", "forget", "output", "cell")
_SIGMOIDS = 3
_RECURRENT_GAIN = 1.1  # of the original's orthogonal initial values
_STEPS_PER_ITERATION = 5


class EncodedUtterances(NamedTuple):
    """N utterances after the encoder. `E` is twice the units of a direction (128).

    Attributes:
      words: [N, W, E] float32, state of each word, forward then backward; zeros at padding.
      mask: [N, W] bool, True at real words.
      summary: [N, E] float32, last forward then first backward state; zeros without any word.
    """

    words: tf.Tensor
    mask: tf.Tensor
    summary: tf.Tensor


class LSTMWeights(tf.keras.layers.Layer):
    """The variables of one direction, gates side by side in the order of GATES.

    Attributes:
      kernel: [D, 4 * units], from the word vector.
      recurrent_kernel: [units, 4 * units], from the state.
      bias: [4 * units].
    """

    def __init__(self, dimensions: int, *, units: int, initial: InitialValues) -> None:
        super().__init__()
        bias = np.zeros([len(GATES), units], np.float32)
        bias[GATES.index("forget")] = 1
        # Each gate is drawn for itself: a fused draw would have another scale.
        kernels = [initial.glorot_uniform(dimensions, units) for _ in GATES]
        recurrent = [initial.orthogonal(units, gain=_RECURRENT_GAIN) for _ in GATES]
        self.kernel = tf.Variable(np.concatenate(kernels, axis=1), name="kernel")
        self.recurrent_kernel = tf.Variable(
            np.concatenate(recurrent, axis=1), name="recurrent_kernel"
        )
        self.bias = tf.Variable(bias.reshape(-1), name="bias")


class UtteranceEncoder(tf.keras.layers.Layer):
    """Reads utterances as word ids [N, W] int32, padding (id 1) only behind the words.

    Gates are hard sigmoids, clip(0.2 x + 0.5, 0, 1). Both directions advance in one loop: their
    states lie side by side and the recurrent kernels on the diagonal of one matrix, which costs
    less than two small products a step. Each direction starts at its first real word and padding
    comes last, so no step needs a mask; what comes out at padding is set to zero.
    """

    def __init__(
        self, word_vectors: NDArray[np.float32], *, units: int, initial: InitialValues
    ) -> None:
        """Creates the variables.

        Args:
          word_vectors: [words, D], never trained; the row of padding is embedded as zeros.
          units: of one direction.
          initial: where initial values come from.
        """
        super().__init__()
        vectors = np.array(word_vectors, np.float32)
        if vectors.ndim != 2 or len(vectors) <= PADDING:
            raise ValueError(f"word_vectors must be [words, D], got shape {vectors.shape}")
        vectors[PADDING] = 0
        self.units = units
        self.dimensions = vectors.shape[1]
        self.word_vectors = tf.Variable(vectors, trainable=False, name="word_vectors")
        with tf.name_scope("forward"):
            self.forward = LSTMWeights(self.dimensions, units=units, initial=initial)
        with tf.name_scope("backward"):
            self.backward = LSTMWeights(self.dimensions, units=units, initial=initial)

    @property
    def width(self) -> int:
        """Width E of a word state and of a summary."""
        return 2 * self.units

    def call(self, words: tf.Tensor) -> EncodedUtterances:
        """Encodes word ids [N, W] int32."""
        num_words = tf.shape(words)[1]
        spare = -num_words % _STEPS_PER_ITERATION
        padded = tf.pad(words, [[0, 0], [0, spare]], constant_values=PADDING)
        lengths = tf.math.count_nonzero(words != PADDING, axis=1, dtype=tf.int32)  # [N]
        states = self._recur(self._inputs(tf.transpose(padded), lengths))[:num_words]
        forward, backward = tf.split(states, 2, axis=-1)  # [W, N, units]
        backward = tf.reverse_sequence(backward, lengths, seq_axis=0, batch_axis=1)
        mask = tf.sequence_mask(lengths, num_words)  # [N, W]
        states = tf.transpose(tf.concat([forward, backward], axis=-1), [1, 0, 2])
        states = tf.where(mask[..., tf.newaxis], states, 0.0)
        last = tf.gather(states, tf.maximum(lengths - 1, 0), axis=1, batch_dims=1)
        summary = tf.concat([last[:, : self.units], states[:, 0, self.units :]], axis=-1)
        return EncodedUtterances(states, mask, summary)

    def _gate_scale(self) -> tf.Tensor:
        """Folds the 0.2 of the hard sigmoids into weights: [4 * units]."""
        return tf.repeat([0.2] * _SIGMOIDS + [1.0], self.units)

    def _inputs(self, words: tf.Tensor, lengths: tf.Tensor) -> tf.Tensor:
        """What the words alone add to the gates, for all steps: [W, N, 4 * E] from [W, N].

        Columns are ordered by gate, then direction; the backward half in order of its steps.
        """
        scale = self._gate_scale()
        shift = tf.repeat([0.5] * _SIGMOIDS + [0.0], self.units)
        reversed_words = tf.reverse_sequence(words, lengths, seq_axis=0, batch_axis=1)
        inputs = []
        for weights, ids in ((self.forward, words), (self.backward, reversed_words)):
            vectors = tf.reshape(tf.gather(self.word_vectors, ids), [-1, self.dimensions])
            product = tf.matmul(vectors, weights.kernel * scale) + (weights.bias * scale + shift)
            inputs.append(tf.reshape(product, [-1, len(GATES), self.units]))
        shape = tf.shape(words)
        return tf.reshape(tf.stack(inputs, axis=2), [shape[0], shape[1], len(GATES) * self.width])

    def _recurrent_kernel(self) -> tf.Tensor:
        """Both recurrent kernels in one: [E, 4 * E], columns as in `_inputs`."""
        scale = self._gate_scale()
        kernels = [
            tf.reshape(weights.recurrent_kernel * scale, [self.units, len(GATES), 1, self.units])
            for weights in (self.forward, self.backward)
        ]
        zeros = tf.zeros_like(kernels[0])
        rows = [tf.concat([kernels[0], zeros], axis=2), tf.concat([zeros, kernels[1]], axis=2)]
        return tf.reshape(tf.concat(rows, axis=0), [self.width, len(GATES) * self.width])

    def _recur(self, inputs: tf.Tensor) -> tf.Tensor:
        """The states [W, N, E] for inputs [W, N, 4 * E]; W must be a multiple of the unrolling.

        Several steps an iteration: a loop has a price by the iteration.
        """
        size = _STEPS_PER_ITERATION
        iterations, rows = tf.shape(inputs)[0] // size, tf.shape(inputs)[1]
        gates = len(GATES) * self.width
        source = tf.TensorArray(tf.float32, iterations, element_shape=[size, None, gates])
        source = source.unstack(tf.reshape(inputs, [iterations, size, rows, gates]))
        kernel = self._recurrent_kernel()

        def advance(
            i: tf.Tensor, state: tf.Tensor, cell: tf.Tensor, states: tf.TensorArray
        ) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor, tf.TensorArray]:
            steps = []
            for step_input in tf.unstack(source.read(i), size):
                state, cell = _lstm_step(step_input + tf.matmul(state, kernel), cell)
                steps.append(state)
            return i + 1, state, cell, states.write(i, tf.stack(steps))

        zeros = tf.zeros([rows, self.width])
        states = tf.TensorArray(tf.float32, iterations, element_shape=[size, None, self.width])
        *_, states = tf.while_loop(
            lambda i, *_: i < iterations,
            advance,
            (0, zeros, zeros, states),
            maximum_iterations=iterations,
        )
        return tf.reshape(states.stack(), [-1, rows, self.width])


def _lstm_step(gates: tf.Tensor, cell: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """One step from the gates' linear parts [N, 4 * E] and the cell [N, E]: new state and cell."""
    width = cell.shape[-1]
    sigmoids, new = tf.split(gates, [_SIGMOIDS * width, width], axis=-1)
    clipped = tf.raw_ops.ClipByValue(t=sigmoids, clip_value_min=0.0, clip_value_max=1.0)
    take, keep, give = tf.split(clipped, _SIGMOIDS, axis=-1)
    cell = keep * cell + take * tf.tanh(new)
    return give * tf.tanh(cell), cell
