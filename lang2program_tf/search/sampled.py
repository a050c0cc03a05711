"""Selection by sampling: rollouts (REINFORCE), γ-randomized search and particle filtering."""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf

import gin
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

_NEVER = -float("inf")


def _gumbel(pools: Pools, seed: tf.Tensor) -> tf.Tensor:
    """Gumbel noise [T, B, K, V]; where log-weight plus noise is largest is a draw by weight."""
    tiny = 1e-20
    uniform = tf.random.stateless_uniform(pools, seed, minval=tiny, maxval=1.0)
    return -tf.math.log(-tf.math.log(uniform) + tiny)


class NoisyDraws(NamedTuple):
    """Random numbers for draws by weight; of a search, with a leading axis T.

    Attributes:
        noise: [B, K, V] float32, Gumbel noise.
        gamma: [B] float32.
    """

    noise: tf.Tensor
    gamma: tf.Tensor


class RolloutDraws(NamedTuple):
    """Random numbers for rollouts; of a search, with a leading axis T.

    Attributes:
        uniform: [B, K] bool, which rollouts draw uniformly.
        noise: [B, K, V] float32, Gumbel noise.
        gamma: [B] float32.
    """

    uniform: tf.Tensor
    noise: tf.Tensor
    gamma: tf.Tensor


class ParticleDraws(NamedTuple):
    """Random numbers for particle filtering; of a search, with a leading axis T.

    Attributes:
        uniform: [B, J] float32, one for each draw.
        gamma: [B] float32.
    """

    uniform: tf.Tensor
    gamma: tf.Tensor


@gin.configurable
class Rollouts(Selection):
    """B independent rollouts (REINFORCE's exploration).

    Each takes one surviving continuation a step, complete programs included: uniformly with
    probability ε, otherwise by softmax of γ times the scores. One without any survivor dies.
    """

    roots = True

    def __init__(
        self,
        epsilon: ValueOrSchedule = gin.REQUIRED,
        gamma: ValueOrSchedule = 1.0,
        *,
        lookahead: bool = False,
    ) -> None:
        """Binds the settings.

        Args:
            epsilon: probability of a uniform draw.
            gamma: exponent of the other draws.
            lookahead: an option of the original: every program that a rollout could complete is
                kept, and the rollout goes on with a continuation that does not complete it.
        """
        self.epsilon = epsilon
        self.gamma = gamma
        self.lookahead = lookahead

    def draw(
        self, pools: Pools, beam_size: int, *, seed: tf.Tensor, step: tf.Tensor
    ) -> RolloutDraws:
        del beam_size
        seeds = tf.random.experimental.stateless_split(seed, 2)
        coins = tf.random.stateless_uniform(pools[:3], seeds[0])
        return RolloutDraws(
            uniform=coins < value_at(self.epsilon, step),
            noise=_gumbel(pools, seeds[1]),
            gamma=pools.spread(value_at(self.gamma, step)),
        )

    def choose(self, candidates: Candidates, draws: RolloutDraws, *, beam_size: int) -> Choice:
        del beam_size
        num_prefixes, num_tokens = candidates.scores.shape[1:]
        weights = draws.gamma[:, tf.newaxis, tf.newaxis] * candidates.log_probs
        logits = tf.where(draws.uniform[..., tf.newaxis], 0.0, weights)
        survives = candidates.scores > _NEVER
        completes = candidates.terminal > _NEVER  # [B, K, C]
        if not self.lookahead:
            ends = tf.one_hot(candidates.action_tokens, num_tokens)  # [C, V]
            survives |= tf.tensordot(tf.cast(completes, tf.float32), ends, 1) > 0
        drawn = tf.argmax(
            tf.where(survives, logits + draws.noise, _NEVER), axis=-1, output_type=tf.int32
        )  # [B, K]
        index = tf.range(num_prefixes) * num_tokens + drawn
        score = tf.gather(candidates.pool, index, batch_dims=1)
        chosen = tf.equal(drawn[..., tf.newaxis], candidates.action_tokens)
        return Choice(
            index=tf.where(score > _NEVER, index, 0),
            score=score,
            weights=tf.zeros_like(score),
            taken=completes if self.lookahead else completes & chosen,
        )


@gin.configurable
class GammaRandomized(Selection):
    """γ-randomized search: B draws without replacement, in proportion to p(prefix)^γ."""

    def __init__(self, gamma: ValueOrSchedule = gin.REQUIRED) -> None:
        self.gamma = gamma

    def draw(self, pools: Pools, beam_size: int, *, seed: tf.Tensor, step: tf.Tensor) -> NoisyDraws:
        del beam_size
        return NoisyDraws(_gumbel(pools, seed), pools.spread(value_at(self.gamma, step)))

    def choose(self, candidates: Candidates, draws: NoisyDraws, *, beam_size: int) -> Choice:
        pool = candidates.pool
        # The largest noisy log-weights are draws without replacement.
        noisy = draws.gamma[:, tf.newaxis] * pool + tf.reshape(draws.noise, tf.shape(pool))
        noisy = tf.where(pool > _NEVER, noisy, _NEVER)
        return choice_of(candidates, best_first(noisy, beam_size))


@gin.configurable
class ParticleFilter(Selection):
    """Particle filtering: B draws *with* replacement; a prefix's weight is its share of them.

    A continuation is drawn in proportion to its prefix's share times p(token)^γ. As in the original
    there are no more draws than continuations. The different ones drawn make the next beam.
    """

    def __init__(self, gamma: ValueOrSchedule = gin.REQUIRED) -> None:
        self.gamma = gamma

    def draw(
        self, pools: Pools, beam_size: int, *, seed: tf.Tensor, step: tf.Tensor
    ) -> ParticleDraws:
        uniform = tf.random.stateless_uniform([*pools[:2], beam_size], seed)
        return ParticleDraws(uniform, pools.spread(value_at(self.gamma, step)))

    def choose(self, candidates: Candidates, draws: ParticleDraws, *, beam_size: int) -> Choice:
        pool = candidates.pool
        weights = candidates.weights[..., tf.newaxis]  # log shares; the root's is 0
        logits = draws.gamma[:, tf.newaxis, tf.newaxis] * candidates.log_probs + weights
        logits = tf.where(pool > _NEVER, tf.reshape(logits, tf.shape(pool)), _NEVER)
        size = tf.math.count_nonzero(pool > _NEVER, axis=-1, keepdims=True, dtype=tf.int32)
        cumulative = tf.cumsum(tf.nn.softmax(tf.where(size > 0, logits, 0.0)), axis=-1)
        batch = tf.shape(pool)[0]
        drawn = tf.searchsorted(cumulative, draws.uniform * cumulative[:, -1:], side="right")
        drawn = tf.minimum(drawn, tf.shape(pool)[1] - 1)  # where rounding reaches the sum itself
        counted = tf.cast(tf.range(beam_size) < tf.minimum(size, beam_size), tf.float32)
        rows = tf.repeat(tf.range(batch), beam_size)
        counts = tf.scatter_nd(
            tf.stack([rows, tf.reshape(drawn, [-1])], axis=-1),
            tf.reshape(counted, [-1]),
            tf.shape(pool),
        )
        index = best_first(counts, beam_size)
        share = tf.gather(counts, index, batch_dims=1)
        choice = choice_of(candidates, index)
        total = tf.reduce_sum(counts, axis=-1, keepdims=True)
        return choice._replace(
            score=tf.where(share > 0, choice.score, _NEVER),
            weights=tf.where(share > 0, tf.math.log(tf.maximum(share, 1.0) / total), 0.0),
        )
