"""What the original's Adam wants to know beside the gradient: the squares of single look-ups."""

from __future__ import annotations

import tensorflow as tf

from lang2program_tf.learning.gradient import DecisionWeights, ScoredDecisions
from lang2program_tf.learning.optimizers import TableSquares
from lang2program_tf.machine.features import StackFeatures
from lang2program_tf.machine.primitives import NUM_PRIMITIVES
from lang2program_tf.model.history import StackHistory
from lang2program_tf.model.parser import Parser, ParserMemory


def looked_up(parser: Parser) -> list[tf.Variable]:
    """The tables whose look-ups are squared."""
    tables = [parser.token_embeddings]
    return tables if parser.stack_history is None else [*tables, parser.primitive_embeddings]


def lookup_squares(
    parser: Parser,
    memory: ParserMemory,
    scored: ScoredDecisions,
    history_gradient: tf.Tensor,
    weights: DecisionWeights,
) -> list[TableSquares]:
    """What the original's sparse Adam puts into the second moments of the embedding tables.

    There a table's gradient is a list of look-ups, and each is squared by itself: for each case,
    each token scored, by either score part; and each slot of the history. A case is one decision of
    one program, so a decision that several programs share counts with Σ w², not (Σ w)².

    Args:
        parser: the parser.
        memory: its memory of the B examples.
        scored: the decisions.
        history_gradient: [B, R, H1] gradient of `weighted_loss` by `scored.scores.history`.
        weights: of the decisions.
    """
    # What the gradient would be with a weight of √Σ w².
    scale = tf.math.divide_no_nan(tf.sqrt(weights.squared), weights.traced)
    by_slot = tf.matmul(
        _rows(history_gradient * scale[..., tf.newaxis]),
        parser.decoder.history_kernel,
        transpose_b=True,
    )  # [B * R, F]
    history = scored.decisions.history
    tokens = _score_squares(parser, memory, scored, weights.squared)
    found = [tokens]
    if parser.tokens_history is not None:
        width = parser.tokens_history.width
        found = [tokens + _token_slot_squares(parser, by_slot[:, :width], history.tokens)]
    if parser.stack_history is not None and history.stack is not None:
        width = parser.stack_history.width
        found.append(_stack_squares(parser.stack_history, by_slot[:, -width:], history.stack))
    return [TableSquares(*pair) for pair in zip(looked_up(parser), found)]


def _score_squares(
    parser: Parser, memory: ParserMemory, scored: ScoredDecisions, squared: tf.Tensor
) -> tf.Tensor:
    """[V, D] squares of the look-ups of scored tokens: one matrix product of squares."""
    scores = scored.scores
    num_tokens = scores.log_probs.shape[-1]
    errors = tf.exp(scores.log_probs) - tf.one_hot(scored.decisions.token, num_tokens)
    weighted = tf.square(errors) * squared[..., tf.newaxis]  # [B, R, V]
    context = tf.matmul(scores.attention, memory.decoder.states)
    by_query = parser.decoder.query_scorer(_rows(scores.query))
    by_context = parser.decoder.context_scorer(_rows(context))
    both = tf.square(by_query) + tf.square(by_context)  # [B * R, D]
    return tf.matmul(_rows(weighted), both, transpose_a=True)


def _token_slot_squares(parser: Parser, gradient: tf.Tensor, tokens: tf.Tensor) -> tf.Tensor:
    """[V, D] squares of the look-ups of the last four tokens; a missing one (−1) counts nowhere."""
    num_tokens, dimensions = parser.token_embeddings.shape
    squares = tf.square(tf.reshape(gradient, [-1, dimensions]))  # [B * R * 4, D]
    return tf.math.unsorted_segment_sum(squares, tf.reshape(tokens, [-1]), num_tokens)


def _stack_squares(history: StackHistory, gradient: tf.Tensor, stack: StackFeatures) -> tf.Tensor:
    """[28, D] squares of the look-ups of slots, and of the attributes of objects in slots."""
    slots = tf.reshape(gradient, [-1, history.dimensions])  # [B * R * 3, D]
    plain = tf.math.unsorted_segment_sum(
        tf.square(slots), tf.reshape(stack.primitive, [-1]), NUM_PRIMITIVES
    )
    holds_object = tf.reshape(stack.is_object, [-1])
    attributes = tf.boolean_mask(tf.reshape(stack.attributes, [-1, history.parts]), holds_object)
    by_attribute = tf.matmul(
        tf.boolean_mask(slots, holds_object), history.objects.kernel, transpose_b=True
    )
    squares = tf.square(tf.reshape(by_attribute, [-1, history.dimensions]))  # [n * parts, D]
    return plain + tf.math.unsorted_segment_sum(
        squares, tf.reshape(attributes, [-1]), NUM_PRIMITIVES
    )


def _rows(values: tf.Tensor) -> tf.Tensor:
    """[B, R, n] to [B * R, n]."""
    return tf.reshape(values, [-1, values.shape[-1]])
