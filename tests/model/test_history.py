"""Execution histories: with the identity above them they are the paper's plain embeddings."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from lang2program_tf.language import get_domain
from lang2program_tf.language.alchemy import Beaker
from lang2program_tf.language.scene import Person
from lang2program_tf.language.tangrams import Tangram
from lang2program_tf.language.values import Color, Fraction, ObjectList
from lang2program_tf.machine.features import HistoryFeatures
from lang2program_tf.machine.plain_features import plain_stack_features, plain_tokens_features
from tests.model import naive

PREFIXES = [[], [3], [0, 1, 2, 3], [4, 3, 2, 1, 0, 5]]
STACKS = {
    "alchemy": [
        [],
        [Fraction("1/1")],
        [7, Beaker(2, "gr"), ObjectList(Beaker(i, "yy") for i in range(1, 8))],
    ],
    "scene": [
        [-1, Color("e")],
        [Person(0, "r", "e", 3), ObjectList()],
        [ObjectList(Person(i, "g", "b", i) for i in range(1, 11)), 10, Person(4, "r", "y", 1)],
    ],
    "tangrams": [
        [1],
        [Tangram(0, "3")],
        [ObjectList([Tangram(1, "4"), Tangram(2, "0")]), 2, Tangram(2, "0")],
    ],
}


def test_tokens_are_embedded_side_by_side(make_parser):
    parser = make_parser(history=("tokens",))
    part = parser.tokens_history
    found = part.embed(plain_tokens_features(PREFIXES), part.prepare(tf.eye(part.width)))
    expected = [naive.tokens_history(naive.weights(parser), prefix) for prefix in PREFIXES]
    np.testing.assert_allclose(found, expected, atol=1e-6)


@pytest.mark.parametrize("name", sorted(STACKS))
def test_stacks_are_embedded_slot_by_slot(make_parser, name):
    parser = make_parser(name, history=("stack",))
    part = parser.stack_history
    features = plain_stack_features(get_domain(name), STACKS[name])
    found = part.embed(features, part.prepare(tf.eye(part.width)))
    expected = [naive.stack_history(naive.weights(parser), stack) for stack in STACKS[name]]
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_leading_dimensions_stay(make_parser):
    parser = make_parser()
    tokens, stack = parser.tokens_history, parser.stack_history
    features = plain_stack_features(get_domain("scene"), STACKS["scene"] + [[]])
    kernel = tf.random.stateless_normal([tokens.width, 8], seed=[1, 2])
    flat = tokens.embed(plain_tokens_features(PREFIXES), tokens.prepare(kernel))
    square = tf.reshape(plain_tokens_features(PREFIXES), [2, 2, 4])
    np.testing.assert_array_equal(
        tokens.embed(square, tokens.prepare(kernel)), tf.reshape(flat, [2, 2, 8])
    )
    kernel = kernel[: stack.width]
    flat = stack.embed(features, stack.prepare(kernel))
    square = tf.nest.map_structure(lambda x: tf.reshape(x, [2, 2, *x.shape[1:]]), features)
    np.testing.assert_array_equal(
        stack.embed(square, stack.prepare(kernel)), tf.reshape(flat, [2, 2, 8])
    )


def test_an_empty_list_is_the_bias_and_an_empty_slot_nothing(make_parser):
    part = make_parser(history=("stack",)).stack_history
    features = plain_stack_features(get_domain("scene"), [[ObjectList()]])
    found = part.embed(features, part.prepare(tf.eye(part.width)))[0]
    np.testing.assert_array_equal(found[: 2 * part.dimensions], np.zeros(2 * part.dimensions))
    np.testing.assert_array_equal(found[2 * part.dimensions :], part.objects.bias)


def test_gradients_pass_through_the_preparation(make_parser):
    parser = make_parser("scene")
    history = HistoryFeatures(
        plain_tokens_features(PREFIXES[:3]),
        plain_stack_features(get_domain("scene"), STACKS["scene"]),
    )
    kernel = tf.random.stateless_normal([parser.decoder.history_width, 8], seed=[3, 4])
    with tf.GradientTape() as tape:
        tape.watch(kernel)
        embedded = parser.embed_history(parser.history_tables(kernel), history)
    found = tape.gradient(embedded, [parser.token_embeddings, kernel])

    plain = naive.weights(parser)
    embeddings = [
        np.concatenate([naive.tokens_history(plain, prefix), naive.stack_history(plain, stack)])
        for prefix, stack in zip(PREFIXES, STACKS["scene"])
    ]
    np.testing.assert_allclose(found[1], np.tile([sum(embeddings)], [8, 1]).T, atol=1e-4)
    columns = tf.reshape(tf.reduce_sum(kernel, axis=1)[: parser.tokens_history.width], [4, -1])
    expected = np.zeros(parser.token_embeddings.shape)
    for column in range(4):
        for token in history.tokens.numpy()[:, column]:
            if token >= 0:
                expected[token] += columns[column]
    np.testing.assert_allclose(found[0], expected, atol=1e-4)
