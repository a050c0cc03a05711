"""Selection by sampling: the rollouts of REINFORCE."""

from __future__ import annotations

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
    value_at,
)


def _gumbel(pools: Pools, seed: tf.Tensor) -> tf.Tensor:
    """Gumbel noise [T, B, K, V]; where log-weight plus noise is largest is a draw by weight."""
    tiny = 1e-20
    uniform = tf.random.stateless_uniform(pools, seed, minval=tiny, maxval=1.0)
    return -tf.math.log(-tf.math.log(uniform) + tiny)


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
        survives = candidates.scores > NEVER
        completes = candidates.terminal > NEVER  # [B, K, C]
        if not self.lookahead:
            ends = tf.one_hot(candidates.action_tokens, num_tokens)  # [C, V]
            survives |= tf.tensordot(tf.cast(completes, tf.float32), ends, 1) > 0
        drawn = tf.argmax(
            tf.where(survives, logits + draws.noise, NEVER), axis=-1, output_type=tf.int32
        )  # [B, K]
        index = tf.range(num_prefixes) * num_tokens + drawn
        score = tf.gather(candidates.pool, index, batch_dims=1)
        chosen = tf.equal(drawn[..., tf.newaxis], candidates.action_tokens)
        return Choice(
            index=tf.where(score > NEVER, index, 0),
            score=score,
            taken=completes if self.lookahead else completes & chosen,
        )
