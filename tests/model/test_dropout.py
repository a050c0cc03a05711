"""Dropout: by chance, but by seed."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from lang2program_tf.model.dropout import Dropout

UNKNOWN, PADDING = 0, 1


def dropout(rate: float = 0.25, *, word_rate: float = 0.25, seed: int = 4) -> Dropout:
    return Dropout(rate, word_rate=word_rate, seed=tf.constant([seed, 9]))


def test_a_share_of_the_numbers_is_dropped_and_the_others_make_up_for_it():
    found = dropout()(tf.ones([100, 100])).numpy()
    assert abs((found == 0).mean() - 0.25) < 0.02
    np.testing.assert_allclose(found[found > 0], 1 / 0.75, rtol=1e-6)


def test_every_call_draws_anew_and_the_seed_decides_all():
    one, same, other = dropout(), dropout(), dropout(seed=5)
    values = tf.ones([50])
    first, second = one(values).numpy(), one(values).numpy()
    assert (first != second).any()
    assert (first != other(values).numpy()).any()
    np.testing.assert_array_equal(first, same(values))
    np.testing.assert_array_equal(second, same(values))


def test_words_become_unknown_but_padding_stays():
    ids = tf.constant(np.where(np.arange(4000) % 2, 7, PADDING)[np.newaxis])
    found = dropout().words(ids, unknown=UNKNOWN, padding=PADDING).numpy()[0]
    assert (found[::2] == PADDING).all()
    assert set(found[1::2]) == {7, UNKNOWN}
    assert abs((found[1::2] == UNKNOWN).mean() - 0.25) < 0.03


def test_rates_of_nothing_change_nothing_and_draw_nothing():
    values, ids = tf.range(1.0, 10.0), tf.constant([[5, 6]])
    found = dropout(0.0, word_rate=0.0)
    np.testing.assert_array_equal(found(values), values)
    np.testing.assert_array_equal(found.words(ids, unknown=UNKNOWN, padding=PADDING), ids)
    # So the next draw of one with a rate is its first.
    mixed, first = dropout(0.25, word_rate=0.0), dropout(0.25)
    mixed.words(ids, unknown=UNKNOWN, padding=PADDING)
    np.testing.assert_array_equal(mixed(values), first(values))
