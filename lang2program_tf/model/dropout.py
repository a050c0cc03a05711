"""Dropout whose draws depend on a seed, on an example's place in its batch and on places within it.

A resumed run draws the same, and so do several workers that share a batch: nothing depends on which
examples are looked at together, nor on how many words or decisions the largest of them has.

A row of numbers has a key of 32 bits and a column an odd number that never changes; a number is
dropped if their product modulo 2³² is small. A generator's draws would cost three times as much.
"""

from __future__ import annotations

import zlib
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from lang2program_tf.machine.examples import take

_APART = np.uint32(0x9E3779B9)  # 2³² over the golden ratio: multiples of it are far from each other


class DropoutSeed(NamedTuple):
    """What the draws for B examples depend on.

    Attributes:
        step: [2] int32, another one at every step, the same for all examples of a batch.
        places: [B] int32, where the examples stand in their batch.
    """

    step: tf.Tensor
    places: tf.Tensor


class Dropout(NamedTuple):
    """Sets numbers to zero at random and scales up the others. A rate of 0 changes nothing.

    Attributes:
        rate: share of numbers that are dropped.
        word_rate: share of words that are taken for unknown ones.
        keys: [N] uint32, of what the draws are for: examples or sentences.
    """

    rate: float
    word_rate: float
    keys: tf.Tensor

    def keep(self, values: tf.Tensor, layer: str) -> tf.Tensor:
        """`values` [N, n] or [N, L, n] float32 with some dropped; each layer has its own draws."""
        if self.rate == 0:
            return values
        rows = self.keys if len(values.shape) == 2 else self._rows(tf.shape(values)[1])
        kept = _products(rows, layer, values.shape[-1]) >= _threshold(self.rate)
        return values * (tf.cast(kept, tf.float32) / (1 - self.rate))

    def words(self, ids: tf.Tensor, *, unknown: int, padding: int) -> tf.Tensor:
        """Word ids [N, W] int32 of which some have become unknown; padding stays."""
        if self.word_rate == 0:
            return ids
        products = _products(self._rows(tf.shape(ids)[1]), "words", 1)[..., 0]
        dropped = (products < _threshold(self.word_rate)) & (ids != padding)
        return tf.where(dropped, unknown, ids)

    def of_examples(self, rows: slice | tf.Tensor) -> Dropout:
        """The same for some of the examples."""
        return self._replace(keys=take(self.keys, rows))

    def _rows(self, count: tf.Tensor) -> tf.Tensor:
        """[N, count] uint32, the keys of the first rows of each."""
        return _mixed(self.keys[:, tf.newaxis] + _numbers(count) * _APART)


def example_keys(seed: DropoutSeed) -> tf.Tensor:
    """[B] uint32, keys of examples by their places."""
    return _mixed(_begin(seed)[0] + tf.cast(seed.places, tf.uint32) * _APART)


def sentence_keys(seed: DropoutSeed, words: tf.Tensor, *, padding: int) -> tf.Tensor:
    """[N] uint32, keys of sentences by their words [N, W] int32: examples may share sentences."""
    ids = tf.cast(tf.where(tf.equal(words, padding), 0, words + 1), tf.uint32)
    of_word = _mixed(_numbers(tf.shape(words)[1]) + np.uint32(1))  # [W]
    return _mixed(_begin(seed)[1] + tf.reduce_sum(ids * of_word, axis=1))


def _begin(seed: DropoutSeed) -> tf.Tensor:
    """[2] uint32, where the keys of examples and those of sentences begin."""
    return tf.random.stateless_uniform([2], seed.step, minval=None, maxval=None, dtype=tf.uint32)


def _products(rows: tf.Tensor, layer: str, count: int) -> tf.Tensor:
    """[..., count] uint32, spread evenly, for rows [...] and the columns of a layer."""
    random = np.random.RandomState(zlib.crc32(layer.encode()))
    columns = random.randint(0, 1 << 32, count, dtype=np.uint32) | np.uint32(1)
    return rows[..., tf.newaxis] * columns


def _threshold(rate: float) -> np.uint32:
    return np.uint32(rate * (1 << 32))


def _numbers(count: tf.Tensor) -> tf.Tensor:
    """[count] uint32, from 0."""
    return tf.cast(tf.range(count), tf.uint32)


def _mixed(keys: tf.Tensor) -> tf.Tensor:
    """uint32 of which every bit depends on all bits of `keys` (the last steps of MurmurHash3)."""
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        keys = _folded(keys, shift) * np.uint32(factor)
    return _folded(keys, 16)


def _folded(keys: tf.Tensor, shift: int) -> tf.Tensor:
    return tf.bitwise.bitwise_xor(keys, tf.bitwise.right_shift(keys, np.uint32(shift)))
