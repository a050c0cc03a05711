"""Rows by chunks in the graph, so that no request needs more memory than one chunk does."""

from __future__ import annotations

from typing import Callable

import tensorflow as tf

Columns = dict[str, tf.Tensor]


def by_chunks(
    function: Callable[[Columns], Columns],
    columns: Columns,
    *,
    size: int,
    outputs: dict[str, tf.TensorSpec],
) -> Columns:
    """Applies a function to the rows of some tensors.

    Args:
        function: takes and gives tensors with the same number of rows, 1 to `size` of them. Rows
            must not depend on each other; it also gets rows of empty strings, zeros and False.
        columns: tensors [B, ...]; B may be 0.
        size: rows of a chunk.
        outputs: what the function gives, each without the leading axis.

    Returns:
        The tensors that the function gives, [B, ...].
    """
    counts = tf.stack([tf.shape(column)[0] for column in columns.values()])
    batch = counts[0]
    # Nothing waits for this, so all that follows must run with unequal columns as well.
    message = f"{', '.join(columns)} must have the same number of rows"
    tf.debugging.assert_equal(counts, batch, message)
    rows = tf.clip_by_value(batch, 1, size)
    chunks = tf.maximum(-(-batch // rows), 1)

    def fold(column: tf.Tensor) -> tf.Tensor:
        """[chunks, rows, ...] of [B, ...], with rows of nothing behind the last."""
        count, rest = tf.split(tf.shape(column), [1, -1])
        spare = tf.maximum(chunks * rows - count, 0)
        nothing = tf.zeros(tf.concat([spare, rest], axis=0), column.dtype)
        whole = tf.concat([column, nothing], axis=0)[: chunks * rows]
        folded = tf.reshape(whole, tf.concat([[chunks, rows], rest], axis=0))
        return tf.ensure_shape(folded, [None, None, *column.shape[1:]])

    results = tf.map_fn(
        function,
        {name: fold(column) for name, column in columns.items()},
        parallel_iterations=1,  # chunks at the same time would need the memory of all of them
        fn_output_signature={
            name: tf.TensorSpec([None, *spec.shape], spec.dtype) for name, spec in outputs.items()
        },
    )
    return {
        name: tf.reshape(result, tf.concat([[chunks * rows], tf.shape(result)[2:]], axis=0))[:batch]
        for name, result in results.items()
    }
