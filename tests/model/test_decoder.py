"""The attention decoder: folded weights give the scores of the plain equations."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from lang2program_tf.word_ids import PADDING
from tests.model import naive
from tests.model.prefixes import PREFIXES, STACKS, UTTERANCE, WORDS, features, scores


@pytest.mark.parametrize("history", [("tokens",), ("stack",), ("tokens", "stack")])
@pytest.mark.parametrize("query_layers", [(128,), (128, 128), (96, 64, 32)])
def test_scores_are_those_of_the_plain_equations(make_parser, history, query_layers):
    parser = make_parser(history=history, query_layers=query_layers)
    found, plain = scores(parser), naive.weights(parser)
    for row, (b, k) in enumerate(np.ndindex(UTTERANCE.shape)):
        parts = {
            "tokens": naive.tokens_history(plain, PREFIXES[row]),
            "stack": naive.stack_history(plain, STACKS[row]) if "stack" in history else None,
        }
        m = UTTERANCE[b, k]
        words = [word for word in WORDS[b, m] if word != PADDING]
        expected = naive.score(plain, words, np.concatenate([parts[part] for part in history]))
        attention = np.zeros(WORDS.shape[1:])
        attention[m, : len(words)] = expected.pop("attention")
        np.testing.assert_allclose(found.attention[b, k], attention, atol=1e-6)
        for name, value in expected.items():
            np.testing.assert_allclose(
                getattr(found, name)[b, k], value, atol=1e-5, err_msg=f"{name} of {b}, {k}"
            )


def test_more_padding_and_more_utterances_change_nothing(make_parser):
    parser = make_parser()
    more = np.full([3, 5, 9], PADDING)
    more[:2, :3, :4] = WORDS
    more[2] = 17
    utterance = np.concatenate([UTTERANCE, UTTERANCE[:1]])
    flat = features()
    wider = tf.nest.map_structure(lambda x: tf.concat([x, x[:1]], axis=0), flat)
    found = parser(tf.constant(more, tf.int32), wider, tf.constant(utterance, tf.int32))
    np.testing.assert_allclose(found.log_probs[:2], scores(parser).log_probs, atol=3e-6)


def test_rows_in_any_order_score_as_in_their_examples(make_parser):
    parser = make_parser()
    memory = parser.read(tf.reshape(tf.constant(WORDS, tf.int32), [1, 6, 4]))
    row = np.add(UTTERANCE, [[0], [3]]).reshape(1, -1)
    order = np.array([3, 1, 7, 0, 2, 6, 5, 4])
    shuffled = tf.nest.map_structure(lambda x: tf.gather(x, order, axis=1), features((1, 8)))
    found = parser.score(memory, shuffled, tf.constant(row[:, order], tf.int32))
    expected = tf.reshape(scores(parser).log_probs, [8, -1])
    np.testing.assert_allclose(found.log_probs[0], tf.gather(expected, order), atol=3e-6)


def test_an_utterance_without_words_has_finite_scores_of_its_own(make_parser):
    parser = make_parser()
    utterance = np.full_like(UTTERANCE, 2)
    found = scores(parser, utterance=utterance)
    assert np.isfinite(found.log_probs).all()
    other = WORDS.copy()
    other[1, :2] = 20  # what the example's other utterances say
    changed = scores(parser, words=other, utterance=utterance)
    np.testing.assert_array_equal(changed.log_probs[1], found.log_probs[1])


def test_utterances_of_which_none_has_words_score_as_they_do_beside_others(make_parser):
    parser = make_parser()
    utterance = np.full_like(UTTERANCE, 2)
    expected = scores(parser, utterance=utterance).log_probs[1]
    found = scores(parser, words=np.full_like(WORDS, PADDING), utterance=utterance).log_probs[1]
    np.testing.assert_allclose(found, expected, atol=3e-6)


def test_probabilities_of_all_tokens_sum_to_one(make_parser):
    found = scores(make_parser())
    np.testing.assert_allclose(tf.reduce_sum(tf.exp(found.log_probs), axis=-1), 1, atol=1e-5)
    np.testing.assert_allclose(tf.reduce_sum(found.attention, axis=[2, 3]), 1, atol=1e-5)


@pytest.mark.parametrize("widths", [(), (128, 0)])
def test_impossible_query_layers_are_refused(make_parser, widths):
    with pytest.raises(ValueError, match="query_layers must be one or more widths, got"):
        make_parser(query_layers=widths)
