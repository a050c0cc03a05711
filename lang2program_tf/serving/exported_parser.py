"""The module that is exported: a parser that takes texts and gives texts, all in the graph."""

from __future__ import annotations

import json
import platform
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Callable

import tensorflow as tf

from lang2program_tf import __version__
from lang2program_tf.corpus.tokenizers import Tokenizer
from lang2program_tf.corpus.words import WordVectors
from lang2program_tf.language import Domain
from lang2program_tf.machine import get_machine
from lang2program_tf.model.committee import Committee
from lang2program_tf.model.parser import Parser
from lang2program_tf.search import BeamSearch, Classic
from lang2program_tf.serving.chunks import Columns, by_chunks
from lang2program_tf.serving.graph_parser import GraphParser
from lang2program_tf.serving.graph_programs import TokenTable
from lang2program_tf.serving.graph_requests import Limits, RequestReader, Rows
from lang2program_tf.serving.graph_text import WordTable
from lang2program_tf.serving.graph_tokenizers import graph_tokenizer
from lang2program_tf.serving.graph_worlds import WorldNotation
from lang2program_tf.serving.settings import ExportSettings, Origin

_STRING = tf.TensorSpec([], tf.string)
_INT = tf.TensorSpec([], tf.int32)


class ExportedParser(tf.Module):
    """Three functions of texts. Rows of a request do not depend on each other.

    All inputs and outputs have the leading axis B, so that a server may merge requests.
    """

    def __init__(
        self,
        parser: Parser | Committee,
        *,
        domain: Domain,
        settings: ExportSettings,
        origin: Origin,
        words: WordVectors,
        tokenizer: Tokenizer,
        assets: Sequence[Path] = (),
    ) -> None:
        """Binds what does not change.

        Args:
            parser: of the domain.
            domain: the domain.
            settings: sizes and limits.
            origin: where the weights came from.
            words: the parser's vocabulary.
            tokenizer: that the parser was trained with.
            assets: files to copy into the export, for people to read.
        """
        super().__init__()
        rules = get_machine(domain.name).rules
        self._domain = domain
        self._settings = settings
        self._origin = origin
        # Not the parser: Keras would save all its layers' functions.
        self.parser_variables = list(parser.variables)
        self.notation = WorldNotation(rules)
        self.tokens = TokenTable(domain)
        self.assets = [tf.saved_model.Asset(str(path)) for path in assets]
        table = WordTable(words.words)
        self.reader = RequestReader(
            rules,
            words=table,
            tokenizer=graph_tokenizer(tokenizer, table),
            notation=self.notation,
            limits=_limits(settings, domain),
        )
        # All arguments, so that no gin binding of a training run has a say.
        search = BeamSearch(
            get_machine(domain.name),
            parser,
            beam_size=settings.beam_size,
            selection=Classic(),
            iterations_per_utterance=settings.iterations_per_utterance,
            limit="row",
            independent_utterances=False,
            jit_compile=False,
        )
        self._graph = GraphParser(
            search,
            notation=self.notation,
            tokens=self.tokens,
            top_k=settings.top_k,
            by_worlds=settings.by_worlds,
        )

    def signatures(self) -> dict[str, tf.types.experimental.ConcreteFunction]:
        """The functions that a server offers, by their names."""
        texts = tf.TensorSpec([None], tf.string)
        lists = tf.TensorSpec([None, None], tf.string)

        def trace(
            function: Callable[..., Columns], **inputs: tf.TensorSpec
        ) -> tf.types.experimental.ConcreteFunction:
            # No Python here depends on tensors, and reading it for that takes seconds.
            return tf.function(function, autograph=False).get_concrete_function(**inputs)

        parse = trace(self.parse, world=texts, utterances=lists)
        return {
            "serving_default": parse,
            "parse": parse,
            "score": trace(self.score, world=texts, utterances=lists, program=texts),
            "metadata": trace(self.metadata, request=texts),
        }

    def parse(self, world: tf.Tensor, utterances: tf.Tensor) -> Columns:
        """Parses utterances.

        Args:
            world: [B] string, in the data set's notation.
            utterances: [B, M] string, "" behind the last of a row.

        Returns:
            program: [B, k] string, tokens by the paper's names, best program first; "" for none.
            world: [B, k] string, the worlds that the programs lead to.
            worlds: [B, U] string, the world after each utterance for the first program.
            log_prob: [B, k] float32, of the programs, or of the worlds if the parser goes by
                worlds; the lowest float32 for no program.
            agreeing: [B, k] int32, how many programs for the last utterance lead to a world and
                are part of its probability; 1 if the parser does not go by worlds.
            num_found: [B] int32, how many complete programs the search found; by worlds, for the
                last utterance and these worlds.
            read_as: [B, U] string, the words that the parser has read, a space between two.
            unknown_words: [B, U] string, those of them that it does not know.
            error: [B] string, what is wrong with a row, "" if nothing is.
        """
        top_k = self._settings.top_k
        by_utterance = tf.TensorSpec([self._settings.max_utterances], tf.string)
        return by_chunks(
            lambda columns: self._graph.parse(self._read(columns)),
            self._columns(world, utterances),
            size=self._settings.rows_per_step,
            outputs={
                "program": tf.TensorSpec([top_k], tf.string),
                "world": tf.TensorSpec([top_k], tf.string),
                "worlds": by_utterance,
                "log_prob": tf.TensorSpec([top_k], tf.float32),
                "agreeing": tf.TensorSpec([top_k], tf.int32),
                "num_found": _INT,
                "read_as": by_utterance,
                "unknown_words": by_utterance,
                "error": _STRING,
            },
        )

    def score(self, world: tf.Tensor, utterances: tf.Tensor, program: tf.Tensor) -> Columns:
        """Scores every token after the beginning of a program, for a search outside the graph.

        Args:
            world: [B] string and
            utterances: [B, M] string, as for `parse`.
            program: [B] string, its tokens so far by the paper's names; "" at the beginning.

        Returns:
            log_prob: [B, V] float32, log-probability of every token, runnable or not.
            allowed: [B, V] bool, whether a search keeps the program with this token.
            attention: [B, W] float32, attention to the words of the present utterance.
            words: [B, W] string, these words; "" behind the last.
            utterance: [B] int32, the number of the present utterance, from 1; 0 for an error.
            world: [B] string, the world after the program so far.
            error: [B] string, what is wrong with a row, "" if nothing is.
        """
        num_tokens, max_words = len(self._domain.tokens), self._domain.max_words
        return by_chunks(
            lambda columns: self._graph.score(self._read(columns), columns["program"]),
            {**self._columns(world, utterances), "program": program},
            size=self._settings.rows_per_step,
            outputs={
                "log_prob": tf.TensorSpec([num_tokens], tf.float32),
                "allowed": tf.TensorSpec([num_tokens], tf.bool),
                "attention": tf.TensorSpec([max_words], tf.float32),
                "words": tf.TensorSpec([max_words], tf.string),
                "utterance": _INT,
                "world": _STRING,
                "error": _STRING,
            },
        )

    def metadata(self, request: tf.Tensor) -> Columns:
        """What this export is.

        Args:
            request: [B] string, any texts: a server that merges requests wants an input.

        Returns:
            domain: [B] string.
            tokens: [B, V] string, in the order of `log_prob` of `score`.
            config: [B] string, the training configuration, as gin text.
            step: [B] int64, training steps.
            data_fingerprint: [B] string, identifies the training data.
            settings: [B] string, `ExportSettings` and `max_words` as JSON.
            versions: [B] string, of the software, as JSON.
        """
        settings = {**asdict(self._settings), "max_words": self._domain.max_words}
        versions = {
            "lang2program_tf": __version__,
            "tensorflow": tf.__version__,
            "python": platform.python_version(),
        }
        values = {
            "domain": tf.constant(self._domain.name),
            "tokens": self.tokens.names,
            "config": tf.constant(self._origin.config),
            "step": tf.constant(self._origin.step, tf.int64),
            "data_fingerprint": tf.constant(self._origin.data_fingerprint),
            "settings": tf.constant(json.dumps(settings)),
            "versions": tf.constant(json.dumps(versions)),
        }
        batch = tf.shape(request)[0]
        return {name: tf.repeat(value[tf.newaxis], batch, axis=0) for name, value in values.items()}

    def _columns(self, world: tf.Tensor, utterances: tf.Tensor) -> Columns:
        """The inputs as columns of the same number of rows and of fixed widths."""
        utterances, too_many = self.reader.fit_columns(utterances)
        return {"world": world, "utterances": utterances, "too_many": too_many}

    def _read(self, columns: Columns) -> Rows:
        return self.reader.read(columns["world"], columns["utterances"], columns["too_many"])


def _limits(settings: ExportSettings, domain: Domain) -> Limits:
    return Limits(
        max_utterances=settings.max_utterances,
        max_words=domain.max_words,
        max_utterance_bytes=settings.max_utterance_bytes,
        max_world_bytes=settings.max_world_bytes,
    )
