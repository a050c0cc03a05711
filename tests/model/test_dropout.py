"""Dropout: by chance, but by seed and place."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from lang2program_tf.model.dropout import Dropout, DropoutSeed, example_keys, sentence_keys

UNKNOWN, PADDING = 0, 1


def seed(step: int = 4, places: int = 50) -> DropoutSeed:
    return DropoutSeed(tf.constant([step, 9]), tf.range(places))


def dropout(rate: float = 0.25, *, word_rate: float = 0.25, step: int = 4) -> Dropout:
    return Dropout(rate, word_rate, example_keys(seed(step)))


def dropped(step: int = 4, layer: str = "some") -> np.ndarray:
    """[50, 40, 60] bool."""
    return dropout(step=step).keep(tf.ones([50, 40, 60]), layer).numpy() == 0


def test_a_share_of_the_numbers_is_dropped_and_the_others_make_up_for_it():
    for shape in ([50, 200], [50, 40, 60]):
        found = dropout().keep(tf.ones(shape), "some").numpy()
        assert abs((found == 0).mean() - 0.25) < 0.01
        np.testing.assert_allclose(found[found > 0], 1 / 0.75, rtol=1e-6)


def test_what_is_dropped_of_one_number_tells_nothing_of_another():
    """In units of what chance does: with numbers that are independent these are normal draws."""
    off = np.concatenate([dropped(step) for step in range(5)]) - 0.25  # [250, 40, 60]
    unit = 0.25 * 0.75
    rows = off.reshape([-1, 60])
    shares = rows.mean(axis=0) / np.sqrt(unit / len(rows))
    assert np.abs(shares).max() < 4.5
    columns = (rows.T @ rows / (unit * np.sqrt(len(rows))))[np.triu_indices(60, 1)]
    assert np.abs(columns).max() < 5
    assert 0.9 < np.sqrt((columns**2).mean()) < 1.1
    for first, second in ((off[1:], off[:-1]), (off[:, 1:], off[:, :-1])):  # neighbours
        assert abs((first * second).sum() / (unit * np.sqrt(first.size))) < 4
    others = dropped(0, "other") - 0.25
    assert abs((off[:50] * others).sum() / (unit * np.sqrt(others.size))) < 4


def test_the_seed_and_the_layer_decide_all():
    np.testing.assert_array_equal(dropped(), dropped())
    for other in (dropped(step=5), dropped(layer="other")):
        assert abs((dropped() != other).mean() - 2 * 0.25 * 0.75) < 0.01


def test_draws_depend_on_places_and_not_on_who_is_there():
    values = tf.ones([50, 40, 60])
    found = dropout().keep(values, "some").numpy()
    few = Dropout(0.25, 0.25, example_keys(seed()._replace(places=tf.constant([41, 3]))))
    np.testing.assert_array_equal(few.keep(values[:2, :7], "some"), found[[41, 3], :7])
    for rows in (slice(1, 50, 2), tf.range(5)):
        some = dropout().of_examples(rows)
        expected = found[rows if isinstance(rows, slice) else rows.numpy()]
        np.testing.assert_array_equal(some.keep(values[: len(expected)], "some"), expected)


def test_equal_sentences_have_equal_keys_wherever_they_stand():
    words = tf.constant([[5, 6, 7], [6, 5, 7], [5, 6, PADDING], [5, 6, UNKNOWN]])
    keys = sentence_keys(seed(), words, padding=PADDING).numpy()
    assert len(set(keys)) == 4
    wider = tf.pad(words[::-1], [[0, 0], [0, 2]], constant_values=PADDING)
    np.testing.assert_array_equal(sentence_keys(seed(), wider, padding=PADDING), keys[::-1])
    assert (sentence_keys(seed(5), words, padding=PADDING).numpy() != keys).all()


def test_words_become_unknown_but_padding_stays():
    ids = tf.constant(np.where(np.arange(4000) % 2, 7, PADDING).reshape([50, 80]))
    found = dropout().words(ids, unknown=UNKNOWN, padding=PADDING).numpy()
    assert (found[:, ::2] == PADDING).all()
    assert set(found[:, 1::2].ravel()) == {7, UNKNOWN}
    assert abs((found[:, 1::2] == UNKNOWN).mean() - 0.25) < 0.03


def test_rates_of_nothing_change_nothing():
    values, ids = tf.ones([50, 4]), tf.fill([50, 2], 5)
    found = dropout(0.0, word_rate=0.0)
    np.testing.assert_array_equal(found.keep(values, "some"), values)
    np.testing.assert_array_equal(found.words(ids, unknown=UNKNOWN, padding=PADDING), ids)
