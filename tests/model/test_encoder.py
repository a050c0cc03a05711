"""The utterance encoder."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from lang2program_tf.model.encoder import UtteranceEncoder
from lang2program_tf.model.initial_values import InitialValues
from lang2program_tf.word_ids import PADDING
from tests.model import naive

UTTERANCES = ([5, 0, 7, 30, 2, 2, 9], [12], [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14])


def padded(utterances, width=None) -> tf.Tensor:
    width = width or max(map(len, utterances))
    return tf.constant([[*u, *[PADDING] * (width - len(u))] for u in utterances], tf.int32)


@pytest.fixture
def encoder(make_parser):
    return make_parser().encoder


def test_states_follow_the_equations(make_parser):
    parser = make_parser()
    # Larger weights, so that some gates are fully open or shut.
    for variable in parser.encoder.trainable_variables:
        variable.assign(3 * variable)
    found = parser.encoder(padded(UTTERANCES))
    for row, utterance in enumerate(UTTERANCES):
        states, summary = naive.encode(naive.weights(parser), utterance)
        np.testing.assert_allclose(found.words[row, : len(utterance)], states, atol=5e-6)
        np.testing.assert_allclose(found.summary[row], summary, atol=5e-6)
        assert not found.words[row, len(utterance) :].numpy().any()
        np.testing.assert_array_equal(
            found.mask[row], np.arange(found.mask.shape[1]) < len(utterance)
        )


def test_states_are_those_of_keras_with_a_mask(encoder, word_vectors):
    words = padded(UTTERANCES)
    found = encoder(words)
    vectors = tf.gather(word_vectors, words)
    for half, weights in enumerate((encoder.forward, encoder.backward)):
        lstm = tf.keras.layers.LSTM(
            64, recurrent_activation="hard_sigmoid", return_sequences=True, go_backwards=half == 1
        )
        lstm.build(vectors.shape)
        ours = (weights.kernel, weights.recurrent_kernel, weights.bias)
        lstm.set_weights([np.concatenate(_keras_gates(v), axis=-1) for v in ours])
        states = lstm(vectors, mask=words != PADDING).numpy()
        states = states[:, ::-1] if half else states
        ours = found.words[..., 64 * half : 64 * (half + 1)].numpy()
        real = found.mask.numpy()
        np.testing.assert_allclose(ours[real], states[real], atol=2e-6)


def _keras_gates(variable) -> list[np.ndarray]:
    i, f, o, c = np.split(variable.numpy(), 4, axis=-1)
    return [i, f, c, o]


@pytest.mark.parametrize("width", [13, 15, 30])
def test_more_padding_changes_nothing(encoder, width):
    short, long = encoder(padded(UTTERANCES)), encoder(padded(UTTERANCES, width))
    np.testing.assert_allclose(long.summary, short.summary, atol=1e-6)
    np.testing.assert_allclose(long.words[:, : short.words.shape[1]], short.words, atol=1e-6)
    assert not long.words[:, short.words.shape[1] :].numpy().any()


def test_other_utterances_change_nothing(encoder):
    together = encoder(padded(UTTERANCES))
    for row, utterance in enumerate(UTTERANCES):
        alone = encoder(padded([utterance]))
        np.testing.assert_allclose(together.summary[row], alone.summary[0], atol=1e-6)


def test_an_utterance_without_words_is_zero(encoder):
    found = encoder(padded([[], [5, 6]]))
    assert not found.words[0].numpy().any() and not found.summary[0].numpy().any()
    assert found.summary[1].numpy().any()


def test_one_trace_serves_all_shapes(encoder):
    encode = tf.function(encoder, input_signature=[tf.TensorSpec([None, None], tf.int32)])
    for utterances in (UTTERANCES, [[3, 4]]):
        words = padded(utterances)
        np.testing.assert_allclose(encode(words).words, encoder(words).words, atol=1e-6)
    assert encode.experimental_get_tracing_count() == 1


def test_each_gate_is_drawn_for_itself_and_remembers_at_first(word_vectors):
    encoder = UtteranceEncoder(word_vectors, units=64, initial=InitialValues(0))
    for weights in (encoder.forward, encoder.backward):
        for gate in np.split(weights.recurrent_kernel.numpy(), 4, axis=1):
            np.testing.assert_allclose(gate @ gate.T, 1.1**2 * np.eye(64), atol=1e-5)
        limit = np.sqrt(6 / (100 + 64))
        for gate in np.split(weights.kernel.numpy(), 4, axis=1):
            assert 0.98 * limit < np.abs(gate).max() <= limit
        np.testing.assert_array_equal(weights.bias, [0] * 64 + [1] * 64 + [0] * 128)


def test_word_vectors_are_not_trained_and_padding_is_zero(encoder, word_vectors):
    assert "word_vectors" not in {v.name.split("/")[-1] for v in encoder.trainable_variables}
    kept = np.delete(np.arange(len(word_vectors)), PADDING)
    np.testing.assert_array_equal(encoder.word_vectors.numpy()[kept], word_vectors[kept])
    assert not encoder.word_vectors[PADDING].numpy().any()


def test_word_vectors_of_another_rank_are_refused():
    with pytest.raises(ValueError, match=r"word_vectors must be \[words, D\], got shape \(3,\)"):
        UtteranceEncoder(np.zeros(3, np.float32), units=4, initial=InitialValues(0))
