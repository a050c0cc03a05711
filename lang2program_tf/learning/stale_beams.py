"""Stale beams: what a search found for an example serves for several visits to it."""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf

import gin
from lang2program_tf.machine import Examples
from lang2program_tf.model.parser_protocol import MemoryProtocol
from lang2program_tf.search import BeamSearch, SearchTree, best_programs
from lang2program_tf.search.replay import replay

_NEVER = -float("inf")
_NO_TOKEN = -1


class Exploration(NamedTuple):
    """What there is to learn from.

    Attributes:
        tree: the programs.
        searched: scalar int32, how many examples were searched.
        overflow: scalar int32, how many rewarded programs were lost for want of room.
    """

    tree: SearchTree
    searched: tf.Tensor
    overflow: tf.Tensor


@gin.configurable(denylist=["search", "num_examples", "max_utterances"])
class StaleBeams(tf.Module):
    """Searches an example anew when its beam has served `max_age` visits (as the original can).

    A beam is kept as its rewarded programs, which are all that the meritocratic weights look at,
    with the log-probabilities they had when they were found. Expired examples of a batch are
    searched as a batch of their own. An example that a batch holds twice is searched once.

    Attributes:
        programs: [N, R, L] int8 variable, token ids, −1 behind the end.
        log_probs: [N, R] float32 variable, −inf where there is no program.
        age: [N] int32 variable, how many visits the beam has served; 0: never searched.
    """

    def __init__(
        self,
        search: BeamSearch,
        *,
        num_examples: int,
        max_utterances: int,
        max_age: int = gin.REQUIRED,
        capacity: int = 128,
    ) -> None:
        """Creates the variables.

        Args:
            search: finds programs.
            num_examples: N, how many examples there are to learn from.
            max_utterances: the largest number of utterances of an example.
            max_age: how many visits a beam serves; 1 means that nothing is ever stale.
            capacity: R, how many programs of an example can be kept, the most probable ones.
        """
        super().__init__(name="stale_beams")
        for name, value in (("max_age", max_age), ("capacity", capacity)):
            if value < 1:
                raise ValueError(f"{name}={value} must be 1 or more")
        if search.selection.roots:
            raise ValueError(
                f"selection={search.selection} samples, and samples of an old parser do not serve"
            )
        self.search = search
        self.max_age = max_age
        self.capacity = capacity
        length = search.iterations_per_utterance * max_utterances
        self.programs = tf.Variable(
            tf.fill([num_examples, capacity, length], tf.constant(_NO_TOKEN, tf.int8)),
            trainable=False,
            name="programs",
        )
        self.log_probs = tf.Variable(
            tf.fill([num_examples, capacity], _NEVER), trainable=False, name="log_probs"
        )
        self.age = tf.Variable(tf.zeros([num_examples], tf.int32), trainable=False, name="age")

    def explore(
        self,
        memory: MemoryProtocol,
        examples: Examples,
        *,
        indices: tf.Tensor,
        seed: tf.Tensor,
        step: tf.Tensor,
    ) -> Exploration:
        """Programs of B examples, old or new.

        Args:
            memory: the parser's, of these examples.
            examples: the B examples.
            indices: [B] int32, their numbers among all examples.
            seed: [2] int32, of the search.
            step: training step, for schedules.
        """
        age = tf.gather(self.age, indices)
        expired = tf.equal(age, 0) | (age >= self.max_age)
        rows = tf.cast(tf.where(expired & _is_first(indices))[:, 0], tf.int32)
        searched = tf.size(rows)
        overflow = tf.cond(
            searched > 0,
            lambda: self._renew(memory, examples, indices, rows, seed, step),
            lambda: tf.constant(0),
        )
        self.age.scatter_update(tf.IndexedSlices(tf.where(expired, 1, age + 1), indices))
        log_probs = tf.gather(self.log_probs, indices)
        most = tf.maximum(tf.reduce_max(tf.math.count_nonzero(log_probs > _NEVER, axis=1)), 1)
        programs = tf.gather(self.programs, indices)[:, :most]
        tree = replay(
            self.search.machine, examples, tf.cast(programs, tf.int32), log_probs[:, :most]
        )
        return Exploration(tree, searched, overflow)

    def _renew(
        self,
        memory: MemoryProtocol,
        examples: Examples,
        indices: tf.Tensor,
        rows: tf.Tensor,
        seed: tf.Tensor,
        step: tf.Tensor,
    ) -> tf.Tensor:
        """Searches the examples `rows` [n] of the batch; how many programs did not fit."""
        tree = self.search.search(
            memory.of_examples(rows), examples.of_examples(rows), seed=seed, step=step
        )
        rewarded = tree._replace(complete=tf.where(tree.rewarded, tree.complete, _NEVER))
        found = best_programs(self.search.machine, rewarded, self.capacity)
        shape = tf.shape(found.tokens)
        room = [self.capacity - shape[1], self.programs.shape[2] - shape[2]]
        tokens = tf.pad(
            tf.cast(found.tokens, tf.int8),
            [[0, 0], [0, room[0]], [0, room[1]]],
            constant_values=_NO_TOKEN,
        )
        log_probs = tf.pad(found.log_prob, [[0, 0], [0, room[0]]], constant_values=_NEVER)
        numbers = tf.gather(indices, rows)
        self.programs.scatter_update(tf.IndexedSlices(tokens, numbers))
        self.log_probs.scatter_update(tf.IndexedSlices(log_probs, numbers))
        return tf.reduce_sum(tf.maximum(tree.num_rewarded - self.capacity, 0))


def _is_first(indices: tf.Tensor) -> tf.Tensor:
    """[B] bool, whether no entry before it is the same."""
    same = tf.cast(tf.equal(indices[:, tf.newaxis], indices), tf.int32)  # [B, B]
    return tf.equal(tf.argmax(same, axis=1, output_type=tf.int32), tf.range(tf.size(indices)))
