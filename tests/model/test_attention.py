"""Attention: what is read is the sum of the values, weighted by how well their keys fit."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from lang2program_tf.model.attention import Attention
from lang2program_tf.model.initial_values import InitialValues

ITEMS = np.random.default_rng(1).normal(size=[2, 5, 6]).astype(np.float32)
QUERIES = np.random.default_rng(2).normal(size=[2, 3, 8]).astype(np.float32)
PRESENT = np.array([[True, True, False, True, False], [True] * 5])


def attention(*, heads: int = 2, may_be_empty: bool = False) -> Attention:
    layer = Attention(
        6,
        query_width=8,
        value_width=4,
        heads=heads,
        may_be_empty=may_be_empty,
        initial=InitialValues(3),
    )
    layer.keys.bias.assign(np.linspace(-1, 1, 8))
    layer.values.bias.assign(np.linspace(1, 2, 4))
    return layer


def read(layer: Attention, items=ITEMS, present=PRESENT) -> tuple[np.ndarray, np.ndarray]:
    """What the queries read, and their weights."""
    prepared = layer.prepare(tf.constant(items), tf.constant(present))
    found, weights = layer.read(prepared, tf.constant(QUERIES))
    return found.numpy(), weights.numpy()


@pytest.mark.parametrize("heads", [1, 2, 4])
def test_each_head_reads_with_its_part_of_the_query(heads):
    layer = attention(heads=heads)
    found, weights = read(layer)
    for b in range(2):
        there = np.flatnonzero(PRESENT[b])
        keys = ITEMS[b, there] @ layer.keys.kernel.numpy() + layer.keys.bias.numpy()
        values = ITEMS[b, there] @ layer.values.kernel.numpy() + layer.values.bias.numpy()
        for r in range(3):
            parts = []
            for head, (query, key, value) in enumerate(
                zip(
                    np.split(QUERIES[b, r], heads),
                    np.split(keys, heads, axis=1),
                    np.split(values, heads, axis=1),
                )
            ):
                shares = np.exp(key @ query / np.sqrt(len(query)))
                shares /= shares.sum()
                np.testing.assert_allclose(weights[b, head, r, there], shares, atol=1e-6)
                parts.append(shares @ value)
            np.testing.assert_allclose(found[b, r], np.concatenate(parts), atol=1e-5)


def test_items_that_are_not_there_do_not_matter():
    layer = attention()
    other = np.where(PRESENT[..., np.newaxis], ITEMS, 7.0)
    for one, same in zip(read(layer), read(layer, items=other)):
        np.testing.assert_array_equal(one, same)


def test_where_there_is_nothing_it_reads_what_stands_for_nothing():
    layer = attention(may_be_empty=True)
    found, weights = read(layer, present=np.zeros_like(PRESENT))
    np.testing.assert_allclose(weights[..., 0], 1, atol=1e-6)
    nothing = layer.values(layer.nothing)[0]
    np.testing.assert_allclose(found, np.broadcast_to(nothing, found.shape), atol=1e-6)


def test_nothing_is_one_item_more_where_there_are_others():
    _, weights = read(attention(may_be_empty=True))
    assert weights.shape == (2, 2, 3, 6)
    assert (weights[..., 0] > 0.001).all()
    np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-6)


def test_examples_can_be_taken_apart():
    layer = attention()
    prepared = layer.prepare(tf.constant(ITEMS), tf.constant(PRESENT))
    both, _ = layer.read(prepared, tf.constant(QUERIES))
    for rows in (slice(1, 2), tf.constant([1])):
        one, _ = layer.read(prepared.of_examples(rows), tf.constant(QUERIES[1:]))
        np.testing.assert_allclose(one, both[1:], atol=1e-6)


def test_heads_must_divide_the_widths():
    with pytest.raises(ValueError, match="heads=3 must divide 8 and 4"):
        attention(heads=3)
