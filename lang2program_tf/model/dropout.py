"""Dropout whose draws depend on a seed alone, so that a resumed run draws the same."""

from __future__ import annotations

import tensorflow as tf


class Dropout:
    """Sets numbers to zero at random and scales up the others; every call draws anew.

    One object serves one step of learning. A rate of 0 changes nothing and draws nothing.
    """

    def __init__(self, rate: float, *, word_rate: float, seed: tf.Tensor) -> None:
        """Binds the rates.

        Args:
            rate: share of numbers that are dropped.
            word_rate: share of words that are taken for unknown ones.
            seed: [2] int32, another one at every step.
        """
        self._rate = rate
        self._word_rate = word_rate
        self._seed = seed
        self._calls = 0

    def __call__(self, values: tf.Tensor) -> tf.Tensor:
        """`values` with some of them dropped."""
        if self._rate == 0:
            return values
        return tf.nn.experimental.stateless_dropout(values, rate=self._rate, seed=self._next())

    def words(self, ids: tf.Tensor, *, unknown: int, padding: int) -> tf.Tensor:
        """Word ids of which some have become unknown; padding stays."""
        if self._word_rate == 0:
            return ids
        draws = tf.random.stateless_uniform(tf.shape(ids), seed=self._next())
        return tf.where((draws < self._word_rate) & (ids != padding), unknown, ids)

    def _next(self) -> tf.Tensor:
        self._calls += 1
        return tf.random.experimental.stateless_fold_in(self._seed, self._calls)
