"""Turns weights of programs into weights of the tree's edges: "every prefix once".

A program is a path of edges (prefix, token) in the search tree. Σ over programs and tokens of
weight × log p is Σ over edges of (sum of the weights of the programs through the edge) × log p,
with far fewer terms, because programs share their beginnings.
"""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf

from lang2program_tf.learning.gradient import Decisions
from lang2program_tf.log_probs import NEVER
from lang2program_tf.machine import Machine
from lang2program_tf.machine.features import HistoryFeatures, stack_features
from lang2program_tf.search.tree import SearchTree, by_example


class Edges(NamedTuple):
    """All edges of B search trees: T * K that lead to prefixes, then T * K * C that complete.

    Attributes:
        prefix: [B, E] int32, index of the prefix that the edge leaves, into T * K.
        token: [B, E] int32.
    """

    prefix: tf.Tensor
    token: tf.Tensor


def all_edges(tree: SearchTree, action_tokens: tf.Tensor) -> Edges:
    """The edges of a tree, live ones first, then those that complete a program."""
    shape = tf.shape(tree.complete)
    iterations, batch, size, actions = shape[0], shape[1], shape[2], shape[3]
    first = tf.range(iterations)[:, tf.newaxis, tf.newaxis] * size  # of each iteration
    leaves = tf.tile(tf.repeat(tf.range(iterations * size), actions)[tf.newaxis], [batch, 1])
    ends = tf.tile(action_tokens[tf.newaxis], [batch, iterations * size])
    return Edges(
        prefix=tf.concat([by_example(tree.parent + first), leaves], axis=1),
        token=tf.concat([by_example(tree.token), ends], axis=1),
    )


def push_up(tree: SearchTree, numbers: tf.Tensor) -> tf.Tensor:
    """[B, E, n] sums over the programs through each edge.

    Args:
        tree: the search tree; T must be known.
        numbers: [T, B, K, C, n] n numbers for each complete program, 0 where there is none.
    """
    columns = numbers.shape[-1]
    to_parents = tf.one_hot(tree.parent, tf.shape(numbers)[2], axis=2)  # [T, B, K parents, K]
    ending = tf.reduce_sum(numbers, axis=3)  # [T, B, K, n] of the programs that end at a prefix
    below = tf.zeros_like(ending[0])
    by_iteration = []  # of the prefixes that each iteration ends with, the last first
    for to_parent, ends in reversed([*zip(tf.unstack(to_parents), tf.unstack(ending))]):
        by_iteration.append(below)
        below = tf.matmul(to_parent, below) + ends
    leaves = tf.reshape(by_example(numbers), [tf.shape(numbers)[1], -1, columns])
    return tf.concat([by_example(tf.stack(by_iteration[::-1])), leaves], axis=1)


def used_rows(used: tf.Tensor) -> tf.Tensor:
    """[B, R] int32, the edges that are True in [B, E], in order.

    R is the largest number of them in an example, at least 1; where an example has fewer, edges
    that are not used follow.
    """
    most = tf.reduce_max(tf.math.count_nonzero(used, axis=1, dtype=tf.int32))
    return tf.math.top_k(tf.cast(used, tf.int32), k=tf.maximum(most, 1)).indices


def decisions_at(machine: Machine, tree: SearchTree, edges: Edges, row: tf.Tensor) -> Decisions:
    """The edges `row` [B, R] as decisions, with the full execution history."""
    if tree.prefixes is None:
        raise ValueError("tree.prefixes is None: search with keep_prefixes=True")
    prefix = tf.gather(edges.prefix, row, batch_dims=1)

    def of_prefix(parts: tf.Tensor) -> tf.Tensor:
        return tf.gather(by_example(parts), prefix, batch_dims=1)

    kinds, values = of_prefix(tree.prefixes.kinds), of_prefix(tree.prefixes.values)
    return Decisions(
        history=HistoryFeatures(
            tokens=of_prefix(tree.prefixes.recent),
            stack=stack_features(machine.rules, kinds, values),
        ),
        utterance=of_prefix(tree.utterance),
        token=tf.maximum(tf.gather(edges.token, row, batch_dims=1), 0),
    )


def path_log_probs(tree: SearchTree, row: tf.Tensor, log_prob: tf.Tensor) -> tf.Tensor:
    """[T, B, K, C] log-probabilities of the complete programs: sums along their paths.

    Args:
        tree: the search tree; T must be known.
        row: [B, R] at least all edges that complete programs go through.
        log_prob: [B, R] float32, the log-probability of each edge's token.
    """
    shape = tf.shape(tree.complete)
    iterations, batch, size, actions = shape[0], shape[1], shape[2], shape[3]
    example = tf.broadcast_to(tf.range(batch)[:, tf.newaxis], tf.shape(row))
    edges = tf.scatter_nd(
        tf.stack([example, row], axis=-1), log_prob, [batch, iterations * size * (1 + actions)]
    )
    to_prefixes, to_ends = tf.split(edges, [iterations * size, iterations * size * actions], axis=1)
    live = tf.transpose(tf.reshape(to_prefixes, [batch, iterations, size]), [1, 0, 2])
    ends = tf.reshape(to_ends, [batch, iterations, size, actions])
    above = tf.zeros_like(live[0])
    by_iteration = []  # of the prefixes that each iteration begins with
    for parent, edge in zip(tf.unstack(tree.parent), tf.unstack(live, tree.parent.shape[0])):
        by_iteration.append(above)
        above = tf.gather(above, parent, batch_dims=1) + edge
    total = tf.stack(by_iteration)[..., tf.newaxis] + tf.transpose(ends, [1, 0, 2, 3])
    return tf.where(tree.complete > NEVER, total, NEVER)
