"""ε-greedy randomized beam search (Section 4.1): the paper's rule, and the one of its code.

Both draw without replacement, one continuation after the other. A uniform draw from what remains
is "the smallest random key among what remains", so a sequence of draws walks down two lists, one by
score and one by key, and skips what the other has taken. Who takes what when is found for all
draws at once: assume that nothing is skipped, work out when each list would reach each of its
members, let the earlier one have it, and repeat until nothing changes. Each round settles at least
the earliest draw that was wrong, and since lists seldom meet, two rounds mostly do.
"""

from __future__ import annotations

import abc
from typing import NamedTuple

import tensorflow as tf

import gin
from lang2program_tf.log_probs import NEVER
from lang2program_tf.search.selection import (
    Candidates,
    Choice,
    Pools,
    Selection,
    ValueOrSchedule,
    best_first,
    choice_of,
    value_at,
)


class Draws(NamedTuple):
    """The random numbers of selections; of a search, with a leading axis T.

    Attributes:
        coins: [B, J] bool, True where draw i is to be random.
        keys: [B, N] float32, one for each continuation; the smallest is drawn first.
    """

    coins: tf.Tensor
    keys: tf.Tensor


class Lists(NamedTuple):
    """The two orders that draws walk down, J long.

    Attributes:
        by_score: [B, J] int32, the best continuations.
        by_key: [B, J] int32, those with the smallest keys.
        key_place: [B, J] int32, where each of `by_score` stands in `by_key`, J if nowhere.
        score_place: [B, J] int32, where each of `by_key` stands in `by_score`, J if nowhere.
    """

    by_score: tf.Tensor
    by_key: tf.Tensor
    key_place: tf.Tensor
    score_place: tf.Tensor


class _Randomized(Selection):
    """What the two rules share; they differ in when a draw is greedy and what it then takes."""

    def __init__(self, epsilon: ValueOrSchedule = gin.REQUIRED) -> None:
        if not callable(epsilon) and not 0 <= epsilon <= 1:
            raise ValueError(f"epsilon={epsilon} is not a probability")
        self.epsilon = epsilon

    def draw(self, pools: Pools, beam_size: int, *, seed: tf.Tensor, step: tf.Tensor) -> Draws:
        size = pools.prefixes * pools.tokens
        lead = [pools.iterations, pools.examples]
        seeds = tf.random.experimental.stateless_split(seed, 2)
        coins = tf.random.stateless_uniform([*lead, min(beam_size, size)], seeds[0])
        keys = tf.random.stateless_uniform([*lead, size], seeds[1])
        return Draws(coins < value_at(self.epsilon, step), keys)

    def choose(self, candidates: Candidates, draws: Draws, *, beam_size: int) -> Choice:
        del beam_size  # there is one coin for each that may live
        lists = _two_lists(candidates.pool, draws)
        pool_size = tf.math.count_nonzero(
            candidates.pool > NEVER, axis=-1, keepdims=True, dtype=tf.int32
        )
        return choice_of(candidates, self._merge(lists, draws.coins, pool_size))

    @abc.abstractmethod
    def _merge(self, lists: Lists, coins: tf.Tensor, pool_size: tf.Tensor) -> tf.Tensor:
        """[B, J] the continuation that each draw takes."""


@gin.configurable
class RandomizedPaper(_Randomized):
    """Each draw is uniform with probability ε, else it is the best of what remains."""

    def _merge(self, lists: Lists, coins: tf.Tensor, pool_size: tf.Tensor) -> tf.Tensor:
        del pool_size
        greedy_times = _times(tf.logical_not(coins))
        random_times = _times(coins)

        def reach(lost: tf.Tensor, skipped: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            """When each member of the two lists is reached, given which were taken before."""
            return _reach(greedy_times, lost), _reach(random_times, skipped)

        def again(lost: tf.Tensor, skipped: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            greedy, random = reach(lost, skipped)
            return _at(random, lists.key_place) < greedy, _at(greedy, lists.score_place) < random

        lost, skipped = _settle(again, coins)
        greedy, random = reach(lost, skipped)
        return _combine(
            coins,
            _taken_at(greedy, lost, lists.by_score),
            _taken_at(random, skipped, lists.by_key),
        )


@gin.configurable
class RandomizedOriginal(_Randomized):
    """Draw i takes rank i; with probability ε, or if rank i is gone, it is uniform instead.

    A pool of no more than B members is kept whole, in order.
    """

    def _merge(self, lists: Lists, coins: tf.Tensor, pool_size: tf.Tensor) -> tf.Tensor:
        coins &= pool_size > tf.shape(coins)[1]
        ranks = tf.range(tf.shape(coins)[1])[tf.newaxis]  # [1, J]: rank i is due at draw i

        def reach(lost: tf.Tensor, skipped: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            """When greedy draws take their ranks (never, if lost), when keys are reached."""
            uniform = coins | lost
            greedy = tf.where(uniform, _never(coins), ranks)
            return greedy, _reach(_times(uniform), skipped)

        def again(lost: tf.Tensor, skipped: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            greedy, random = reach(lost, skipped)
            return _at(random, lists.key_place) < ranks, _at(greedy, lists.score_place) < random

        lost, skipped = _settle(again, coins)
        _, random = reach(lost, skipped)
        return _combine(coins | lost, lists.by_score, _taken_at(random, skipped, lists.by_key))


def _two_lists(pool: tf.Tensor, draws: Draws) -> Lists:
    """The heads of the pool by score and by key, as long as there are draws."""
    count = tf.shape(draws.coins)[1]
    by_score = best_first(pool, count)
    keys = tf.where(pool > NEVER, draws.keys, float("inf"))
    by_key = best_first(-keys, count)
    same = tf.equal(by_score[:, :, tf.newaxis], by_key[:, tf.newaxis])  # [B, J, J]
    places = tf.range(count)
    nowhere = tf.fill([1, 1, 1], count)
    return Lists(
        by_score,
        by_key,
        key_place=tf.reduce_min(tf.where(same, places, nowhere), axis=2),
        score_place=tf.reduce_min(tf.where(same, places[:, tf.newaxis], nowhere), axis=1),
    )


def _never(draws: tf.Tensor) -> tf.Tensor:
    """A time after all draws [B, J]."""
    return tf.shape(draws)[1]


def _times(chosen: tf.Tensor) -> tf.Tensor:
    """[B, J] the draws that are True in [B, J], in order; `never` behind them."""
    count = tf.shape(chosen)[1]
    order = tf.where(chosen, tf.range(count), count)
    return tf.sort(order, axis=-1)


def _reach(times: tf.Tensor, skipped: tf.Tensor) -> tf.Tensor:
    """[B, J] when the members of a list are reached if it moves on at `times` and skips some."""
    gone = tf.cast(skipped, tf.int32)
    place = tf.range(tf.shape(times)[1]) - tf.cumsum(gone, axis=-1, exclusive=True)
    return tf.gather(times, place, batch_dims=1)


def _at(times: tf.Tensor, place: tf.Tensor) -> tf.Tensor:
    """[B, J] the times at places of the other list, `never` for those that are not in it."""
    padded = tf.pad(times, [[0, 0], [0, 1]], constant_values=_never(times))
    return tf.gather(padded, place, batch_dims=1)


def _settle(again, coins: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:  # type: ignore[no-untyped-def]
    """Repeats `again` from "nothing is skipped" until nothing changes."""
    nothing = tf.zeros_like(coins)
    start = (tf.constant(True), nothing, nothing)

    def body(
        _: tf.Tensor, lost: tf.Tensor, skipped: tf.Tensor
    ) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
        new_lost, new_skipped = again(lost, skipped)
        changed = tf.reduce_any(tf.not_equal(lost, new_lost) | tf.not_equal(skipped, new_skipped))
        return changed, new_lost, new_skipped

    _, lost, skipped = tf.while_loop(lambda changed, *_: changed, body, start)
    return lost, skipped


def _taken_at(times: tf.Tensor, lost: tf.Tensor, members: tf.Tensor) -> tf.Tensor:
    """[B, J] for each draw, the member of a list that it takes; 0 where it takes none."""
    draws = tf.range(tf.shape(times)[1])[:, tf.newaxis]
    when = tf.where(lost, _never(times), times)
    takes = tf.equal(when[:, tf.newaxis], draws)  # [B, draw, member]
    return tf.reduce_sum(tf.where(takes, members[:, tf.newaxis], 0), axis=-1)


def _combine(uniform: tf.Tensor, greedy: tf.Tensor, random: tf.Tensor) -> tf.Tensor:
    return tf.where(uniform, random, greedy)
