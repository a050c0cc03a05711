"""Attention: a query reads what it looks for out of a memory of items."""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf

from lang2program_tf.machine.examples import take
from lang2program_tf.model.initial_values import InitialValues
from lang2program_tf.model.linear import Linear

_NOT_THERE = -1e9


class Items(NamedTuple):
    """N items of each of B examples, ready to be read by each of h heads.

    Attributes:
        keys: [B, h, N, Q / h] float32, what queries are compared with.
        bias: [B, N] float32, added to what the comparison gives; very low where there is no item.
        values: [B, h, N, C / h] float32, what is read.
    """

    keys: tf.Tensor
    bias: tf.Tensor
    values: tf.Tensor

    def of_examples(self, rows: slice | tf.Tensor) -> Items:
        """What it holds of some of the examples."""
        return Items(*(take(part, rows) for part in self))

    def with_room(self, count: tf.Tensor) -> Items:
        """The same with items that are not there, until there are `count`."""
        behind = [0, count - tf.shape(self.bias)[1]]
        return Items(
            keys=tf.pad(self.keys, [[0, 0], [0, 0], behind, [0, 0]]),
            bias=tf.pad(self.bias, [[0, 0], behind], constant_values=_NOT_THERE),
            values=tf.pad(self.values, [[0, 0], [0, 0], behind, [0, 0]]),
        )


class Attention(tf.keras.layers.Layer):
    """Several heads read, each with its part of a query: softmax(query · key / √(Q / h)).

    Several, because more than one word may say which object is meant (Vaswani et al., 2017).
    """

    def __init__(
        self,
        item_width: int,
        *,
        query_width: int,
        value_width: int,
        heads: int,
        may_be_empty: bool,
        initial: InitialValues,
    ) -> None:
        """Creates the variables.

        Args:
            item_width: I, of an item.
            query_width: Q, of a query.
            value_width: C, of what is read.
            heads: h, which divides both.
            may_be_empty: whether queries may find nothing; then "nothing" is one more item, the
                first, with a key and a value of its own.
            initial: where initial values come from.
        """
        super().__init__()
        if query_width % heads or value_width % heads:
            raise ValueError(f"heads={heads} must divide {query_width} and {value_width}")
        self.heads = heads
        with tf.name_scope("keys"):
            self.keys = Linear(item_width, outputs=query_width, initial=initial)
        with tf.name_scope("values"):
            self.values = Linear(item_width, outputs=value_width, initial=initial)
        self.nothing: tf.Variable | None = None
        if may_be_empty:
            self.nothing = tf.Variable(initial.glorot_uniform(1, item_width), name="nothing")

    def prepare(self, items: tf.Tensor, present: tf.Tensor) -> Items:
        """Multiplies out what no query changes.

        Args:
            items: [B, N, I] float32.
            present: [B, N] bool.
        """
        bias = tf.where(present, 0.0, _NOT_THERE)
        if self.nothing is not None:
            nothing = tf.repeat(self.nothing[tf.newaxis], tf.shape(items)[0], axis=0)
            items = tf.concat([nothing, items], axis=1)
            bias = tf.pad(bias, [[0, 0], [1, 0]])
        flat = tf.reshape(items, [-1, items.shape[-1]])
        count = tf.shape(items)[1]
        scale = (self.keys.bias.shape[0] / self.heads) ** -0.5
        return Items(
            keys=self._by_head(self.keys(flat) * scale, count),
            bias=bias,
            values=self._by_head(self.values(flat), count),
        )

    def read(self, items: Items, query: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """What queries [B, R, Q] read, [B, R, C], and the weights of all items, [B, h, R, N]."""
        count = tf.shape(query)[1]
        queries = self._by_head(query, count)
        logits = tf.matmul(queries, items.keys, transpose_b=True)
        weights = tf.nn.softmax(logits + items.bias[:, tf.newaxis, tf.newaxis])
        read = tf.transpose(tf.matmul(weights, items.values), [0, 2, 1, 3])  # [B, R, h, C / h]
        return tf.reshape(read, [-1, count, self.values.bias.shape[0]]), weights

    def _by_head(self, values: tf.Tensor, count: tf.Tensor) -> tf.Tensor:
        """[B, h, count, n / h] of B * count * n numbers."""
        width = values.shape[-1] // self.heads
        return tf.transpose(tf.reshape(values, [-1, count, self.heads, width]), [0, 2, 1, 3])
