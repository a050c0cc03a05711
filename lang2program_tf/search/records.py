"""What a search keeps of every iteration, and the tree that is made of it."""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf

from lang2program_tf.machine import Machine
from lang2program_tf.machine.features import HISTORY_TOKENS
from lang2program_tf.search.tree import Prefixes, SearchTree

_NEVER = -float("inf")


class Record(NamedTuple):
    """One iteration; with a leading axis T all of them.

    Attributes:
        index: [B, K] int32, the continuations that live on, by prefix and token.
        score: [B, K] float32, their log-probabilities.
        complete: [B, K, C] float32, log-probabilities of complete programs.
        rows: [B, K, P + 2] int32, worlds and counters, see `PackedState`.
        commands: [B, K, C + 1, 3] int32, see `Options`.
        recent: [B, K, 4] int32, the last tokens of the prefixes.
        slots: [B, K, S, 1 + P] int32, their stacks, see `PackedState`.
    """

    index: tf.Tensor
    score: tf.Tensor
    complete: tf.Tensor
    rows: tf.Tensor
    commands: tf.Tensor
    recent: tf.Tensor
    slots: tf.Tensor


class Records:
    """Writes records and reads the tree out of them."""

    def __init__(self, machine: Machine, beam_size: int, *, keep_prefixes: bool) -> None:
        """Without `keep_prefixes`, the last tokens and the stacks are not kept."""
        self._machine = machine
        self._beam_size = beam_size
        self._kept = len(Record._fields) if keep_prefixes else Record._fields.index("recent")

    def start(self, iterations: tf.Tensor) -> list[tf.TensorArray]:
        """Room for `iterations` records."""
        positions, slots = self._machine.rules.num_positions, self._machine.stack_slots
        actions = self._machine.num_actions
        kinds: list[tuple[tf.DType, list[int]]] = [
            (tf.int32, []),
            (tf.float32, []),
            (tf.float32, [actions]),
            (tf.int32, [positions + 2]),
            (tf.int32, [actions + 1, 3]),
            (tf.int32, [HISTORY_TOKENS]),
            (tf.int32, [slots, 1 + positions]),
        ]
        return [
            tf.TensorArray(dtype, size=iterations, element_shape=[None, self._beam_size, *shape])
            for dtype, shape in kinds[: self._kept]
        ]

    def write(
        self, arrays: list[tf.TensorArray], iteration: tf.Tensor, record: Record
    ) -> list[tf.TensorArray]:
        """Writes one record."""
        return [array.write(iteration, part) for array, part in zip(arrays, record)]

    def tree(
        self, arrays: list[tf.TensorArray], iterations: tf.Tensor, target: tf.Tensor
    ) -> SearchTree:
        """The tree of the first `iterations` records; `target` is [B, P]."""
        index, score, complete, rows, commands, *prefixes = (
            array.gather(tf.range(iterations)) for array in arrays
        )
        parent, token = unravel(self._machine, index)
        positions = self._machine.rules.num_positions
        world, edits = rows[..., :positions], commands[..., :-1, :]
        kept = None
        if prefixes:
            recent, slots = prefixes
            kept = Prefixes(recent, slots[..., 0], slots[..., 1:])
        return SearchTree(
            parent=parent,
            token=token,
            score=score,
            utterance=rows[..., positions],
            world=world,
            complete=complete,
            rewarded=_rewarded(self._machine, complete, world, edits, target),
            edits=edits,
            prefixes=kept,
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
    found = tf.where(complete > _NEVER)  # [n, 4]
    after = machine.world_after(tf.gather_nd(world, found[:, :3]), tf.gather_nd(edits, found))
    reached = machine.same_world(after, tf.gather(target, found[:, 1]))
    counted = tf.scatter_nd(found, tf.cast(reached, tf.int32), tf.shape(complete, tf.int64))
    return counted > 0
