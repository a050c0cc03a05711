"""The words of examples one after another, without the padding between their utterances."""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf

from lang2program_tf.machine.examples import take

# What is compiled has room for a multiple of so many words: compiled code is for one shape.
_WORDS_OF_ROOM = 32


class SaidWords(NamedTuple):
    """Which words of the M utterances of W words of each of B examples are read; N at most.

    Attributes:
        place: [B, N] int32, where they stand among all M * W; the words first, then some padding.
        present: [B, N] bool, False at padding.
        num_utterances: scalar int32, M.
        num_words: scalar int32, W.
    """

    place: tf.Tensor
    present: tf.Tensor
    num_utterances: tf.Tensor
    num_words: tf.Tensor

    @property
    def room(self) -> tf.Tensor:
        """Scalar int32, N rounded up to one of few numbers."""
        count = tf.shape(self.place)[1]
        return count + -count % _WORDS_OF_ROOM

    @property
    def utterance(self) -> tf.Tensor:
        """[B, N] int32, the utterances that they belong to."""
        return self.place // self.num_words

    def of_examples(self, rows: slice | tf.Tensor) -> SaidWords:
        """Those of some of the examples."""
        return self._replace(place=take(self.place, rows), present=take(self.present, rows))

    def with_room(self, count: tf.Tensor) -> SaidWords:
        """The same with padding behind, until there are `count`."""
        behind = [[0, 0], [0, count - tf.shape(self.place)[1]]]
        return self._replace(place=tf.pad(self.place, behind), present=tf.pad(self.present, behind))

    def in_place(self, attention: tf.Tensor) -> tf.Tensor:
        """Attention [B, R, N] to them as attention to all words, [B, R, M, W]."""
        everywhere = tf.matmul(
            attention, tf.one_hot(self.place, self.num_utterances * self.num_words)
        )
        shape = tf.shape(attention)
        return tf.reshape(everywhere, [shape[0], shape[1], self.num_utterances, self.num_words])


def said_words(there: tf.Tensor, *, spare: int = 0) -> SaidWords:
    """The words that are True in [B, M, W]; as many as in the example with most, at least one.

    Args:
        there: [B, M, W] bool.
        spare: so many places more, all of them padding.
    """
    shape = tf.shape(there)
    flat = tf.cast(tf.reshape(there, [shape[0], -1]), tf.int32)
    longest = tf.maximum(tf.reduce_max(tf.reduce_sum(flat, axis=1)), 1)
    first = tf.math.top_k(tf.pad(flat, [[0, 0], [0, spare]]), k=longest + spare)
    return SaidWords(
        place=first.indices,  # of equal ones the first come first
        present=first.values > 0,
        num_utterances=shape[1],
        num_words=shape[2],
    )
