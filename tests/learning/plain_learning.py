"""Learning in plain terms: every token of every program is a case of its own.

Programs are replayed with the language in Python, cases share nothing, and every look-up in a table
is a copy of its row, so that it has a gradient of its own. The gradient on the search tree is held
against it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from lang2program_tf.language import Domain, State, step
from lang2program_tf.language.values import Value
from lang2program_tf.machine.features import HistoryFeatures
from lang2program_tf.machine.plain_features import plain_stack_features, plain_tokens_features
from lang2program_tf.machine.primitives import NUM_PRIMITIVES
from lang2program_tf.model import Parser
from lang2program_tf.word_ids import PADDING
from tests.search.reference import Example


class Case(NamedTuple):
    """One decision of one program.

    Attributes:
        words: ids of the words of the utterance it belongs to.
        tokens: the tokens before it.
        stack: the stack before it.
        choice: the token that was chosen.
    """

    words: Sequence[int]
    tokens: Sequence[int]
    stack: Sequence[Value]
    choice: int


class Gradient(NamedTuple):
    """What cases and their weights lead to.

    Attributes:
        loss: Σ weight × cross-entropy.
        by_variable: the gradient of every variable.
        squares: Σ g² over single look-ups in each of the two tables.
    """

    loss: float
    by_variable: dict[str, np.ndarray]
    squares: dict[str, np.ndarray]


def replay(domain: Domain, example: Example, program: Sequence[int]) -> list[Case]:
    """The cases of a program."""
    state, cases = State(example.world), []
    for place, token in enumerate(program):
        utterance = example.utterances[state.utterance]
        cases.append(Case(utterance, program[:place], state.stack, token))
        state = step(domain, state, domain.tokens[token])
    assert state.utterance == len(example.utterances)
    assert not state.stack
    return cases


def score(parser: Parser, domain: Domain, cases: Sequence[Case]) -> tuple[tf.Tensor, tf.Tensor]:
    """Log-probability [N] of each choice, and the decoder's query [N, H]."""
    scores = parser(_words(cases), _history(domain, cases), tf.zeros([len(cases), 1], tf.int32))
    log_probs = tf.gather(scores.log_probs[:, 0], _choices(cases), batch_dims=1)
    return log_probs, scores.query[:, 0]


def gradient(
    parser: Parser, domain: Domain, cases: Sequence[Case], weights: Sequence[float]
) -> Gradient:
    """Loss and gradients of weighted cases."""
    with tf.GradientTape() as tape:
        log_probs, _ = score(parser, domain, cases)
        loss = -tf.reduce_sum(tf.constant(weights, tf.float32) * log_probs)
    variables = parser.trainable_variables
    gradients = {
        variable.name.split(":")[0]: tf.convert_to_tensor(by_variable).numpy()
        for variable, by_variable in zip(variables, tape.gradient(loss, variables))
    }
    sums, squares = _look_up_sums(parser, domain, cases, weights)
    for table, total in sums.items():  # or else the squares are of other look-ups
        np.testing.assert_allclose(gradients[table], total, atol=1e-4)
    return Gradient(float(loss), gradients, squares)


def _words(cases: Sequence[Case]) -> tf.Tensor:
    rows = np.full([len(cases), 1, max(len(case.words) for case in cases)], PADDING, np.int32)
    for row, case in zip(rows, cases):
        row[0, : len(case.words)] = case.words
    return tf.constant(rows)


def _history(domain: Domain, cases: Sequence[Case]) -> HistoryFeatures:
    history = HistoryFeatures(
        plain_tokens_features([case.tokens for case in cases]),
        plain_stack_features(domain, [case.stack for case in cases]),
    )
    return tf.nest.map_structure(lambda part: part[:, tf.newaxis], history)


def _choices(cases: Sequence[Case]) -> tf.Tensor:
    return tf.constant([case.choice for case in cases])


def _look_up_sums(
    parser: Parser, domain: Domain, cases: Sequence[Case], weights: Sequence[float]
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """For both tables, Σ g and Σ g² over look-ups."""
    encoded = parser.encoder(_words(cases)[:, 0])
    history = tf.nest.map_structure(lambda part: part[:, 0], _history(domain, cases))
    with tf.GradientTape() as tape:
        looked_up: list[tuple[str, tf.Tensor, tf.Tensor]] = []

        def look_up(name: str, table: tf.Variable, rows: tf.Tensor) -> tf.Tensor:
            copies = tf.gather(tf.pad(table, [[1, 0], [0, 0]]), rows + 1)  # −1: zeros
            tape.watch(copies)
            looked_up.append((name, rows, copies))
            return copies

        query = tf.concat([*_plain_history(parser, history, look_up), encoded.summary], axis=1)
        for layer in parser.decoder.query_layers:
            query = tf.nn.relu(layer(query))
        attention = tf.einsum("nwe,ne->nw", encoded.words, parser.decoder.attention(query))
        attention = tf.nn.softmax(tf.where(encoded.mask, attention, -1e9))
        context = tf.einsum("nw,nwe->ne", attention, encoded.words)
        rows = tf.tile(tf.range(len(domain.tokens))[tf.newaxis], [len(cases), 1])
        logits = tf.add_n(
            [
                tf.einsum("nvd,nd->nv", look_up("tokens", parser.token_embeddings, rows), vector)
                for vector in (
                    parser.decoder.query_scorer(query),
                    parser.decoder.context_scorer(context),
                )
            ]
        )
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(_choices(cases), logits)
        loss = tf.reduce_sum(losses * tf.constant(weights, tf.float32))
    gradients = tape.gradient(loss, [copies for _, _, copies in looked_up])
    sums: dict[str, np.ndarray] = {}
    squares: dict[str, np.ndarray] = {}
    for (name, rows, copies), by_copy in zip(looked_up, gradients):
        size = len(domain.tokens) if name == "tokens" else NUM_PRIMITIVES
        flat = tf.reshape(by_copy, [-1, copies.shape[-1]])
        for total, values in ((sums, flat), (squares, tf.square(flat))):
            table = f"{name[:-1]}_embeddings"
            found = tf.math.unsorted_segment_sum(values, tf.reshape(rows, [-1]), size).numpy()
            total[table] = total.get(table, 0) + found
    return sums, squares


def _plain_history(parser: Parser, history: HistoryFeatures, look_up) -> list[tf.Tensor]:
    """The execution histories [N, F], slot by slot."""
    parts = []
    count = len(history.tokens)
    if parser.tokens_history is not None:
        slots = look_up("tokens", parser.token_embeddings, history.tokens)
        parts.append(tf.reshape(slots, [count, -1]))
    if parser.stack_history is not None:
        table, stack = parser.primitive_embeddings, history.stack
        plain = look_up("primitives", table, stack.primitive)  # [N, 3, D]
        attributes = look_up("primitives", table, stack.attributes)  # [N, 3, A, 7, D]
        flat = tf.reshape(attributes, [count * 3, -1])
        objects = tf.reshape(parser.stack_history.objects(flat), plain.shape)
        slots = tf.where(stack.is_object[..., tf.newaxis], objects, plain)
        parts.append(tf.reshape(slots, [count, -1]))
    return parts
