"""Reads complete programs out of a search tree."""

from __future__ import annotations

import tensorflow as tf

from lang2program_tf.log_probs import NEVER
from lang2program_tf.machine import Machine
from lang2program_tf.search.tree import Programs, SearchTree, by_example


def best_programs(machine: Machine, tree: SearchTree, count: int | tf.Tensor) -> Programs:
    """The `count` most probable complete programs of each example, found ones first.

    Ties stand in the order of discovery: iteration, prefix, action.
    """
    flat = by_example(tree.complete)  # [B, T * K, C]
    batch, num_actions = tf.shape(flat)[0], machine.num_actions
    flat = tf.reshape(flat, [batch, -1])
    best = tf.math.top_k(flat, k=tf.minimum(count, tf.shape(flat)[1]))
    found = best.values > NEVER
    action = best.indices % num_actions
    node = best.indices // num_actions  # index into T * K
    rewarded = tf.gather(
        tf.reshape(by_example(tree.rewarded), [batch, -1]), best.indices, batch_dims=1
    )
    last = tf.where(found, tf.gather(machine.action_tokens, action), -1)
    tokens = _trace_back(tree, node, last)
    edits = tf.reshape(by_example(tree.edits), [batch, -1, 3])
    command = tf.gather(edits, best.indices, batch_dims=1)
    world = machine.world_after(tf.gather(by_example(tree.world), node, batch_dims=1), command)
    beam_size = tf.shape(tree.parent)[2]
    return Programs(
        tokens=tf.where(found[..., tf.newaxis], tokens, -1),
        length=tf.where(found, node // beam_size + 1, 0),
        log_prob=best.values,
        rewarded=rewarded & found,
        world=tf.where(found[..., tf.newaxis], world, 0),
        command=command,
        agreeing=tf.cast(found, tf.int32),
    )


def _trace_back(tree: SearchTree, node: tf.Tensor, last: tf.Tensor) -> tf.Tensor:
    """[B, n, T] the tokens of programs, from prefixes `node` [B, n] and last tokens [B, n]."""
    iterations, beam_size = tf.shape(tree.parent)[0], tf.shape(tree.parent)[2]
    depth, place = node // beam_size, node % beam_size
    columns = tf.TensorArray(tf.int32, size=iterations, element_shape=node.shape)

    def back(
        iteration: tf.Tensor, place: tf.Tensor, columns: tf.TensorArray
    ) -> tuple[tf.Tensor, tf.Tensor, tf.TensorArray]:
        """Writes the token chosen in an iteration, and goes to the prefix it extended."""
        inside = iteration < depth
        token = tf.gather(tree.token[iteration], place, batch_dims=1)
        column = tf.where(inside, token, tf.where(tf.equal(depth, iteration), last, -1))
        parent = tf.gather(tree.parent[iteration], place, batch_dims=1)
        return iteration - 1, tf.where(inside, parent, place), columns.write(iteration, column)

    _, _, columns = tf.while_loop(
        lambda iteration, *_: iteration >= 0, back, (iterations - 1, place, columns)
    )
    return tf.transpose(columns.stack(), [1, 2, 0])
