"""The utterance encoder: a bidirectional LSTM over fixed word vectors (Section 3, "Encoder")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from lang2program_tf.model.dropout import Dropout
from lang2program_tf.model.initial_values import InitialValues
from lang2program_tf.model.lstm import GATES, NUM_SIGMOIDS, WORDS_AT_ONCE, lstm_states
from lang2program_tf.word_ids import PADDING, UNKNOWN

_RECURRENT_GAIN = 1.1  # of the original's orthogonal initial values


class EncodedUtterances(NamedTuple):
    """N utterances after the encoder. `E` is twice the units of a direction (128).

    Attributes:
        words: [N, W, E] float32, state of each word, forward then backward; zeros at padding.
        mask: [N, W] bool, True at real words.
        summary: [N, E] float32, last forward then first backward state; zeros without any word.
        vectors: [N, W, D] float32, the words themselves; zeros at padding.
    """

    words: tf.Tensor
    mask: tf.Tensor
    summary: tf.Tensor
    vectors: tf.Tensor


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
        self,
        word_vectors: NDArray[np.float32],
        *,
        units: int,
        initial: InitialValues,
        trained_words: Sequence[int] = (),
    ) -> None:
        """Creates the variables.

        Args:
            word_vectors: [words, D], never trained; the row of padding is embedded as zeros.
            units: of one direction.
            initial: where initial values come from.
            trained_words: ids of the words that get a trained vector, zero at first, which is added
                to the fixed one.
        """
        super().__init__()
        vectors = np.array(word_vectors, np.float32)
        if vectors.ndim != 2 or len(vectors) <= PADDING:
            raise ValueError(f"word_vectors must be [words, D], got shape {vectors.shape}")
        vectors[PADDING] = 0
        self.units = units
        self.dimensions = vectors.shape[1]
        self.word_vectors = tf.Variable(vectors, trainable=False, name="word_vectors")
        self.residuals: tf.Variable | None = None
        if trained_words:
            self._residual_rows = np.zeros([len(vectors)], np.int32)  # row 0 is "not trained"
            self._residual_rows[list(trained_words)] = np.arange(1, 1 + len(trained_words))
            self.residuals = tf.Variable(
                np.zeros([len(trained_words), self.dimensions], np.float32), name="residuals"
            )
        with tf.name_scope("forward"):
            self.forward = LSTMWeights(self.dimensions, units=units, initial=initial)
        with tf.name_scope("backward"):
            self.backward = LSTMWeights(self.dimensions, units=units, initial=initial)

    @property
    def width(self) -> int:
        """Width E of a word state and of a summary."""
        return 2 * self.units

    def call(self, words: tf.Tensor, dropout: Dropout | None = None) -> EncodedUtterances:
        """Encodes word ids [N, W] int32; in learning, without what is dropped of each sentence."""
        num_words = tf.shape(words)[1]
        lengths = tf.math.count_nonzero(words != PADDING, axis=1, dtype=tf.int32)  # [N]
        vectors = self._embed(words, dropout)  # [N, W, D]
        spare = -num_words % WORDS_AT_ONCE
        padded = tf.transpose(tf.pad(vectors, [[0, 0], [0, spare], [0, 0]]), [1, 0, 2])
        forward = self._states(self.forward, padded)[:num_words]  # [W, N, units]
        backward = self._states(self.backward, _reversed(padded, lengths))[:num_words]
        backward = _reversed(backward, lengths)
        mask = tf.sequence_mask(lengths, num_words)  # [N, W]
        states = tf.transpose(tf.concat([forward, backward], axis=-1), [1, 0, 2])
        states = tf.where(mask[..., tf.newaxis], states, 0.0)
        last = tf.gather(states, tf.maximum(lengths - 1, 0), axis=1, batch_dims=1)
        summary = tf.concat([last[:, : self.units], states[:, 0, self.units :]], axis=-1)
        return EncodedUtterances(states, mask, summary, vectors)

    def _embed(self, words: tf.Tensor, dropout: Dropout | None) -> tf.Tensor:
        """[N, W, D] the vectors of words [N, W]."""
        if dropout is not None:
            words = dropout.words(words, unknown=UNKNOWN, padding=PADDING)
        vectors = tf.gather(self.word_vectors, words)
        if self.residuals is not None:
            residuals = tf.pad(self.residuals, [[1, 0], [0, 0]])
            vectors += tf.gather(residuals, tf.gather(self._residual_rows, words))
        return vectors if dropout is None else dropout.keep(vectors, "vectors")

    def _states(self, weights: LSTMWeights, vectors: tf.Tensor) -> tf.Tensor:
        """The states [W, N, units] of one direction, for vectors [W, N, D] in its order."""
        # Folds the hard sigmoids' line into weights, so that only its clipping remains.
        scale = tf.repeat([0.2] * NUM_SIGMOIDS + [1.0], self.units)
        shift = tf.repeat([0.5] * NUM_SIGMOIDS + [0.0], self.units)
        shape = tf.shape(vectors)
        flat = tf.reshape(vectors, [-1, self.dimensions])
        inputs = tf.matmul(flat, weights.kernel * scale) + (weights.bias * scale + shift)
        inputs = tf.reshape(inputs, [shape[0], shape[1], len(GATES) * self.units])
        return lstm_states(inputs, weights.recurrent_kernel * scale)


def _reversed(words: tf.Tensor, lengths: tf.Tensor) -> tf.Tensor:
    """[W, N, ...] with the first `lengths` [N] words in reverse order."""
    return tf.reverse_sequence(words, lengths, seq_axis=0, batch_axis=1)
