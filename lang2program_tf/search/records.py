"""What a search keeps of every iteration, and the tree that is made of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import tensorflow as tf

from lang2program_tf.log_probs import NEVER
from lang2program_tf.machine import Machine
from lang2program_tf.machine.features import HISTORY_TOKENS
from lang2program_tf.search.tree import Prefixes, SearchTree


class Record(NamedTuple):
    """One iteration; with a leading axis T all of them.

    Attributes:
        index: [B, K] int32, the continuations that live on, by prefix and token.
        score: [B, K] float32, their log-probabilities.
        complete: [B, K, C] float32, log-probabilities of complete programs.
        utterance: [B, K] int32, the utterances that the prefixes are at.
        world: [B, K, P] int32, their worlds.
        commands: [B, K, C + 1, 3] int32, see `Options`.
        recent: [B, K, 4] int32, their last tokens.
        kinds: [B, K, S] int32 and
        values: [B, K, S, P] int32, their stacks, see `MachineState`.
    """

    index: tf.Tensor
    score: tf.Tensor
    complete: tf.Tensor
    utterance: tf.Tensor
    world: tf.Tensor
    commands: tf.Tensor
    recent: tf.Tensor
    kinds: tf.Tensor
    values: tf.Tensor


class Records:
    """Writes records and reads the tree out of them."""

    def __init__(self, machine: Machine, beam_size: int, *, keep_prefixes: bool) -> None:
        """Without `keep_prefixes`, the last tokens and the stacks are not kept."""
        self._machine = machine
        self._beam_size = beam_size
        self._keep_prefixes = keep_prefixes
        self._kept = len(Record._fields) if keep_prefixes else Record._fields.index("recent")

    def start(self, room: int | tf.Tensor, batch: int | None) -> list[tf.TensorArray]:
        """Room for so many records of B examples; None: any number of them."""
        positions, slots = self._machine.rules.num_positions, self._machine.stack_slots
        actions = self._machine.num_actions
        kinds: list[tuple[tf.DType, list[int]]] = [
            (tf.int32, []),
            (tf.float32, []),
            (tf.float32, [actions]),
            (tf.int32, []),
            (tf.int32, [positions]),
            (tf.int32, [actions + 1, 3]),
            (tf.int32, [HISTORY_TOKENS]),
            (tf.int32, [slots]),
            (tf.int32, [slots, positions]),
        ]
        return [
            tf.TensorArray(dtype, size=room, element_shape=[batch, self._beam_size, *shape])
            for dtype, shape in kinds[: self._kept]
        ]

    def write(
        self, arrays: list[tf.TensorArray], iteration: tf.Tensor, record: Record
    ) -> list[tf.TensorArray]:
        """Writes one record."""
        return [array.write(iteration, part) for array, part in zip(arrays, record)]

    def tree(
        self, records: Sequence[tf.Tensor], iterations: tf.Tensor, target: tf.Tensor
    ) -> SearchTree:
        """The tree of the first `iterations` of stacked records; `target` is [B, P].

        With prefixes it keeps its full length, which learning must know: nothing was found in the
        iterations behind.
        """
        if self._keep_prefixes:
            done = tf.range(tf.shape(records[0])[0]) < iterations
            kept = Record(*records)
            kept = kept._replace(
                score=tf.where(done[:, tf.newaxis, tf.newaxis], kept.score, NEVER),
                complete=tf.where(
                    done[:, tf.newaxis, tf.newaxis, tf.newaxis], kept.complete, NEVER
                ),
            )
            records = kept
        else:
            records = [part[:iterations] for part in records]
        index, score, complete, utterance, world, commands, *prefixes = records
        parent, token = unravel(self._machine, index)
        edits = commands[..., :-1, :]
        return SearchTree(
            parent=parent,
            token=token,
            score=score,
            utterance=utterance,
            world=world,
            complete=complete,
            rewarded=_rewarded(self._machine, complete, world, edits, target),
            edits=edits,
            prefixes=Prefixes(*prefixes) if prefixes else None,
        )


def unravel(machine: Machine, index: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Prefixes and tokens of indices into their joined axes."""
    num_tokens = len(machine.rules.domain.tokens)
    return index // num_tokens, index % num_tokens


def _rewarded(
    machine: Machine,
    complete: tf.Tensor,
    world: tf.Tensor,
    edits: tf.Tensor,
    target: tf.Tensor,
) -> tf.Tensor:
    """[T, B, K, C] whether complete programs lead to the target; few places hold one."""
    found = tf.where(complete > NEVER)  # [n, 4]
    after = machine.world_after(tf.gather_nd(world, found[:, :3]), tf.gather_nd(edits, found))
    reached = machine.same_world(after, tf.gather(target, found[:, 1]))
    counted = tf.scatter_nd(found, tf.cast(reached, tf.int32), tf.shape(complete, tf.int64))
    return counted > 0
