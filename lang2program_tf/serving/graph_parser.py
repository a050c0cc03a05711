"""Parsing and scoring of rows in the graph: from tensors of requests to texts of answers."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from lang2program_tf.corpus.words import PADDING, UNKNOWN
from lang2program_tf.machine import Examples
from lang2program_tf.machine import state as st
from lang2program_tf.machine.features import HistoryFeatures, stack_features
from lang2program_tf.model.parser_protocol import MemoryProtocol
from lang2program_tf.search import BeamSearch, best_programs
from lang2program_tf.serving.chunks import Columns
from lang2program_tf.serving.graph_programs import (
    TokenTable,
    replay,
    worlds_on_the_way,
)
from lang2program_tf.serving.graph_requests import Rows, check_texts, first_error
from lang2program_tf.serving.graph_text import single_spaces
from lang2program_tf.serving.graph_worlds import WorldNotation

# The log-probability of what does not exist: finite, so that an answer is always legal JSON.
NO_LOG_PROB = float(np.finfo(np.float32).min)
_BYTES_PER_TOKEN = 20


class GraphParser:
    """Answers rows. A row's answer does not depend on the rows beside it."""

    def __init__(
        self, search: BeamSearch, *, notation: WorldNotation, tokens: TokenTable, top_k: int
    ) -> None:
        """Binds what does not change.

        Args:
            search: with the limit "row".
            notation: of the domain's worlds.
            tokens: of the domain.
            top_k: k, how many programs an answer holds.
        """
        self._search = search
        self._notation = notation
        self._tokens = tokens
        self._top_k = top_k

    def parse(self, rows: Rows) -> Columns:
        """Searches; see `ExportedParser.parse`."""
        examples = _examples(rows)
        memory = self._read(rows, examples)
        tree = self._search.search(memory, examples, seed=tf.zeros([2], tf.int32))
        programs = best_programs(self._search.machine, tree, self._top_k)
        num_found = tf.where(tf.equal(rows.error, ""), tree.num_complete, 0)
        answered = (num_found > 0)[:, tf.newaxis]
        found = (programs.length > 0) & answered
        worlds = worlds_on_the_way(
            tree, programs.world[:, 0], rows.num_utterances, size=rows.words.shape[1]
        )
        said = tf.sequence_mask(rows.num_utterances, rows.words.shape[1]) & answered
        right = tf.equal(rows.error, "")[:, tf.newaxis, tf.newaxis]
        unknown = tf.equal(rows.words, UNKNOWN)
        return {
            "program": self._top(tf.where(found, self._tokens.show(programs.tokens), ""), ""),
            "world": self._top(tf.where(found, self._notation.show(programs.world), ""), ""),
            "worlds": tf.where(said, self._notation.show(worlds), ""),
            "log_prob": self._top(tf.where(found, programs.log_prob, NO_LOG_PROB), NO_LOG_PROB),
            "num_found": num_found,
            "read_as": _join_words(tf.where(right, rows.texts, "")),
            "unknown_words": _join_words(tf.where(right & unknown, rows.texts, "")),
            "error": first_error(
                rows.error, tf.where(answered[:, 0], "", "the search found no program")
            ),
        }

    def score(self, rows: Rows, program: tf.Tensor) -> Columns:
        """Scores what may follow the beginnings of programs [B]; see `ExportedParser.score`."""
        machine = self._search.machine
        max_tokens = self._search.iterations_per_utterance * rows.words.shape[1]
        program, text_error = check_texts(
            "the program", program, max_bytes=_BYTES_PER_TOKEN * max_tokens
        )
        prefixes = self._tokens.parse(program, max_tokens=max_tokens)
        error = first_error(rows.error, text_error, prefixes.error)
        good = tf.equal(error, "")
        examples = _examples(rows)
        prefixes = prefixes._replace(length=tf.where(good, prefixes.length, 0))
        run = replay(machine, examples, prefixes)
        place = tf.strings.as_string(run.failed)
        cannot = tf.strings.join(["token ", place, " cannot run there or completes the program"])
        error = first_error(error, tf.where(run.failed > 0, cannot, ""))
        good = tf.equal(error, "")[:, tf.newaxis]
        stack = stack_features(machine.rules, run.state.kinds, run.state.values)
        scores = self._search.parser.score(
            self._read(rows, examples), HistoryFeatures(run.recent, stack), run.state.utterance
        )
        attention = tf.reduce_sum(scores.attention[:, 0], axis=1)  # [B, words of the longest]
        width = rows.words.shape[2]
        spare = width - tf.shape(attention)[1]
        attention = tf.ensure_shape(tf.pad(attention, [[0, 0], [0, spare]]), [None, width])
        options = machine.options(run.state, rows.num_utterances[:, tf.newaxis])
        survives = options.outcomes[:, 0] >= st.TERMINATES
        words = tf.gather(rows.texts, run.state.utterance[:, 0], batch_dims=1)
        return {
            "log_prob": tf.where(good, scores.log_probs[:, 0], NO_LOG_PROB),
            "allowed": survives & good,
            "attention": tf.where(good, attention, 0.0),
            "words": tf.where(good, words, ""),
            "utterance": tf.where(good[:, 0], run.state.utterance[:, 0] + 1, 0),
            "world": tf.where(good[:, 0], self._notation.show(run.state.world[:, 0]), ""),
            "error": error,
        }

    def _read(self, rows: Rows, examples: Examples) -> MemoryProtocol:
        """The parser's memory, without utterances and words that no row has."""
        size = tf.reduce_max(rows.num_utterances)
        lengths = tf.math.count_nonzero(rows.words != PADDING, axis=2, dtype=tf.int32)
        longest = tf.reduce_max(lengths)
        memory: MemoryProtocol = self._search.parser.read(rows.words[:, :size, :longest], examples)
        return memory

    def _top(self, column: tf.Tensor, nothing: str | float) -> tf.Tensor:
        """[B, k] of [B, n] with n ≤ k."""
        spare = self._top_k - tf.shape(column)[1]
        padded = tf.pad(column, [[0, 0], [0, spare]], constant_values=nothing)
        return tf.ensure_shape(padded, [None, self._top_k])


def _examples(rows: Rows) -> Examples:
    """The rows as examples without any target to reach."""
    return Examples.without_history(
        rows.world,
        next_identity=rows.next_identity,
        target=rows.world,
        num_utterances=rows.num_utterances,
    )


def _join_words(words: tf.Tensor) -> tf.Tensor:
    """[B, U] texts of words [B, U, W], a space between two; "" is no word."""
    return single_spaces(tf.strings.reduce_join(words, axis=2, separator=" "))
