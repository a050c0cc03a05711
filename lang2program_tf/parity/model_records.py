"""Runs the scoring cases of the recordings `model.DOMAIN.VARIANT` through a Parser."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from lang2program_tf.corpus.words import WordVectors
from lang2program_tf.language import Domain
from lang2program_tf.language.alchemy import Beaker
from lang2program_tf.language.scene import Person
from lang2program_tf.language.tangrams import Tangram
from lang2program_tf.language.values import Color, Fraction, ObjectList, Value
from lang2program_tf.machine.features import HistoryFeatures
from lang2program_tf.machine.plain_features import plain_stack_features, plain_tokens_features
from lang2program_tf.model import Parser
from lang2program_tf.parity.original_weights import OriginalModel
from lang2program_tf.parity.recordings import Record
from lang2program_tf.word_ids import PADDING

_SMALLEST_WEIGHT = 1e-35  # of a word; not much less is a float32


class ScoringInputs(NamedTuple):
    """R recorded cases as inputs of the Parser, each an example of its own.

    Attributes:
        words: [R, 1, W] int32 word ids.
        history: with leading dimensions [R, 1].
        utterance: [R, 1] int32, all zero.
    """

    words: tf.Tensor
    history: HistoryFeatures
    utterance: tf.Tensor


def original_parser(model: OriginalModel, *, word_vectors: WordVectors) -> Parser:
    """A Parser of the shape of `model`, with initial values."""
    return Parser(
        model.domain,
        word_vectors=word_vectors.vectors,
        history=model.history,
        query_layers=model.query_layers,
    )


def scoring_inputs(
    domain: Domain, cases: Sequence[Record], words: Sequence[list[int]]
) -> ScoringInputs:
    """The inputs of recorded cases.

    Args:
        domain: of the cases.
        cases: R records with `previous_decisions`, `previous_decisions_this_utterance` and `stack`.
        words: the word ids of each case's utterance.
    """
    rows = np.full([len(cases), 1, max(map(len, words))], PADDING, np.int32)
    for row, ids in zip(rows, words):
        row[0, : len(ids)] = ids
    tokens = plain_tokens_features([_token_ids(domain, case) for case in cases])
    stack = plain_stack_features(
        domain, [[_value(domain, v) for v in case["stack"]] for case in cases]
    )
    history = tf.nest.map_structure(lambda x: x[:, tf.newaxis], HistoryFeatures(tokens, stack))
    return ScoringInputs(tf.constant(rows), history, tf.zeros([len(cases), 1], tf.int32))


def activations(
    parser: Parser, inputs: ScoringInputs, hash_vectors: Mapping[str, NDArray[np.float32]]
) -> dict[str, NDArray[np.float32]]:
    """What the Parser computes for R cases, by the names of the recordings.

    Args:
        parser: the model.
        inputs: the cases.
        hash_vectors: the original's, by the name of what it multiplies slot by slot: `history_hash`
            or `stack_hash`. It recognizes states by these products; they have no part in the score.

    Returns:
        Arrays [R, ...]; `utterance_attention` [R, W] holds logarithms of weights, 0 at padding.
    """
    encoded = parser.encoder(inputs.words[:, 0])
    memory = parser.read(inputs.words)
    scores = parser.score(memory, inputs.history, inputs.utterance)
    # The identity in place of the decoder's kernel gives the execution history itself.
    plain = parser.history_tables(tf.eye(parser.decoder.history_width))
    history = parser.embed_history(plain, inputs.history)[:, 0]
    attention = memory.in_place(scores.attention)[:, 0, 0]
    attention = tf.math.log(tf.maximum(attention, _SMALLEST_WEIGHT))
    found = {
        "utterance_embed": encoded.summary,
        "input_layer": tf.concat([history, encoded.summary], axis=1),
        "query": scores.query[:, 0],
        "utterance_attention": tf.where(encoded.mask, attention, 0.0),
        "simple_logits": scores.query_scores[:, 0],
        "attention_logits": scores.context_scores[:, 0],
        "softcopy_logits": tf.zeros_like(scores.logits[:, 0]),  # a part that is never used
        "logits": scores.logits[:, 0],
        "log_probs": scores.log_probs[:, 0],
    }
    for name, vector in hash_vectors.items():
        slots = tf.reshape(_part_of(parser, history, name), [len(history), -1, len(vector)])
        found[name] = tf.linalg.matvec(slots, vector)
    return {name: value.numpy() for name, value in found.items()}


def _part_of(parser: Parser, history: tf.Tensor, name: str) -> tf.Tensor:
    """The columns of one execution history; TOKENS comes first."""
    width = parser.tokens_history.width if parser.tokens_history else 0
    return history[:, :width] if name == "history_hash" else history[:, width:]


def recorded_activations(
    cases: Sequence[Record], names: Iterable[str]
) -> dict[str, NDArray[np.float64]]:
    """What the original computed for R cases, in the form of `activations`."""
    width = max(len(case["word_indices"]) for case in cases)
    attention = np.zeros([len(cases), width])
    for row, case in zip(attention, cases):
        logits = np.array(case["utterance_attention_logits"])
        weights = np.exp(logits - logits.max())
        row[: len(weights)] = np.log(np.maximum(weights / weights.sum(), _SMALLEST_WEIGHT))
    plain = {name: np.array([case[name] for case in cases]) for name in names if name in cases[0]}
    return {**plain, "utterance_attention": attention}


def _token_ids(domain: Domain, case: Record) -> list[int]:
    alone = case.get("ignore_previous_utterances", False)
    names = case["previous_decisions_this_utterance" if alone else "previous_decisions"]
    return [domain.token_id(domain.token(name)) for name in names]


def _value(domain: Domain, record: list[Any]) -> Value:
    """The language value that a recording holds on its stack."""
    kind, content = record
    if kind == "i":
        return int(content)
    if kind == "s":
        return Fraction(content[1:]) if content.startswith("X") else Color(content)
    if kind == "l":
        return ObjectList(_value(domain, item) for item in content)
    if domain.name == "alchemy":
        return Beaker(*content[:2])
    return Person(*content) if domain.name == "scene" else Tangram(*content)
