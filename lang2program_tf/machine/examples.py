"""A batch of examples in the machine's codes: where programs begin, and where they should end."""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf


class Examples(NamedTuple):
    """B examples; int32.

    An example may begin in the middle of a dialogue: then its first utterances are dealt with, and
    programs go on from the world and the commands that these have left.

    Attributes:
        world: [B, P] encoded start worlds.
        next_identity: [B] the rules' `next_identity` of the start worlds.
        target: [B, P] encoded target worlds.
        num_utterances: [B] all utterances, those that are dealt with included.
        history: [B, M, 3] the commands performed before the start, as in `MachineState`; M is at
            least the largest number of utterances. An entry of zeros that counts is a command that
            nobody knows: no program can refer to it.
        num_commands: [B] how many of them count.
        first_world: [B, P] encoded worlds in which the dialogues began.
    """

    world: tf.Tensor
    next_identity: tf.Tensor
    target: tf.Tensor
    num_utterances: tf.Tensor
    history: tf.Tensor
    num_commands: tf.Tensor
    first_world: tf.Tensor

    @classmethod
    def without_history(
        cls,
        world: tf.Tensor,
        *,
        next_identity: tf.Tensor,
        target: tf.Tensor,
        num_utterances: tf.Tensor,
    ) -> Examples:
        """Examples that begin with their first utterance."""
        batch, longest = tf.shape(num_utterances)[0], tf.reduce_max(num_utterances)
        return cls(
            world=world,
            next_identity=next_identity,
            target=target,
            num_utterances=num_utterances,
            history=tf.zeros([batch, longest, 3], tf.int32),
            num_commands=tf.zeros_like(num_utterances),
            first_world=world,
        )

    @property
    def num_new(self) -> tf.Tensor:
        """[B] int32, how many utterances there are to parse."""
        return self.num_utterances - self.num_commands

    def of_examples(self, rows: slice | tf.Tensor) -> Examples:
        """Some of the examples, by a slice or by their numbers [n]."""
        return Examples(*(take(part, rows) for part in self))


def take(part: tf.Tensor, rows: slice | tf.Tensor) -> tf.Tensor:
    """Some rows of a tensor, by a slice or by their numbers [n]."""
    return part[rows] if isinstance(rows, slice) else tf.gather(part, rows)
