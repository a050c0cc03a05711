"""Execution history, TOKENS and STACK (Section 3), folded into the layer above.

Both histories only ever enter the decoder through its first linear layer. So each has two stages:
`prepare` multiplies the embedding tables by that layer's kernel, once for many prefixes, and
`embed` fetches and adds rows of the products. With the identity for a kernel, `embed` gives the
plain embedding of the paper.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import tensorflow as tf

from lang2program_tf.machine.features import (
    HISTORY_TOKENS,
    MAX_OBJECTS,
    STACK_SLOTS,
    StackFeatures,
)
from lang2program_tf.machine.primitives import NUM_PRIMITIVES
from lang2program_tf.model.initial_values import InitialValues
from lang2program_tf.model.linear import Linear


class TokensHistory(tf.keras.layers.Layer):
    """TOKENS: the embeddings of the last 4 tokens side by side, zeros where there is none."""

    def __init__(self, token_embeddings: tf.Variable) -> None:
        """Shares the parser's token table [V, D]."""
        super().__init__()
        self.token_embeddings = token_embeddings

    @property
    def width(self) -> int:
        """Width of the plain embedding, 4 * D."""
        return HISTORY_TOKENS * int(self.token_embeddings.shape[1])

    def prepare(self, kernel: tf.Tensor) -> tf.Tensor:
        """The table for `embed`: [4 * (V + 1), H] for the kernel [4 * D, H] of the layer above."""
        rows = tf.pad(self.token_embeddings, [[1, 0], [0, 0]])  # row 0 is "no token"
        dimensions, outputs = self.token_embeddings.shape[1], kernel.shape[1]
        kernels = tf.reshape(kernel, [HISTORY_TOKENS, dimensions, outputs])
        return tf.reshape(tf.matmul(rows[tf.newaxis], kernels), [-1, outputs])

    def embed(self, tokens: tf.Tensor, table: tf.Tensor) -> tf.Tensor:
        """[..., H] from `tokens` [..., 4] int32 (see HistoryFeatures) and the prepared table."""
        rows_per_column = int(self.token_embeddings.shape[0]) + 1
        rows = tf.reshape(tokens, [-1, HISTORY_TOKENS])
        rows += tf.range(HISTORY_TOKENS) * rows_per_column + 1
        return _with_lead(tf.reduce_sum(tf.gather(table, rows), axis=1), tokens)


class StackTables(NamedTuple):
    """What StackHistory prepares for many prefixes.

    Attributes:
        rows: [A * 7 * 29 + 30, D] float32. For each attribute and object index a row of zeros and
            the 28 primitives times their part of the object layer's kernel; then a row of zeros,
            the 28 primitives themselves, and the object layer's bias.
        kernel: [3 * D, H] float32, kernel of the layer above.
    """

    rows: tf.Tensor
    kernel: tf.Tensor


class StackHistory(tf.keras.layers.Layer):
    """STACK: three slots of the stack side by side, the top of the stack last.

    A number, color or fraction is its row of the primitive table. An object or list is a linear
    layer over the primitive embeddings of every attribute of up to 7 objects: a sum of one row
    for each attribute and object index, which is how it is computed.
    """

    def __init__(
        self, primitive_embeddings: tf.Variable, *, num_attributes: int, initial: InitialValues
    ) -> None:
        """Shares the parser's primitive table [28, D]."""
        super().__init__()
        self.primitive_embeddings = primitive_embeddings
        self.dimensions = int(primitive_embeddings.shape[1])
        self.parts = num_attributes * MAX_OBJECTS
        with tf.name_scope("objects"):
            self.objects = Linear(
                self.parts * self.dimensions, outputs=self.dimensions, initial=initial
            )

    @property
    def width(self) -> int:
        """Width of the plain embedding, 3 * D."""
        return STACK_SLOTS * self.dimensions

    def prepare(self, kernel: tf.Tensor) -> StackTables:
        """The tables for `embed`, given the kernel [3 * D, H] of the layer above."""
        primitives = tf.pad(self.primitive_embeddings, [[1, 0], [0, 0]])  # row 0 is "absent"
        kernels = tf.reshape(self.objects.kernel, [self.parts, self.dimensions, self.dimensions])
        products = tf.reshape(tf.matmul(primitives[tf.newaxis], kernels), [-1, self.dimensions])
        rows = tf.concat([products, primitives, self.objects.bias[tf.newaxis]], axis=0)
        return StackTables(rows, kernel)

    def embed(self, stack: StackFeatures, tables: StackTables) -> tf.Tensor:
        """[..., H] from a StackFeatures with leading dimensions [...] and the prepared tables."""
        slots = self.embed_values(self.value_rows(stack), tables)
        return _with_lead(self.project(slots, tables), stack.primitive)

    def value_rows(self, values: StackFeatures) -> tf.Tensor:
        """[R, n] int32, for R values the rows of `StackTables.rows` whose sum embeds them."""
        step = NUM_PRIMITIVES + 1
        attributes = tf.reshape(values.attributes, [-1, self.parts])
        # An object has primitive −1, so that adding one step to it gives the bias row.
        own = values.primitive + step * tf.cast(values.is_object, tf.int32)
        rows = tf.concat([attributes, tf.reshape(own, [-1, 1])], axis=1)
        return rows + (step * np.arange(self.parts + 1) + 1)

    def embed_values(
        self, rows: tf.Tensor, tables: StackTables, *, for_xla: bool = False
    ) -> tf.Tensor:
        """[R, D] the embeddings of values, given their rows [R, n]."""
        if for_xla:  # which fuses this, and does not have the other operation
            return tf.reduce_sum(tf.gather(tables.rows, rows), axis=1)
        return _sum_of_rows(tables.rows, rows)

    def project(self, slots: tf.Tensor, tables: StackTables) -> tf.Tensor:
        """[R, H] from the embeddings of the three slots of R stacks, 3 * R * D numbers in all."""
        return tf.matmul(tf.reshape(slots, [-1, self.width]), tables.kernel)


def _sum_of_rows(table: tf.Tensor, rows: tf.Tensor) -> tf.Tensor:
    """[R, D]: for each row of `rows` [R, n] int32, the sum of n rows of `table` [T, D].

    One fused operation; a gather would first write out [R, n, D].
    """
    segments = tf.broadcast_to(tf.range(tf.shape(rows)[0])[:, tf.newaxis], tf.shape(rows))
    return tf.sparse.segment_sum(table, tf.reshape(rows, [-1]), tf.reshape(segments, [-1]))


def _with_lead(flat: tf.Tensor, features: tf.Tensor) -> tf.Tensor:
    """`flat` [R, H] as [..., H], if `features` is [..., n]."""
    return tf.reshape(flat, tf.concat([tf.shape(features)[:-1], tf.shape(flat)[1:]], axis=0))
