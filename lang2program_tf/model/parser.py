"""The parser: encoder, execution history and decoder together (Section 3 of the paper)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

import gin
from lang2program_tf.fixed_normal import FixedNormal
from lang2program_tf.language import Domain
from lang2program_tf.machine import get_machine
from lang2program_tf.machine.context import ContextFeatures, context_features, feature_widths
from lang2program_tf.machine.examples import Examples
from lang2program_tf.machine.features import STACK_SLOTS, HistoryFeatures
from lang2program_tf.machine.follow import Following, take_slots
from lang2program_tf.machine.primitives import NUM_PRIMITIVES
from lang2program_tf.model.context_decoder import (
    CONTEXTS,
    ContextDecoder,
    ContextMemory,
    Sentences,
)
from lang2program_tf.model.decoder import AttentionDecoder, DecoderScores
from lang2program_tf.model.dropout import Dropout, DropoutSeed, example_keys, sentence_keys
from lang2program_tf.model.encoder import UtteranceEncoder
from lang2program_tf.model.history import StackHistory, StackTables, TokensHistory
from lang2program_tf.model.initial_values import InitialTables, InitialValues
from lang2program_tf.word_ids import PADDING

HISTORIES = ("tokens", "stack")
# The original takes mean and spread of its embedding tables from the most frequent words.
_WORDS_FOR_STATISTICS = 5000


class HistoryTables(NamedTuple):
    """The execution histories' tables, multiplied by the kernel of the layer above them.

    Attributes:
        tokens: table of TokensHistory, None if the parser does not use it.
        stack: tables of StackHistory, None if the parser does not use it.
    """

    tokens: tf.Tensor | None
    stack: StackTables | None


class ParserMemory(NamedTuple):
    """All that scoring needs and no prefix changes; made once a batch and weight update.

    Attributes:
        decoder: the utterances, ready for attention: a `DecoderMemory`; in context all that the
            decoder reads: a `ContextMemory`.
        history: the execution history's tables.
        for_xla: whether what is asked of it is to be compiled.
    """

    decoder: Any
    history: HistoryTables
    for_xla: bool = False

    def of_examples(self, rows: slice | tf.Tensor) -> ParserMemory:
        """What it holds of some of the examples, by a slice or by their numbers [n]."""
        return self._replace(decoder=self.decoder.of_examples(rows))

    def with_room(self) -> ParserMemory:
        """The same for XLA, in one of few shapes."""
        return self._replace(decoder=self.decoder.with_room(), for_xla=True)

    def in_place(self, attention: tf.Tensor) -> tf.Tensor:
        """Attention [B, R, N] of scores as attention to all words, [B, R, M, W]."""
        in_place: tf.Tensor = self.decoder.said.in_place(attention)
        return in_place


@gin.configurable(denylist=["domain", "word_vectors"])
class Parser(tf.keras.Model):
    """p(token | prefix, utterances): everything that is trained.

    Its part in search and learning is told by `ParserProtocol`. Beside the weights a search carries
    the embeddings of the prefixes' stacks: a token pushes one value at most, and only that one is
    embedded anew.

    Without context it is the paper's parser. With any it parses turns: examples whose utterances
    but the last are dealt with.
    """

    def __init__(
        self,
        domain: Domain,
        *,
        word_vectors: NDArray[np.float32],
        history: Sequence[str] = gin.REQUIRED,
        seed: int = 0,
        encoder_units: int = 64,
        query_layers: Sequence[int] = (128, 128),
        token_dimensions: int = 150,
        primitive_dimensions: int = 32,
        context: Sequence[str] = (),
        context_width: int = 96,
        context_heads: int = 4,
        dropout: float = 0.0,
        word_dropout: float = 0.0,
        trained_words: Sequence[int] = (),
        token_values: FixedNormal | None = None,
        primitive_values: FixedNormal | None = None,
    ) -> None:
        """Creates all variables.

        Args:
            domain: whose tokens are scored; a token's id is its index in `domain.tokens`.
            word_vectors: [words, D] float32, unknown and padding first.
            history: `("tokens",)`, `("stack",)` or `("tokens", "stack")`.
            seed: of all initial values.
            encoder_units: LSTM units of a direction.
            query_layers: widths of the decoder's ReLU layers; the paper has one layer, its released
                code two.
            token_dimensions: width of a token embedding.
            primitive_dimensions: width of a primitive embedding.
            context: what it sees beside the present sentence: any of `sentences` (the earlier
                ones), `world` and `commands`.
            context_width: width of the layers of a decoder in context.
            context_heads: heads of its attentions.
            dropout: share of a layer's numbers that learning drops.
            word_dropout: share of the words that learning takes for unknown ones.
            trained_words: ids of the words that get a trained vector beside the fixed one.
            token_values: initial values of the token embeddings, in the original's order; None for
                draws of `seed` with the statistics of the words.
            primitive_values: the same for the primitive embeddings.
        """
        super().__init__(name="parser")
        _check_inputs(history, context, dropout=dropout, word_dropout=word_dropout)
        self.history = tuple(history)
        self.context = tuple(context)
        self.dropout = dropout
        self.word_dropout = word_dropout
        initial = InitialValues(seed)
        with tf.name_scope("encoder"):
            self.encoder = UtteranceEncoder(
                word_vectors, units=encoder_units, initial=initial, trained_words=trained_words
            )
        tables = InitialTables(initial, like=np.asarray(word_vectors[:_WORDS_FOR_STATISTICS]))
        tokens = tables.values(token_values, len(domain.tokens), token_dimensions)
        if token_values is not None:
            tokens = tokens[np.argsort(domain.embedding_order)]
        self.token_embeddings = tf.Variable(tokens, name="token_embeddings")
        self.tokens_history = TokensHistory(self.token_embeddings) if "tokens" in history else None
        self.stack_history: StackHistory | None = None
        if "stack" in history:
            primitives = tables.values(primitive_values, NUM_PRIMITIVES, primitive_dimensions)
            self.primitive_embeddings = tf.Variable(primitives, name="primitive_embeddings")
            with tf.name_scope("stack_history"):
                self.stack_history = StackHistory(
                    self.primitive_embeddings,
                    num_attributes=len(domain.things.attributes),
                    initial=initial,
                )
        with tf.name_scope("decoder"):
            self.decoder: Any = (
                self._context_decoder(domain, context_width, heads=context_heads, initial=initial)
                if context
                else self._papers_decoder(query_layers, initial)
            )

    def _papers_decoder(
        self, query_layers: Sequence[int], initial: InitialValues
    ) -> AttentionDecoder:
        return AttentionDecoder(
            self.token_embeddings,
            history_width=self._history_width(),
            utterance_width=self.encoder.width,
            query_layers=query_layers,
            initial=initial,
        )

    def _context_decoder(
        self, domain: Domain, width: int, *, heads: int, initial: InitialValues
    ) -> ContextDecoder:
        self._rules = get_machine(domain.name).rules
        return ContextDecoder(
            self.token_embeddings,
            contexts=self.context,
            history_width=self._history_width(),
            utterance_width=self.encoder.width,
            word_width=self.encoder.width + self.encoder.dimensions,
            feature_widths=feature_widths(self._rules),
            width=width,
            heads=heads,
            initial=initial,
        )

    def read(
        self,
        words: tf.Tensor,
        examples: Examples | None = None,
        *,
        dropout_seed: DropoutSeed | None = None,
        features: ContextFeatures | None = None,
    ) -> ParserMemory:
        """Reads the utterances of B examples, and multiplies out what no prefix changes.

        Args:
            words: [B, M, W] int32, word ids with padding (id 1) behind utterances.
            examples: where they begin; looked at in context only: the paper's parser knows the
                world by what programs do in it.
            dropout_seed: to drop numbers and words as in learning.
            features: of `context_features`, if they are known already.
        """
        if self.context:
            if examples is None:
                raise ValueError("examples=None: a parser in context must know where they begin")
            decoder = self._read_in_context(words, examples, dropout_seed, features)
        else:
            shape = tf.shape(words)
            encoded = self.encoder(tf.reshape(words, [-1, shape[2]]))
            decoder = self.decoder.prepare(encoded, num_examples=shape[0])
        return ParserMemory(decoder, self.history_tables(self.decoder.history_kernel))

    def _read_in_context(
        self,
        words: tf.Tensor,
        examples: Examples,
        dropout_seed: DropoutSeed | None,
        features: ContextFeatures | None,
    ) -> ContextMemory:
        # Turns of one dialogue share their sentences; each is read once.
        shape = tf.shape(words)
        different = tf.raw_ops.UniqueV2(x=tf.reshape(words, [-1, shape[2]]), axis=[0])
        dropout = of_sentences = None
        if dropout_seed is not None:
            rates = (self.dropout, self.word_dropout)
            dropout = Dropout(*rates, keys=example_keys(dropout_seed))
            keys = sentence_keys(dropout_seed, different.y, padding=PADDING)
            of_sentences = Dropout(*rates, keys=keys)
        encoded = self.encoder(different.y, of_sentences)
        number = tf.reshape(different.idx, shape[:2])  # [B, M]
        present = tf.gather(number, examples.num_commands, batch_dims=1)
        sentences = Sentences(
            words=tf.concat([encoded.words, encoded.vectors], axis=-1),
            mask=encoded.mask,
            number=number,
            present=examples.num_commands,
            summary=tf.gather(encoded.summary, present),
        )
        memory: ContextMemory = self.decoder.prepare(
            sentences, features or self.context_features(examples), dropout
        )
        return memory

    def context_features(self, examples: Examples) -> ContextFeatures | None:
        """What a parser in context sees of the worlds and the commands; None without context."""
        return context_features(self._rules, examples) if self.context else None

    def begin(self, memory: ParserMemory, num_prefixes: int) -> tf.Tensor:
        """[B, K, 3, D] float32, the embeddings of empty stacks; D is 0 without STACK."""
        width = 0 if self.stack_history is None else self.stack_history.dimensions
        batch = tf.shape(memory.decoder.summaries)[0]
        return tf.zeros([batch, num_prefixes, STACK_SLOTS, width])

    def log_probs(
        self,
        memory: ParserMemory,
        carried: tf.Tensor,
        *,
        recent: tf.Tensor,
        utterance: tf.Tensor,
    ) -> tf.Tensor:
        """[B, K, V] float32, log-probabilities of all tokens after each prefix.

        Args:
            memory: of B examples.
            carried: [B, K, 3, D] float32, the embeddings of the prefixes' stacks.
            recent: [B, K, 4] int32, their last tokens.
            utterance: [B, K] int32, the utterances they are at.
        """
        parts = []
        if self.tokens_history is not None:
            parts.append(self.tokens_history.embed(recent, memory.history.tokens))
        if self.stack_history is not None:
            tables = _present("memory.history.stack", memory.history.stack)
            history = self.stack_history.project(carried, tables)
            parts.append(tf.reshape(history, [-1, carried.shape[1], history.shape[-1]]))
        return self.decoder.score(memory.decoder, tf.add_n(parts), utterance).log_probs

    def look(self, after: Following) -> tf.Tensor:
        """[B * K, n] int32, the rows whose sum embeds what tokens have pushed.

        Args:
            after: the states after the tokens.
        """
        if self.stack_history is None:
            return tf.zeros([0, 0], tf.int32)
        return self.stack_history.value_rows(after.pushed)

    def note(
        self,
        memory: ParserMemory,
        carried: tf.Tensor,
        *,
        seen: tf.Tensor,
        parent: tf.Tensor,
        source: tf.Tensor,
    ) -> tf.Tensor:
        """The embeddings [B, K, 3, D] of the stacks after tokens.

        Args:
            memory: of B examples.
            carried: [B, K, 3, D] float32, the embeddings before.
            seen: of `look`.
            parent: [B, K] int32, which prefix each of them continues; `source` says more.
            source: [B, K, 3] int32, where stack slots come from, see `Following`.
        """
        del parent
        history, tables = self.stack_history, memory.history.stack
        if history is None or tables is None:
            return carried
        pushed = history.embed_values(seen, tables, for_xla=memory.for_xla)
        pushed = tf.reshape(pushed, [-1, carried.shape[1], history.dimensions])
        return take_slots(carried, pushed, source)

    def history_tables(self, kernel: tf.Tensor) -> HistoryTables:
        """The tables that `embed_history` takes, for the kernel [F, H1] of the layer above."""
        kernels = tf.split(kernel, [part.width for part in self._histories()])
        return HistoryTables(
            tokens=self.tokens_history and self.tokens_history.prepare(kernels[0]),
            stack=self.stack_history and self.stack_history.prepare(kernels[-1]),
        )

    def embed_history(self, tables: HistoryTables, history: HistoryFeatures) -> tf.Tensor:
        """The execution history times the kernel of `history_tables`: [..., H1] float32."""
        parts = []
        if self.tokens_history is not None:
            tokens = _present("history.tokens", history.tokens)
            parts.append(self.tokens_history.embed(tokens, tables.tokens))
        if self.stack_history is not None:
            stack = _present("history.stack", history.stack)
            parts.append(self.stack_history.embed(stack, _present("tables.stack", tables.stack)))
        return tf.add_n(parts)

    def score(
        self, memory: ParserMemory, history: HistoryFeatures, utterance: tf.Tensor
    ) -> DecoderScores:
        """Scores every token after each of B * K prefixes.

        Args:
            memory: of B examples.
            history: features with leading dimensions [B, K].
            utterance: [B, K] int32, which of its example's M utterances a prefix is at.
        """
        return self.decoder.score(
            memory.decoder, self.embed_history(memory.history, history), utterance
        )

    def call(
        self, words: tf.Tensor, history: HistoryFeatures, utterance: tf.Tensor
    ) -> DecoderScores:
        """Scores of prefixes [B, K] for the utterances `words` [B, M, W] int32."""
        return self.score(self.read(words), history, utterance)

    @property
    def num_words(self) -> int:
        """Rows of the vocabulary."""
        return int(self.encoder.word_vectors.shape[0])

    def first_non_finite_variable(self) -> str | None:
        """The name of a trained variable that holds NaN or infinity, None if all are finite."""
        for variable in self.trainable_variables:
            if not bool(tf.reduce_all(tf.math.is_finite(variable))):
                return variable.name.split(":")[0]
        return None

    def _histories(self) -> list[tf.keras.layers.Layer]:
        return [part for part in (self.tokens_history, self.stack_history) if part is not None]

    def _history_width(self) -> int:
        return sum(part.width for part in self._histories())


def _check_inputs(history: Sequence[str], context: Sequence[str], **rates: float) -> None:
    if tuple(history) not in (("tokens",), ("stack",), HISTORIES):
        raise ValueError(f"history must be of {HISTORIES}, in this order, got {history}")
    if set(context) - set(CONTEXTS):
        raise ValueError(f"context must be of {CONTEXTS}, got {context}")
    if any(rates.values()) and not context:
        given = " and ".join(f"{name}={rate}" for name, rate in rates.items())
        raise ValueError(f"{given} want a context")


_T = TypeVar("_T")


def _present(name: str, value: _T | None) -> _T:
    if value is None:
        raise ValueError(f"{name} is None, and the parser uses it")
    return value
