"""Parsing and scoring of rows in the graph: from tensors of requests to texts of answers."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from lang2program_tf.machine import Examples
from lang2program_tf.machine import state as st
from lang2program_tf.machine.features import HistoryFeatures, stack_features
from lang2program_tf.search import BeamSearch, Programs, WorldSearch, best_programs
from lang2program_tf.search.beam import of_this_utterance
from lang2program_tf.serving.chunks import Columns
from lang2program_tf.serving.graph_programs import (
    TokenTable,
    replay,
    worlds_on_the_way,
)
from lang2program_tf.serving.graph_requests import Rows, check_texts, first_error
from lang2program_tf.serving.graph_text import single_spaces
from lang2program_tf.serving.graph_worlds import WorldNotation
from lang2program_tf.word_ids import PADDING, UNKNOWN

# The log-probability of what does not exist: finite, so that an answer is always legal JSON.
NO_LOG_PROB = float(np.finfo(np.float32).min)
_BYTES_PER_TOKEN = 20


class GraphParser:
    """Answers rows. A row's answer does not depend on the rows beside it."""

    def __init__(
        self,
        search: BeamSearch,
        *,
        notation: WorldNotation,
        tokens: TokenTable,
        top_k: int,
        by_worlds: bool,
    ) -> None:
        """Binds what does not change.

        Args:
            search: with the limit "row".
            notation: of the domain's worlds.
            tokens: of the domain.
            top_k: k, how many programs an answer holds.
            by_worlds: whether each is for another world, found sentence by sentence.
        """
        self._search = search
        self._notation = notation
        self._tokens = tokens
        self._top_k = top_k
        self._worlds: WorldSearch | None = None
        if by_worlds:
            # All arguments, so that no gin binding of a training run has a say.
            self._worlds = WorldSearch(
                search, num_worlds=top_k, num_programs=16, least_share=0.001, add_up=True
            )

    def parse(self, rows: Rows) -> Columns:
        """Searches; see `ExportedParser.parse`."""
        programs, worlds, num_found = self._predict(rows)
        num_found = tf.where(tf.equal(rows.error, ""), num_found, 0)
        answered = (num_found > 0)[:, tf.newaxis]
        found = (programs.length > 0) & answered
        said = tf.sequence_mask(rows.num_utterances, rows.words.shape[1]) & answered
        right = tf.equal(rows.error, "")[:, tf.newaxis, tf.newaxis]
        unknown = tf.equal(rows.words, UNKNOWN)
        return {
            "program": self._top(tf.where(found, self._tokens.show(programs.tokens), ""), ""),
            "world": self._top(tf.where(found, self._notation.show(programs.world), ""), ""),
            "worlds": tf.where(said, self._notation.show(worlds), ""),
            "log_prob": self._top(tf.where(found, programs.log_prob, NO_LOG_PROB), NO_LOG_PROB),
            "agreeing": self._top(tf.where(found, programs.agreeing, 0), 0),
            "num_found": num_found,
            "read_as": _join_words(tf.where(right, rows.texts, "")),
            "unknown_words": _join_words(tf.where(right & unknown, rows.texts, "")),
            "error": first_error(
                rows.error, tf.where(answered[:, 0], "", "the search found no program")
            ),
        }

    def _predict(self, rows: Rows) -> tuple[Programs, tf.Tensor, tf.Tensor]:
        """Programs, the worlds [B, U, P] on the way of the best, how many [B] were found."""
        examples = _examples(rows)
        size = rows.words.shape[1]
        if self._worlds is not None:
            predicted = self._worlds.predict(self._words(rows), examples)
            path = predicted.path[:, 0]
            path = tf.pad(path, [[0, 0], [0, size - tf.shape(path)[1]], [0, 0]])
            num_found = tf.reduce_sum(predicted.programs.agreeing, axis=1)
            return predicted.programs, path, num_found
        memory = self._search.parser.read(self._words(rows), examples)
        tree = self._search.search(memory, examples, seed=tf.zeros([2], tf.int32))
        programs = best_programs(self._search.machine, tree, self._top_k)
        path = worlds_on_the_way(tree, programs.world[:, 0], rows.num_utterances, size=size)
        return programs, path, tree.num_complete

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
        # The present utterance is parsed from where the program so far has led.
        present = Examples(
            world=run.state.world[:, 0],
            next_identity=run.state.next_identity[:, 0],
            target=rows.world,
            num_utterances=rows.num_utterances,
            history=run.state.history[:, 0],
            num_commands=run.state.utterance[:, 0],
            first_world=rows.world,
        )
        recent = run.recent
        if self._worlds is not None:  # by worlds, every sentence begins with an empty program
            recent = of_this_utterance(machine, recent)
        memory = self._search.parser.read(self._words(rows), present)
        scores = self._search.parser.score(
            memory, HistoryFeatures(recent, stack), run.state.utterance
        )
        # In context earlier utterances are attended to as well; what is said now is shown.
        attention = memory.in_place(scores.attention)[:, 0]  # [B, M, W]
        attention = tf.gather(attention, run.state.utterance[:, 0], batch_dims=1)
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

    @staticmethod
    def _words(rows: Rows) -> tf.Tensor:
        """[B, M, W] word ids, without utterances and words that no row has."""
        size = tf.reduce_max(rows.num_utterances)
        lengths = tf.math.count_nonzero(rows.words != PADDING, axis=2, dtype=tf.int32)
        return rows.words[:, :size, : tf.reduce_max(lengths)]

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
