"""The live prefixes of a search, and what one iteration makes of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import tensorflow as tf

from lang2program_tf.machine import Machine, MachineState
from lang2program_tf.machine.features import ABSENT
from lang2program_tf.search.records import Record


class Beam(NamedTuple):
    """The live prefixes.

    Attributes:
        state: their execution states.
        recent: [B, K, 4] int32, their last tokens.
        score: [B, K] float32, log-probability, −inf at places that hold no prefix.
    """

    state: MachineState
    recent: tf.Tensor
    score: tf.Tensor


class Step(NamedTuple):
    """What one iteration makes of a beam.

    Attributes:
        following: the beam after it.
        index: [B, K] int32, what the rule chose: index into the joined axes of prefixes and tokens.
        complete: [B, K, C] float32, log-probability of the programs that an action completes and
            the rule keeps, −inf elsewhere.
        commands: [B, K, C + 1, 3] int32, see `Options`.
        parent: [B, K] int32, the prefix that each prefix of the following beam continues.
        source: [B, K, S] int32, where its stack slots come from, see `Following`.
        seen: what the parser looked at.
    """

    following: Beam
    index: tf.Tensor
    complete: tf.Tensor
    commands: tf.Tensor
    parent: tf.Tensor
    source: tf.Tensor
    seen: Any


def record_of(beam: Beam, taken: Step) -> Record:
    """What is kept of the iteration that takes a step from a beam."""
    return Record(
        index=taken.index,
        score=taken.following.score,
        complete=taken.complete,
        utterance=beam.state.utterance,
        world=beam.state.world,
        commands=taken.commands,
        recent=beam.recent,
        kinds=beam.state.kinds,
        values=beam.state.values,
    )


def of_this_utterance(machine: Machine, recent: tf.Tensor) -> tf.Tensor:
    """Recent tokens [B, K, 4] without those up to the last action."""
    ends = tf.reduce_any(tf.equal(recent[..., tf.newaxis], machine.action_tokens), axis=-1)
    before = tf.cumsum(tf.cast(ends, tf.int32), axis=-1, reverse=True) > 0
    return tf.where(before, ABSENT, recent)
