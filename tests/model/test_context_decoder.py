"""A parser in context: what it sees, what it cannot see, and its equations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from lang2program_tf.language import execute
from lang2program_tf.machine import get_machine
from lang2program_tf.machine.context import context_features
from lang2program_tf.model import Parser
from lang2program_tf.model.attention import Attention
from lang2program_tf.model.context_decoder import CONTEXTS
from lang2program_tf.model.dropout import DropoutSeed
from lang2program_tf.word_ids import PADDING
from tests.model.turns import (
    DOMAIN,
    FIRST,
    PROGRAMS,
    WORDS,
    context_parser,
    histories,
    scores,
    states,
    turns,
)

LAST = 2  # the turn after two commands


@pytest.fixture(scope="module")
def parser() -> Parser:
    """A parser that sees everything."""
    return context_parser()


def changed(what: str) -> tuple[np.ndarray, Any]:
    """Words and turns of which something has changed in the last."""
    words, begins = WORDS.copy(), states()
    if what == "present sentence":
        words[LAST, 2, 0] = 25
    elif what == "earlier sentence":
        words[LAST, 0, 0] = 25
    elif what == "world":
        begins[LAST] = begins[LAST]._replace(
            world=DOMAIN.parse_world(str(begins[LAST].world).replace("7:yy", "7:oo"))
        )
    elif what == "commands":
        other = execute(DOMAIN, FIRST, PROGRAMS[1].split())
        begins[LAST] = begins[LAST]._replace(history=(*other.history, begins[LAST].history[1]))
    return words, turns(begins)


@pytest.mark.parametrize(
    ("context", "matters"),
    [
        (("sentences",), {"present sentence", "earlier sentence"}),
        # What commands have touched is part of how one sees the world.
        (("world",), {"present sentence", "world", "commands"}),
        (("commands",), {"present sentence", "commands"}),
        (CONTEXTS, {"present sentence", "earlier sentence", "world", "commands"}),
    ],
)
def test_what_is_left_out_does_not_matter_and_what_is_seen_does(context, matters):
    parser = context_parser(context)
    before = scores(parser).log_probs.numpy()
    for what in ("present sentence", "earlier sentence", "world", "commands"):
        after = scores(parser, *changed(what)).log_probs.numpy()
        np.testing.assert_allclose(after[:LAST], before[:LAST], atol=1e-6)
        difference = np.abs(after[LAST] - before[LAST]).max()
        assert difference > 1e-4 if what in matters else difference < 1e-6, what


def test_without_any_context_it_is_the_papers_parser():
    papers, other = context_parser(()), context_parser(())
    assert [v.name for v in papers.trainable_variables] == [
        variable.name for variable in other.trainable_variables
    ]
    assert not any("object" in v.name and "decoder" in v.name for v in papers.trainable_variables)
    with_more = scores(papers, dropout_seed=dropout_seed(2))
    alone = other(
        tf.constant(WORDS), histories(), tf.repeat(turns().num_commands[:, tf.newaxis], 3, axis=1)
    )
    with_more = with_more._replace(attention=alone.attention)  # which has another form
    tf.nest.map_structure(np.testing.assert_array_equal, with_more, alone)


def test_later_sentences_and_padding_do_not_matter(parser):
    more = np.full([3, 5, 7], PADDING, np.int32)
    more[:, :3, :3] = WORDS
    more[0, 1:] = 20
    more[1, 2:] = 21
    more[2, 3:] = 22
    expected, found = scores(parser), scores(parser, more)
    np.testing.assert_allclose(found.log_probs, expected.log_probs, atol=2e-6)
    np.testing.assert_allclose(found.attention[:, :, :3, :3], expected.attention, atol=2e-6)
    assert not found.attention[:, :, 3:].numpy().any()


def test_turns_do_not_depend_on_those_beside_them(parser):
    expected = scores(parser).log_probs
    memory = parser.read(tf.constant(WORDS), turns())
    history = tf.nest.map_structure(lambda part: part[LAST:], histories())
    utterance = tf.fill([1, 3], LAST)
    alone = parser.read(tf.constant(WORDS[LAST:]), turns(states()[LAST:]))
    for part in (
        memory.of_examples(slice(LAST, 3)),
        memory.of_examples(tf.constant([LAST])),
        alone,
    ):
        found = parser.score(part, history, utterance).log_probs
        np.testing.assert_allclose(found, expected[LAST:], atol=2e-6)


def test_probabilities_and_attention_sum_to_one(parser):
    found = scores(parser)
    np.testing.assert_allclose(tf.reduce_sum(tf.exp(found.log_probs), axis=-1), 1, atol=1e-5)
    np.testing.assert_allclose(tf.reduce_sum(found.attention, axis=[2, 3]), 1, atol=1e-5)
    assert not found.attention.numpy()[WORDS[:, np.newaxis].repeat(3, 1) == PADDING].any()


def test_a_search_is_told_the_same_as_learning(parser):
    memory = parser.read(tf.constant(WORDS), turns())
    found = parser.log_probs(
        memory,
        parser.begin(memory, 1),
        recent=tf.fill([3, 1, 4], -1),
        utterance=turns().num_commands[:, tf.newaxis],
    )
    np.testing.assert_allclose(found, scores(parser).log_probs[:, :1], atol=2e-6)


def test_gradients_reach_every_variable(parser):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(scores(parser).log_probs[..., 3])
    for variable, gradient in zip(
        parser.trainable_variables, tape.gradient(loss, parser.trainable_variables)
    ):
        assert gradient is not None and np.abs(tf.convert_to_tensor(gradient)).max() > 0, (
            variable.name
        )


def dropout_seed(step: int) -> DropoutSeed:
    return DropoutSeed(tf.constant([1, step]), tf.range(3))


def test_learning_drops_by_seed_and_prediction_drops_nothing():
    parser = context_parser(dropout=0.2, word_dropout=0.2)
    plain = scores(parser).log_probs.numpy()
    first, again, other = (
        scores(parser, dropout_seed=dropout_seed(step)).log_probs.numpy() for step in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, again)
    assert np.abs(first - other).max() > 1e-3
    assert np.abs(first - plain).max() > 1e-3
    np.testing.assert_array_equal(plain, scores(parser).log_probs)


def layer(weights: Any, values: np.ndarray) -> np.ndarray:
    return np.maximum(values @ weights.kernel.numpy() + weights.bias.numpy(), 0)


def reads(attention: Attention, items: np.ndarray, query: np.ndarray) -> np.ndarray:
    """What a query [Q] reads of items [N, I], head by head."""
    if attention.nothing is not None:
        items = np.concatenate([attention.nothing.numpy(), items])
    keys = items @ attention.keys.kernel.numpy() + attention.keys.bias.numpy()
    values = items @ attention.values.kernel.numpy() + attention.values.bias.numpy()
    parts = []
    for q, k, v in zip(
        *(np.split(part, attention.heads, axis=-1) for part in (query, keys, values))
    ):
        shares = np.exp(k @ q / np.sqrt(len(q)))
        parts.append(shares @ v / shares.sum())
    return np.concatenate(parts)


def test_scores_are_those_of_the_plain_equations(parser):
    decoder = parser.decoder
    features = context_features(get_machine(DOMAIN.name).rules, turns())
    found = scores(parser).log_probs.numpy()
    tables = parser.history_tables(tf.eye(decoder.history_width))
    history = parser.embed_history(tables, histories()).numpy()  # [3, R, F]
    for row, count in enumerate(turns().num_commands.numpy()):
        words, summary = [], None
        for number in range(count + 1):
            sentence = [word for word in WORDS[row, number] if word != PADDING]
            encoded = parser.encoder(tf.constant([sentence]))
            known = np.concatenate([encoded.words[0], encoded.vectors[0]], axis=-1)
            age = decoder.ages.numpy()[count - number]
            item = decoder.words_item
            words.append(np.maximum(known @ item.kernel.numpy() + item.bias.numpy() + age, 0))
            summary = encoded.summary[0].numpy()
        for prefix in range(3):
            query = layer(decoder.first, np.concatenate([history[row, prefix], summary]))
            read = reads(decoder.words, np.concatenate(words), query)
            second = layer(decoder.second, np.concatenate([query, read]))
            objects = layer(decoder.object_item, features.objects[row].numpy())
            commands = layer(decoder.command_item, features.commands[row, :count].numpy())
            last = layer(
                decoder.last,
                np.concatenate(
                    [
                        second,
                        read,
                        reads(decoder.objects, objects, second),
                        reads(decoder.commands, commands, second),
                    ]
                ),
            )
            vector = sum(
                part @ scorer.kernel.numpy() + scorer.bias.numpy()
                for part, scorer in ((last, decoder.token_scorer), (read, decoder.word_scorer))
            )
            expected = tf.nn.log_softmax(parser.token_embeddings.numpy() @ vector)
            np.testing.assert_allclose(found[row, prefix], expected, atol=1e-5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"context": ("words",)}, "context must be of"),
        ({"context": (), "dropout": 0.1}, "dropout=0.1 and word_dropout=0.0 want a context"),
        ({"context_heads": 5}, "heads=5 must divide"),
    ],
)
def test_what_cannot_be_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        context_parser(**options)


def test_a_parser_in_context_must_know_where_turns_begin(parser):
    with pytest.raises(ValueError, match="examples=None"):
        parser.read(tf.constant(WORDS))
