"""The utterance encoder: a bidirectional LSTM over fixed word vectors (Section 3, "Encoder")."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from lang2program_tf.corpus.words import PADDING
from lang2program_tf.model.initial_values import InitialValues
from lang2program_tf.model.lstm import GATES, NUM_SIGMOIDS, WORDS_AT_ONCE, lstm_states

_RECURRENT_GAIN = 1.1  # of the original's orthogonal initial values


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

    Gates are hard sigmoids, clip(0.2 x + 0.5, 0, 1). Each direction starts at its first real word
    and padding comes last, so no step needs a mask; what comes out at padding is set to zero.
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
        spare = -num_words % WORDS_AT_ONCE
        padded = tf.transpose(tf.pad(words, [[0, 0], [0, spare]], constant_values=PADDING))
        lengths = tf.math.count_nonzero(words != PADDING, axis=1, dtype=tf.int32)  # [N]
        forward = self._states(self.forward, padded)[:num_words]  # [W, N, units]
        backward = self._states(self.backward, _reversed(padded, lengths))[:num_words]
        backward = _reversed(backward, lengths)
        mask = tf.sequence_mask(lengths, num_words)  # [N, W]
        states = tf.transpose(tf.concat([forward, backward], axis=-1), [1, 0, 2])
        states = tf.where(mask[..., tf.newaxis], states, 0.0)
        last = tf.gather(states, tf.maximum(lengths - 1, 0), axis=1, batch_dims=1)
        summary = tf.concat([last[:, : self.units], states[:, 0, self.units :]], axis=-1)
        return EncodedUtterances(states, mask, summary)

    def _states(self, weights: LSTMWeights, words: tf.Tensor) -> tf.Tensor:
        """The states [W, N, units] of one direction, for word ids [W, N] in its order."""
        # Folds the hard sigmoids' line into weights, so that only its clipping remains.
        scale = tf.repeat([0.2] * NUM_SIGMOIDS + [1.0], self.units)
        shift = tf.repeat([0.5] * NUM_SIGMOIDS + [0.0], self.units)
        vectors = tf.reshape(tf.gather(self.word_vectors, words), [-1, self.dimensions])
        inputs = tf.matmul(vectors, weights.kernel * scale) + (weights.bias * scale + shift)
        shape = tf.shape(words)
        inputs = tf.reshape(inputs, [shape[0], shape[1], len(GATES) * self.units])
        return lstm_states(inputs, weights.recurrent_kernel * scale)


def _reversed(words: tf.Tensor, lengths: tf.Tensor) -> tf.Tensor:
    """[W, N, ...] with the first `lengths` [N] words in reverse order."""
    return tf.reverse_sequence(words, lengths, seq_axis=0, batch_axis=1)
