"""What a search leaves behind: the tree of all prefixes that lived, and the complete programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import tensorflow as tf

from lang2program_tf.log_probs import NEVER


class Prefixes(NamedTuple):
    """The live prefixes of every iteration, as the execution history sees them.

    Attributes:
        recent: [T, B, K, 4] int32, ids of their last four tokens, −1 for none; of the whole
            program, whatever the search itself looked at.
        kinds: [T, B, K, S] int32 and
        values: [T, B, K, S, P] int32, their stacks as in `MachineState`.
    """

    recent: tf.Tensor
    kinds: tf.Tensor
    values: tf.Tensor


class SearchTree(NamedTuple):
    """T iterations of B beams of K prefixes; iteration t begins with prefixes of t tokens.

    Every complete program has a place of its own (iteration, prefix, action), so that none is ever
    lost, however many there are.

    Attributes:
        parent: [T, B, K] int32, for each prefix that the iteration *ends* with, the one it extends,
        token: [T, B, K] int32, by which token,
        score: [T, B, K] float32, its log-probability, −inf at places that hold no prefix.
        utterance: [T, B, K] int32, the utterance of each prefix that the iteration *begins* with.
        world: [T, B, K, P] int32, the encoded world each prefix has led to.
        complete: [T, B, K, C] float32, log-probability of the program that ends with the prefix and
            an action, −inf where there is none.
        rewarded: [T, B, K, C] bool, whether that program leads to the target.
        edits: [T, B, K, C, 3] int32, what that action does to the world, said as an entry of
            `MachineState.history`.
        prefixes: the prefixes' execution histories, None if the search was told not to keep them.
    """

    parent: tf.Tensor
    token: tf.Tensor
    score: tf.Tensor
    utterance: tf.Tensor
    world: tf.Tensor
    complete: tf.Tensor
    rewarded: tf.Tensor
    edits: tf.Tensor
    prefixes: Prefixes | None

    @property
    def num_complete(self) -> tf.Tensor:
        """[B] int32, how many complete programs were found."""
        found = self.complete > NEVER
        return tf.math.count_nonzero(found, axis=[0, 2, 3], dtype=tf.int32)

    @property
    def num_rewarded(self) -> tf.Tensor:
        """[B] int32, how many of them earn reward."""
        return tf.math.count_nonzero(self.rewarded, axis=[0, 2, 3], dtype=tf.int32)


class Programs(NamedTuple):
    """The n most probable complete programs of each example.

    Attributes:
        tokens: [B, n, T] int32, token ids, −1 behind the end.
        length: [B, n] int32, 0 where there is no program.
        log_prob: [B, n] float32, −inf where there is none.
        rewarded: [B, n] bool.
        world: [B, n, P] int32, the encoded final world.
        command: [B, n, 3] int32, the last command, as an entry of `MachineState.history`.
        agreeing: [B, n] int32, how many programs stand behind the log-probability: 1, or more if it
            is that of a world.
    """

    tokens: tf.Tensor
    length: tf.Tensor
    log_prob: tf.Tensor
    rewarded: tf.Tensor
    world: tf.Tensor
    command: tf.Tensor
    agreeing: tf.Tensor


def side_by_side(trees: Sequence[SearchTree]) -> SearchTree:
    """The tree of the examples of all; where one has fewer iterations, nothing follows."""
    if len(trees) == 1:
        return trees[0]
    known = {tree.complete.shape[0] for tree in trees}
    lengths = [tf.shape(tree.complete)[0] for tree in trees]
    longest = tf.reduce_max(tf.stack(lengths))

    def join(*parts: Any) -> Any:
        if parts[0] is None:  # prefixes that were not kept
            return None
        if len(known) == 1 and None not in known:
            return tf.concat(parts, axis=1)
        nothing = NEVER if parts[0].dtype == tf.float32 else tf.zeros([], parts[0].dtype)
        filled = []
        for part, length in zip(parts, lengths):
            paddings = [[0, longest - length], *[[0, 0]] * (len(part.shape) - 1)]
            filled.append(tf.pad(part, paddings, constant_values=nothing))
        return tf.concat(filled, axis=1)

    joined: SearchTree = tf.nest.map_structure(join, *trees)
    return joined


def by_example(parts: tf.Tensor) -> tf.Tensor:
    """[T, B, K, ...] to [B, T * K, ...]."""
    moved = tf.experimental.numpy.moveaxis(parts, 1, 0)
    shape = tf.shape(moved)
    joined = tf.concat([shape[:1], shape[1:2] * shape[2:3], shape[3:]], axis=0)
    return tf.reshape(moved, joined)
