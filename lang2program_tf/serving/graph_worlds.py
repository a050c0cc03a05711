"""Worlds in the graph: from the data set's notation to the machine's codes, and back."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from lang2program_tf.machine import Rules
from lang2program_tf.serving.graph_text import single_spaces

# The key of a cell is its position times this, plus what the machine's rules call visible of it.
_POSITION = 1 << 20


class ParsedWorlds(NamedTuple):
    """B worlds that were read.

    Attributes:
        world: [B, P] int32, the machine's codes; meaningless where not readable.
        next_identity: [B] int32, as in `MachineState`.
        readable: [B] bool, whether the text is a world.
    """

    world: tf.Tensor
    next_identity: tf.Tensor
    readable: tf.Tensor


class WorldNotation(tf.Module):
    """Reads and prints the worlds of one domain.

    There are few different cells (`3:rg`), so that reading is a look-up of cells, and a text with
    any other cell is no world: exactly what `Domain.parse_world` says.
    """

    def __init__(self, rules: Rules) -> None:
        super().__init__()
        self._rules = rules
        self._empty_at_end = rules.domain.nothing is None
        self._identity_step = rules.identity_step
        keys, texts = _cells(rules)
        order = np.argsort(keys)
        self._keys = keys[order]  # [cells] int64
        self._texts = np.array(texts, np.bytes_)[order]
        self._table = tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(self._texts, self._keys), default_value=-1
        )

    def parse(self, texts: tf.Tensor) -> ParsedWorlds:
        """Reads worlds [B]."""
        size = self._rules.num_positions
        cells = tf.strings.split(single_spaces(texts))
        count = cells.row_lengths()[:, tf.newaxis]  # [B, 1]
        keys = self._table.lookup(cells.to_tensor("", shape=[None, size]))  # [B, P]
        places = tf.range(size, dtype=tf.int64)
        used = places < count
        legal = tf.equal(keys // _POSITION, places + 1)
        visible = tf.where(used & legal, tf.cast(keys % _POSITION, tf.int32), 0)
        same = tf.equal(visible[:, tf.newaxis], visible[..., tf.newaxis])  # [B, P, P]
        same &= (visible > 0)[..., tf.newaxis]
        twice = tf.math.count_nonzero(same, axis=[1, 2]) > tf.math.count_nonzero(visible, axis=1)
        complete = (count <= size) if self._empty_at_end else tf.equal(count, size)
        readable = tf.reduce_all(legal | ~used, axis=1) & complete[:, 0] & ~twice
        # Hidden numbers count from the left, which is all that a text can say of them.
        rank = tf.cumsum(tf.cast(visible > 0, tf.int32), axis=1)
        identity = tf.where(visible > 0, rank, 0) * self._identity_step
        next_identity = rank[:, -1] * min(self._identity_step, 1)
        return ParsedWorlds(visible + identity, next_identity, readable)

    def show(self, world: tf.Tensor) -> tf.Tensor:
        """[...] the texts of encoded worlds [..., P]."""
        visible = tf.cast(self._rules.visible(world), tf.int64)
        places = tf.range(1, self._rules.num_positions + 1, dtype=tf.int64)
        keys = places * _POSITION + visible
        row = tf.searchsorted(self._keys, tf.reshape(keys, [-1]))
        cells = tf.reshape(tf.gather(self._texts, row), tf.shape(keys))
        if self._empty_at_end:
            cells = tf.where(visible > 0, cells, "")
        return tf.strings.strip(tf.strings.reduce_join(cells, axis=-1, separator=" "))


def _cells(rules: Rules) -> tuple[NDArray[np.int64], list[str]]:
    """All cells of a domain: their keys [cells] int64, and their texts."""
    contents, nothing = rules.domain.contents, rules.domain.nothing
    places = range(1, rules.num_positions + 1)
    texts, worlds, columns = [], [], []
    for place in places:
        for content in contents:
            texts.append(f"{place}:{content}")
            if nothing is None:  # what stands somewhere in a row looks as it does at its beginning
                lone, column = f"1:{content}", 0
            else:
                cells = (f"{p}:{content if p == place else nothing}" for p in places)
                lone, column = " ".join(cells), place - 1
            worlds.append(rules.domain.parse_world(lone))
            columns.append(column)
    visible = np.asarray(rules.visible(tf.constant(rules.encode_worlds(worlds))), np.int64)
    owner = np.repeat(np.arange(1, rules.num_positions + 1), len(contents))
    return owner * _POSITION + visible[np.arange(len(owner)), columns], texts
