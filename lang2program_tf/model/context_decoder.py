"""The decoder of a parser in context: it also reads earlier sentences, the world and the commands.

The paper's decoder attends to the words of the present sentence only. This one reads the words of
all sentences so far, knows how long ago each was said, and with what it has read it looks for the
objects and the commands that are meant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import tensorflow as tf

from lang2program_tf.machine.context import MAX_COMMANDS, ContextFeatures, FeatureWidths
from lang2program_tf.machine.examples import take
from lang2program_tf.model.attention import Attention, Items
from lang2program_tf.model.decoder import DecoderScores
from lang2program_tf.model.dropout import Dropout
from lang2program_tf.model.initial_values import InitialValues
from lang2program_tf.model.linear import Linear
from lang2program_tf.model.said_words import SaidWords, said_words

# Dropout, or nothing that is dropped.
Keep = Callable[[tf.Tensor, str], tf.Tensor]

_MAX_AGE = MAX_COMMANDS  # sentences that are older are taken for as old
SENTENCES, WORLD, COMMANDS = CONTEXTS = ("sentences", "world", "commands")


class Sentences(NamedTuple):
    """The M sentences of each of B dialogues, up to and with the one that is to be parsed.

    Dialogues, and turns of one dialogue, share sentences; U of them differ.

    Attributes:
        words: [U, W, I] float32, what is known of each word.
        mask: [U, W] bool, True at real words.
        number: [B, M] int32, which of them a sentence is.
        present: [B] int32, which sentence is to be parsed.
        summary: [B, E] float32, of that sentence.
    """

    words: tf.Tensor
    mask: tf.Tensor
    number: tf.Tensor
    present: tf.Tensor
    summary: tf.Tensor


class Said(NamedTuple):
    """The words that have been said in B dialogues, one after another; N are the most in any.

    Attributes:
        items: [B, N, H] float32.
        words: which they are.
    """

    items: tf.Tensor
    words: SaidWords


class ContextMemory(NamedTuple):
    """All that the decoder needs to know about B turns.

    Attributes:
        summaries: [B, H] float32, what the sentence and the bias add to the first layer.
        said: the N words that have been said,
        words: and what is read of them.
        contexts: the objects and the commands, as far as the parser sees them.
        token_kernel: [H, V] float32, from the last layer to scores of tokens.
        word_kernel: [C, V] float32, from what was read of the words to scores of tokens.
        bias: [V] float32, the constant part of the scores.
        dropout: of the B turns, in learning.
    """

    summaries: tf.Tensor
    said: SaidWords
    words: Items
    contexts: tuple[Items, ...]
    token_kernel: tf.Tensor
    word_kernel: tf.Tensor
    bias: tf.Tensor
    dropout: Dropout | None

    def of_examples(self, rows: slice | tf.Tensor) -> ContextMemory:
        """What it holds of some of the examples."""
        return self._replace(
            summaries=take(self.summaries, rows),
            said=self.said.of_examples(rows),
            words=self.words.of_examples(rows),
            contexts=tuple(items.of_examples(rows) for items in self.contexts),
            dropout=self.dropout and self.dropout.of_examples(rows),
        )

    def with_room(self) -> ContextMemory:
        """What it holds, with words that are not there until it has one of few numbers of them."""
        room = self.said.room
        return self._replace(said=self.said.with_room(room), words=self.words.with_room(room))


class ContextDecoder(tf.keras.layers.Layer):
    """q₁ = relu of [f ; e]; q₂ = relu of [q₁ ; words read]; h = relu of [q₂ ; all that was read].

    A token with embedding t has the score (A h + a) · t + (B c) · t, where c is what q₁ has read of
    the words.
    """

    def __init__(
        self,
        token_embeddings: tf.Variable,
        *,
        contexts: Sequence[str],
        history_width: int,
        utterance_width: int,
        word_width: int,
        feature_widths: FeatureWidths,
        width: int,
        heads: int,
        initial: InitialValues,
    ) -> None:
        """Creates the variables.

        Args:
            token_embeddings: the parser's token table [V, D].
            contexts: of `CONTEXTS`, what it sees beside the present sentence.
            history_width: width F of the plain execution history.
            utterance_width: width E of an utterance vector.
            word_width: width I of what is known of a word.
            feature_widths: of what is known of an object and of a command.
            width: of all layers.
            heads: of each attention.
            initial: where initial values come from.
        """
        super().__init__()
        self.token_embeddings = token_embeddings
        self.contexts = tuple(contexts)
        self.history_width = history_width
        self.width = width
        dimensions = int(token_embeddings.shape[1])

        def linear(name: str, inputs: int, outputs: int = width) -> Linear:
            with tf.name_scope(name):
                return Linear(inputs, outputs=outputs, initial=initial)

        def attention(name: str, *, may_be_empty: bool) -> Attention:
            with tf.name_scope(name):
                return Attention(
                    width,
                    query_width=width,
                    value_width=width,
                    heads=heads,
                    may_be_empty=may_be_empty,
                    initial=initial,
                )

        self.first = linear("first", history_width + utterance_width)
        self.second = linear("second", 2 * width)
        self.ages = tf.Variable(initial.glorot_uniform(_MAX_AGE + 1, width), name="ages")
        self.words_item = linear("word", word_width)
        self.words = attention("words", may_be_empty=False)
        if WORLD in contexts:
            self.object_item = linear("object", feature_widths.object)
            self.objects = attention("objects", may_be_empty=True)
        if COMMANDS in contexts:
            self.command_item = linear("command", feature_widths.command)
            self.commands = attention("commands", may_be_empty=True)
        reads = 1 + (WORLD in contexts) + (COMMANDS in contexts)
        self.last = linear("last", width * (1 + reads))
        self.token_scorer = linear("token_scorer", width, dimensions)
        self.word_scorer = linear("word_scorer", width, dimensions)

    @property
    def history_kernel(self) -> tf.Tensor:
        """The rows of the first layer's kernel that the execution history meets: [F, H]."""
        return self.first.kernel[: self.history_width]

    def prepare(
        self, sentences: Sentences, features: ContextFeatures, dropout: Dropout | None = None
    ) -> ContextMemory:
        """Reads B turns and multiplies out what no prefix changes."""
        kept: Keep = _all_kept if dropout is None else dropout.keep
        tokens = tf.transpose(self.token_embeddings)
        summary = kept(sentences.summary, "summary")
        contexts = []
        if WORLD in self.contexts:
            items = kept(_layer(self.object_item, features.objects), "objects")
            contexts.append(self.objects.prepare(items, tf.fill(tf.shape(items)[:2], True)))
        if COMMANDS in self.contexts:
            items = kept(_layer(self.command_item, features.commands), "commands")
            contexts.append(self.commands.prepare(items, features.performed))
        said = self._said(sentences, kept)
        return ContextMemory(
            summaries=tf.matmul(summary, self.first.kernel[self.history_width :]) + self.first.bias,
            said=said.words,
            words=self.words.prepare(said.items, said.words.present),
            contexts=tuple(contexts),
            token_kernel=tf.matmul(self.token_scorer.kernel, tokens),
            word_kernel=tf.matmul(self.word_scorer.kernel, tokens),
            bias=tf.linalg.matvec(
                self.token_embeddings, self.token_scorer.bias + self.word_scorer.bias
            ),
            dropout=dropout,
        )

    def score(
        self, memory: ContextMemory, history: tf.Tensor, utterance: tf.Tensor
    ) -> DecoderScores:
        """Scores every token after each prefix.

        Args:
            memory: of B turns.
            history: [B, R, H] float32, execution history times `history_kernel`.
            utterance: not looked at: all prefixes are at the present sentence.
        """
        del utterance
        kept: Keep = _all_kept if memory.dropout is None else memory.dropout.keep
        query = kept(tf.nn.relu(history + memory.summaries[:, tf.newaxis]), "first")
        read, attention = self.words.read(memory.words, query)
        second = kept(_layer(self.second, tf.concat([query, read], axis=-1)), "second")
        reads = [second, read]
        layers = [
            *([self.objects] if WORLD in self.contexts else []),
            *([self.commands] if COMMANDS in self.contexts else []),
        ]
        for layer, items in zip(layers, memory.contexts):
            reads.append(layer.read(items, second)[0])
        last = kept(_layer(self.last, tf.concat(reads, axis=-1)), "last")
        query_scores = _matmul(last, memory.token_kernel) + memory.bias
        context_scores = _matmul(read, memory.word_kernel)
        logits = query_scores + context_scores
        return DecoderScores(
            log_probs=tf.nn.log_softmax(logits),
            logits=logits,
            query_scores=query_scores,
            context_scores=context_scores,
            attention=tf.reduce_mean(attention, axis=1),
            query=last,
            history=history,
        )

    def _said(self, sentences: Sentences, kept: Keep) -> Said:
        """The words of all sentences that have been said, without gaps: padding costs nothing."""
        age = sentences.present[:, tf.newaxis] - tf.range(tf.shape(sentences.number)[1])  # [B, M]
        said = age >= 0 if SENTENCES in self.contexts else tf.equal(age, 0)
        there = tf.gather(sentences.mask, sentences.number) & said[..., tf.newaxis]
        words = said_words(there)
        sentence, word = words.utterance, words.place % words.num_words
        row = tf.gather(sentences.number, sentence, batch_dims=1) * words.num_words + word
        known = tf.reshape(_apply(self.words_item, sentences.words), [-1, self.width])
        ages = tf.clip_by_value(tf.gather(age, sentence, batch_dims=1), 0, _MAX_AGE)
        items = kept(tf.nn.relu(tf.gather(known, row) + tf.gather(self.ages, ages)), "said")
        return Said(items, words)


def _all_kept(values: tf.Tensor, layer: str) -> tf.Tensor:
    del layer
    return values


def _layer(layer: Linear, values: tf.Tensor) -> tf.Tensor:
    return tf.nn.relu(_apply(layer, values))


def _apply(layer: Linear, values: tf.Tensor) -> tf.Tensor:
    """A layer on values with more axes than two."""
    return _matmul(values, layer.kernel) + layer.bias


def _matmul(values: tf.Tensor, kernel: tf.Tensor) -> tf.Tensor:
    """[..., n] times [n, m]."""
    shape = tf.shape(values)[:-1]
    flat = tf.matmul(tf.reshape(values, [-1, kernel.shape[0]]), kernel)
    return tf.reshape(flat, tf.concat([shape, [kernel.shape[1]]], axis=0))
