"""The attention decoder: probabilities of the next token (Section 3, "Decoder")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import tensorflow as tf

from lang2program_tf.machine.examples import take
from lang2program_tf.model.encoder import EncodedUtterances
from lang2program_tf.model.initial_values import InitialValues
from lang2program_tf.model.linear import Linear
from lang2program_tf.model.said_words import SaidWords, said_words

# Attention logits of a place without a word, and of the words of other utterances. The second is
# lower, so that an utterance without any word attends to that place, whose state is zero.
_PADDING_LOGIT = -1e9
_ELSEWHERE_LOGIT = -2e9


class DecoderMemory(NamedTuple):
    """All that the decoder needs to know about B examples of M utterances.

    Of their words only those that are there: N in the example with most, padding included. H1 is
    the width of the first query layer, H of the query, V the number of tokens.

    Attributes:
        summaries: [B, M, H1] float32, what utterance vectors and bias add to the first layer.
        said: the N words.
        keys: [B, H, N] float32, word states times the attention kernel.
        key_bias: [B, M, N] float32, for a prefix at each utterance, what is added to attention
            logits: word states times the attention bias; very low at the last place, which is
            padding, and still lower at the words of other utterances.
        values: [B, N, V] float32, what attending to a word adds to each token's score. Attention
            sums to 1, so that the constant part of context scores is in there too.
        states: [B, N, E] float32, the word states themselves.
        query_kernel: [H, V] float32, from query to query scores.
        query_bias: [V] float32, the constant part of query scores.
        for_xla: whether what is asked of it is to be compiled.
    """

    summaries: tf.Tensor
    said: SaidWords
    keys: tf.Tensor
    key_bias: tf.Tensor
    values: tf.Tensor
    states: tf.Tensor
    query_kernel: tf.Tensor
    query_bias: tf.Tensor
    for_xla: bool = False

    def of_examples(self, rows: slice | tf.Tensor) -> DecoderMemory:
        """What it holds of some of the examples, by a slice or by their numbers [n]."""
        return self._replace(
            summaries=take(self.summaries, rows),
            said=self.said.of_examples(rows),
            keys=take(self.keys, rows),
            key_bias=take(self.key_bias, rows),
            values=take(self.values, rows),
            states=take(self.states, rows),
        )

    def with_room(self) -> DecoderMemory:
        """What it holds, with words that are nowhere until it has one of few numbers of them."""
        behind = [0, self.said.room - tf.shape(self.key_bias)[2]]
        elsewhere = [[0, 0], [0, 0], behind]
        return self._replace(
            said=self.said.with_room(self.said.room),
            keys=tf.pad(self.keys, elsewhere),
            key_bias=tf.pad(self.key_bias, elsewhere, constant_values=_ELSEWHERE_LOGIT),
            values=tf.pad(self.values, [[0, 0], behind, [0, 0]]),
            states=tf.pad(self.states, [[0, 0], behind, [0, 0]]),
            for_xla=True,
        )


class DecoderScores(NamedTuple):
    """Scores of all tokens after each of B * K prefixes.

    Attributes:
        log_probs: [B, K, V] float32, log-probabilities over all tokens, valid or not.
        logits: [B, K, V] float32, query_scores + context_scores.
        query_scores: [B, K, V] float32, the part of the logits that comes from the query.
        context_scores: [B, K, V] float32, the part that comes from the attended words.
        attention: [B, K, N] float32, weights of the words that the memory holds; zero outside the
            prefix's utterance. The memory says where they stand (`in_place`).
        query: [B, K, H] float32, the decoder state q.
        history: [B, K, H1] float32, what the execution history adds to the first layer.
    """

    log_probs: tf.Tensor
    logits: tf.Tensor
    query_scores: tf.Tensor
    context_scores: tf.Tensor
    attention: tf.Tensor
    query: tf.Tensor
    history: tf.Tensor


class AttentionDecoder(tf.keras.layers.Layer):
    """Scores tokens from the execution history f, the utterance vector e and the word states h.

    q = relu layers of [f ; e]; attention of q over h gives the context c; the score of a token
    with embedding t is (A q + a) · t + (B c + b) · t. All of it but the ReLU layers and the softmax
    is linear, so `prepare` multiplies out, once a batch, everything that no prefix changes.
    """

    def __init__(
        self,
        token_embeddings: tf.Variable,
        *,
        history_width: int,
        utterance_width: int,
        query_layers: Sequence[int],
        initial: InitialValues,
    ) -> None:
        """Creates the variables.

        Args:
            token_embeddings: the parser's token table [V, D].
            history_width: width F of the plain execution history.
            utterance_width: width E of a word state and of an utterance vector.
            query_layers: widths of the ReLU layers.
            initial: where initial values come from.
        """
        super().__init__()
        if not query_layers or min(query_layers) < 1:
            raise ValueError(f"query_layers must be one or more widths, got {query_layers}")
        self.token_embeddings = token_embeddings
        self.history_width = history_width
        self.query_layers = []
        inputs = history_width + utterance_width
        for number, width in enumerate(query_layers):
            with tf.name_scope(f"query_{number}"):
                self.query_layers.append(Linear(inputs, outputs=width, initial=initial))
            inputs = width
        dimensions = int(token_embeddings.shape[1])
        with tf.name_scope("attention"):
            self.attention = Linear(inputs, outputs=utterance_width, initial=initial)
        with tf.name_scope("query_scorer"):
            self.query_scorer = Linear(inputs, outputs=dimensions, initial=initial)
        with tf.name_scope("context_scorer"):
            self.context_scorer = Linear(utterance_width, outputs=dimensions, initial=initial)

    @property
    def history_kernel(self) -> tf.Tensor:
        """The rows of the first layer's kernel that the execution history meets: [F, H1]."""
        return self.query_layers[0].kernel[: self.history_width]

    def prepare(
        self, encoded: EncodedUtterances, *, num_examples: tf.Tensor | int
    ) -> DecoderMemory:
        """Multiplies out what no prefix changes.

        Args:
            encoded: N = B * M utterances, those of an example in consecutive rows.
            num_examples: B.
        """
        first = self.query_layers[0]
        tokens = tf.transpose(self.token_embeddings)  # [D, V]
        num_utterances = tf.shape(encoded.mask)[0] // num_examples
        words_each = tf.shape(encoded.mask)[1]
        said = said_words(
            tf.reshape(encoded.mask, [num_examples, num_utterances, words_each]), spare=1
        )
        states = _at_words(encoded.words, said)  # [B, N, E]
        flat = tf.reshape(states, [-1, states.shape[-1]])  # [B * N, E]
        count = tf.shape(said.place)[1]
        keys = tf.matmul(flat, self.attention.kernel, transpose_b=True)
        keys = tf.reshape(keys, [num_examples, count, keys.shape[1]])
        key_bias = tf.reshape(tf.linalg.matvec(flat, self.attention.bias), tf.shape(said.place))
        value_bias = tf.linalg.matvec(self.token_embeddings, self.context_scorer.bias)
        values = tf.matmul(flat, tf.matmul(self.context_scorer.kernel, tokens)) + value_bias
        summaries = tf.matmul(encoded.summary, first.kernel[self.history_width :]) + first.bias
        return DecoderMemory(
            summaries=tf.reshape(summaries, [num_examples, num_utterances, first.bias.shape[0]]),
            said=said,
            keys=tf.transpose(keys, [0, 2, 1]),
            key_bias=_by_utterance(key_bias, said),
            values=tf.reshape(values, [num_examples, count, tokens.shape[1]]),
            states=states,
            query_kernel=tf.matmul(self.query_scorer.kernel, tokens),
            query_bias=tf.linalg.matvec(self.token_embeddings, self.query_scorer.bias),
        )

    def score(
        self, memory: DecoderMemory, history: tf.Tensor, utterance: tf.Tensor
    ) -> DecoderScores:
        """Scores every token after each prefix.

        Args:
            memory: of B examples.
            history: [B, K, H1] float32, execution history times `history_kernel`.
            utterance: [B, K] int32, which of its example's M utterances a prefix is at; a prefix
                at any other number gets scores without meaning.
        """
        own = tf.clip_by_value(utterance, 0, tf.shape(memory.summaries)[1] - 1)
        query = self._query(history + tf.gather(memory.summaries, own, batch_dims=1))  # [B * K, H]
        query_scores = tf.nn.bias_add(tf.matmul(query, memory.query_kernel), memory.query_bias)
        batch = tf.shape(utterance)
        query = tf.reshape(query, [batch[0], batch[1], query.shape[-1]])
        query_scores = tf.reshape(query_scores, [batch[0], batch[1], query_scores.shape[-1]])
        product = _one_by_one if memory.for_xla else tf.matmul
        attention_logits = product(query, memory.keys)
        attention_logits += tf.gather(memory.key_bias, own, batch_dims=1)
        # A loaded SavedModel knows no ranks, and TensorFlow complains at each start of this one's.
        attention_logits = tf.ensure_shape(attention_logits, [None, None, None])
        attention = tf.nn.softmax(attention_logits)  # [B, K, N]
        context_scores = product(attention, memory.values)
        logits = query_scores + context_scores
        return DecoderScores(
            log_probs=tf.nn.log_softmax(logits),
            logits=logits,
            query_scores=query_scores,
            context_scores=context_scores,
            attention=attention,
            query=query,
            history=history,
        )

    def _query(self, first_layer: tf.Tensor) -> tf.Tensor:
        """The query [B * K, H] from the first layer's linear part [B, K, H1]."""
        query = tf.nn.relu(tf.reshape(first_layer, [-1, first_layer.shape[-1]]))
        for layer in self.query_layers[1:]:
            query = tf.nn.relu(layer(query))
        return query


def _at_words(values: tf.Tensor, said: SaidWords) -> tf.Tensor:
    """[B, N, n] of values [B * M, W, n] of all words; zeros at padding."""
    flat = tf.reshape(values, [-1, values.shape[-1]])
    nothing = tf.shape(flat)[0]  # the row behind all words
    size = said.num_utterances * said.num_words
    first = tf.range(tf.shape(said.place)[0])[:, tf.newaxis] * size
    row = tf.where(said.present, first + said.place, nothing)
    return tf.gather(tf.pad(flat, [[0, 1], [0, 0]]), row)


def _by_utterance(key_bias: tf.Tensor, said: SaidWords) -> tf.Tensor:
    """[B, M, N] from [B, N]: as it is at an utterance's own words, very low elsewhere.

    The last place is padding in all examples: the one that utterances without words attend to.
    """
    utterances = tf.range(said.num_utterances)[:, tf.newaxis]
    own = tf.equal(utterances, said.utterance[:, tf.newaxis])  # [B, M, N]
    own &= said.present[:, tf.newaxis]
    last = tf.equal(tf.range(tf.shape(own)[2]), tf.shape(own)[2] - 1)
    elsewhere = tf.where(last, _PADDING_LOGIT, _ELSEWHERE_LOGIT)
    return tf.where(own, key_bias[:, tf.newaxis], elsewhere)


def _one_by_one(first: tf.Tensor, second: tf.Tensor) -> tf.Tensor:
    """[B, n, m] products of B pairs of matrices: XLA takes twice the time for all at once."""
    if first.shape[0] is None:
        return tf.matmul(first, second)
    return tf.stack([tf.matmul(*pair) for pair in zip(tf.unstack(first), tf.unstack(second))])
