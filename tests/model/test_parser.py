"""The parser as a whole: variables, gradients, graphs, checkpoints."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

import gin
from lang2program_tf.language import get_domain
from lang2program_tf.machine.features import HistoryFeatures
from lang2program_tf.model import Parser
from tests.model.prefixes import UTTERANCE, WORDS, features, scores


def names(parser) -> list[str]:
    return [variable.name.split(":")[0] for variable in parser.trainable_variables]


def test_variables_have_readable_and_different_names(make_parser):
    found = names(make_parser())
    assert len(set(found)) == len(found) == 20
    assert {
        "token_embeddings",
        "primitive_embeddings",
        "encoder/forward/kernel",
        "encoder/backward/recurrent_kernel",
        "stack_history/objects/kernel",
        "decoder/query_0/kernel",
        "decoder/attention/bias",
        "decoder/context_scorer/kernel",
    } <= set(found)


def test_a_tokens_parser_has_no_primitives(make_parser):
    assert not any(
        "primitive" in name or "stack" in name for name in names(make_parser(history=("tokens",)))
    )


@pytest.mark.parametrize("name", ["alchemy", "scene", "tangrams"])
def test_tables_have_a_row_for_every_token_and_primitive(make_parser, name):
    parser = make_parser(name)
    assert parser.token_embeddings.shape == (len(get_domain(name).tokens), 150)
    assert parser.primitive_embeddings.shape == (28, 32)


def test_tables_start_with_the_statistics_of_the_word_vectors(make_parser, word_vectors):
    parser = make_parser()
    for table in (parser.token_embeddings, parser.primitive_embeddings):
        assert abs(table.numpy().mean() - word_vectors.mean()) < 0.05
        assert abs(table.numpy().std() - word_vectors.std()) < 0.03


def test_dense_layers_start_glorot_uniform_without_bias(word_vectors):
    parser = Parser(get_domain("scene"), word_vectors=word_vectors, history=("tokens", "stack"))
    decoder = parser.decoder
    layers = [*decoder.query_layers, decoder.attention, decoder.query_scorer]
    for layer in [*layers, decoder.context_scorer, parser.stack_history.objects]:
        limit = np.sqrt(6 / sum(layer.kernel.shape))
        assert 0.98 * limit < np.abs(layer.kernel).max() <= limit
        assert not layer.bias.numpy().any()


def test_the_seed_decides_all_initial_values(make_parser):
    first, again, other = make_parser(seed=3), make_parser(seed=3), make_parser(seed=4)
    for a, b, c in zip(*(p.trainable_variables for p in (first, again, other))):
        np.testing.assert_array_equal(a, b)
        if not a.name.endswith("bias:0"):
            assert not np.array_equal(a, c), a.name


@pytest.mark.parametrize("history", [("tokens",), ("stack",), ("tokens", "stack")])
def test_gradients_reach_every_variable(make_parser, history):
    parser = make_parser(history=history)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(scores(parser).log_probs[..., 3])
    for variable, gradient in zip(
        parser.trainable_variables, tape.gradient(loss, parser.trainable_variables)
    ):
        assert gradient is not None and np.abs(gradient).max() > 0, variable.name


@pytest.mark.slow
def test_gradients_are_those_of_small_changes(make_parser):
    parser = make_parser()

    def loss() -> tf.Tensor:
        return tf.reduce_sum(scores(parser).log_probs[..., 3])

    with tf.GradientTape() as tape:
        value = loss()
    gradients = tape.gradient(value, parser.trainable_variables)
    random = np.random.default_rng(5)
    for variable, gradient in zip(parser.trainable_variables, gradients):
        before = variable.numpy()
        direction = np.sign(gradient) * random.uniform(0.5, 1, before.shape)
        step = 2e-2 / np.abs(direction * gradient).sum()
        changes = []
        for sign in (1, -1):
            variable.assign((before + sign * step * direction).astype(np.float32))
            changes.append(float(loss()))
        variable.assign(before)
        assert abs((changes[0] - changes[1]) / 0.04 - 1) < 0.05, variable.name


@pytest.mark.slow
def test_one_trace_serves_all_shapes(make_parser):
    parser = make_parser()

    signature = [
        tf.TensorSpec([None, None, None], tf.int32),
        tf.nest.map_structure(
            lambda x: tf.TensorSpec([None, None, *x.shape[2:]], x.dtype), features()
        ),
        tf.TensorSpec([None, None], tf.int32),
    ]
    graph = tf.function(parser.call, input_signature=signature)
    for b, k, w in ((2, 4, 4), (1, 2, 3)):
        words = tf.constant(WORDS[:b, :, :w], tf.int32)
        utterance = tf.constant(UTTERANCE[:b, :k], tf.int32)
        history = tf.nest.map_structure(lambda x: x[:b, :k], features())  # noqa: B023
        np.testing.assert_allclose(
            graph(words, history, utterance).log_probs,
            parser(words, history, utterance).log_probs,
            atol=3e-6,
        )
    assert graph.experimental_get_tracing_count() == 1


def test_a_checkpoint_restores_the_scores(make_parser, tmp_path):
    parser, other = make_parser(seed=1), make_parser(seed=2)
    path = tf.train.Checkpoint(parser=parser).write(str(tmp_path / "weights"))
    assert not np.allclose(scores(parser).log_probs, scores(other).log_probs)
    tf.train.Checkpoint(parser=other).read(path).assert_consumed()
    np.testing.assert_array_equal(scores(parser).log_probs, scores(other).log_probs)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_variable_that_is_not_finite_is_named(make_parser, value):
    parser = make_parser()
    assert parser.first_non_finite_variable() is None
    bias = parser.decoder.attention.bias
    bias.assign(tf.tensor_scatter_nd_update(bias, [[3]], [value]))
    assert parser.first_non_finite_variable() == "decoder/attention/bias"


def test_a_missing_history_is_named(make_parser):
    parser = make_parser()
    history = HistoryFeatures(tokens=features().tokens)
    with pytest.raises(ValueError, match="history.stack is None"):
        parser(tf.constant(WORDS, tf.int32), history, tf.constant(UTTERANCE, tf.int32))


@pytest.mark.parametrize("history", [(), ("stack", "tokens"), ("world",)])
def test_histories_that_do_not_exist_are_refused(make_parser, history):
    with pytest.raises(ValueError, match="history must be"):
        make_parser(history=history)


def test_gin_chooses_history_and_layers(word_vectors):
    try:
        gin.parse_config("Parser.history = ('stack',)\nParser.query_layers = (64,)")
        parser = Parser(get_domain("tangrams"), word_vectors=word_vectors)
    finally:
        gin.clear_config()
    assert parser.tokens_history is None
    assert [layer.bias.shape[0] for layer in parser.decoder.query_layers] == [64]
