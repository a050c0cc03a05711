"""Runs the draws of the recording `eps_greedy` through the randomized selection of the search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from lang2program_tf.parity.recordings import Record
from lang2program_tf.search.randomized import Draws, RandomizedOriginal
from lang2program_tf.search.selection import Candidates


class RecordedDraws(NamedTuple):
    """What the recorded uniforms of a selection mean.

    Attributes:
        coins: for each draw, whether it is random.
        drawn: the ranks that random draws take, in order.
        used: how many uniforms that took.
    """

    coins: list[bool]
    drawn: list[int]
    used: int


def recorded_draws(record: Record) -> RecordedDraws:
    """Reads the uniforms.

    One decides whether a draw is random; if it is, or if its rank is gone, the next one picks from
    the remaining pool in rank order. Where nothing is left to chance, none is drawn.
    """
    if record["n"] <= record["k"] or record["epsilon"] == 0:
        return RecordedDraws([False] * min(record["n"], record["k"]), [], 0)
    uniforms = list(reversed(record["uniforms"]))
    remaining = list(range(record["n"]))
    coins, drawn = [], []
    for rank in range(record["k"]):
        coins.append(uniforms.pop() < record["epsilon"])
        if coins[-1] or rank not in remaining:
            drawn.append(remaining[int(uniforms.pop() * len(remaining))])
            remaining.remove(drawn[-1])
        else:
            remaining.remove(rank)
    return RecordedDraws(coins, drawn, len(coins) + len(drawn))


def select_recorded(records: Sequence[Record]) -> list[list[int]]:
    """The ranks that our selection chooses with the recorded draws, in order.

    Args:
        records: all of one pool size and one beam size.
    """
    size = records[0]["n"]
    coins, keys = [], []
    for record in records:
        record_coins, drawn, _ = recorded_draws(record)
        # A key order in which the recorded ones come first, as they were drawn.
        others = sorted(set(range(size)) - set(drawn))
        key = np.empty(size, np.float32)
        key[[*drawn, *others]] = np.arange(size)
        coins.append(record_coins)
        keys.append(key)
    scores = -tf.range(size, dtype=tf.float32)  # rank order
    pool = tf.tile(scores[tf.newaxis, tf.newaxis], [len(records), 1, 1])
    candidates = Candidates(
        scores=pool,
        log_probs=pool,
        terminal=tf.zeros([len(records), 1, 0]),
        action_tokens=tf.zeros([0], tf.int32),
    )
    rule = RandomizedOriginal(epsilon=0.0)
    draws = Draws(tf.constant(coins), tf.constant(np.stack(keys)))
    choice = rule.choose(candidates, draws, beam_size=len(coins[0]))
    return [list(map(int, row)) for row in choice.index.numpy()]
