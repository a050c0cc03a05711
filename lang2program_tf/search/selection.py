"""Selection rules: which continuations of a beam of prefixes live on.

A rule is one small object; the search is the same for all. Rules with chance in them draw their
random numbers in one method and choose with them in another, so that draws can be given.
"""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import Any, NamedTuple, Union

import tensorflow as tf

import gin

# A constant, or a function of the training step (a scalar int64 tensor) in the graph.
ValueOrSchedule = Union[float, Callable[[tf.Tensor], tf.Tensor]]


def value_at(value: ValueOrSchedule, step: tf.Tensor) -> tf.Tensor:
    """The value at a training step: float32 scalar."""
    return tf.cast(value(step) if callable(value) else value, tf.float32)


class Candidates(NamedTuple):
    """All continuations of K live prefixes of B examples.

    Attributes:
        scores: [B, K, V] float32, log-probability of the prefix with the token; −inf where the
            token may not follow or the program is complete with it.
        log_probs: [B, K, V] float32, log-probability of the token alone.
        terminal: [B, K, C] float32, log-probability of the programs that an action completes, −inf
            where it does not.
        weights: [B, K] float32, what the rule said of the prefixes when it chose them.
        action_tokens: [C] int32, token ids of the actions.
    """

    scores: tf.Tensor
    log_probs: tf.Tensor
    terminal: tf.Tensor
    weights: tf.Tensor
    action_tokens: tf.Tensor

    @property
    def pool(self) -> tf.Tensor:
        """[B, K * V] the scores of all continuations in the order in which they are generated."""
        size, num_tokens = self.scores.shape[1:]
        return tf.reshape(self.scores, [-1, size * num_tokens])


class Choice(NamedTuple):
    """What a rule chose: J continuations an example.

    Attributes:
        index: [B, J] int32, index into the joined axes of prefixes and tokens.
        score: [B, J] float32, log-probability of the continuation, −inf where there was nothing
            left to choose.
        weights: [B, J] float32, given back to the rule as `Candidates.weights`.
        taken: [B, K, C] bool, which complete programs are kept.
    """

    index: tf.Tensor
    score: tf.Tensor
    weights: tf.Tensor
    taken: tf.Tensor

    @property
    def alive(self) -> tf.Tensor:
        """[B, J] bool, False where there was nothing left to choose."""
        return self.score > -float("inf")


class Selection(abc.ABC):
    """A rule for what lives on.

    Attributes:
        roots: whether a search begins with one empty prefix (False) or with a full beam of them.
    """

    roots: bool = False

    @abc.abstractmethod
    def draw(self, scores: tf.Tensor, beam_size: int, *, seed: tf.Tensor, step: tf.Tensor) -> Any:
        """The random numbers for one selection, and what schedules say: a nest of tensors.

        They are drawn apart because compiled code would draw others.

        Args:
            scores: any tensor of the shape [B, K, V] of `Candidates.scores`.
            beam_size: how many may live.
            seed: [2] int32, for stateless random numbers; a new one every iteration.
            step: training step, for schedules.
        """

    @abc.abstractmethod
    def choose(self, candidates: Candidates, draws: Any, *, beam_size: int) -> Choice:
        """Chooses at most `beam_size` continuations of every example, with given draws."""

    def select(
        self, candidates: Candidates, *, beam_size: int, seed: tf.Tensor, step: tf.Tensor
    ) -> Choice:
        """Draws and chooses."""
        draws = self.draw(candidates.scores, beam_size, seed=seed, step=step)
        return self.choose(candidates, draws, beam_size=beam_size)


def choice_of(candidates: Candidates, index: tf.Tensor) -> Choice:
    """The choice of the candidates at `index` [B, J]; all complete programs are kept."""
    score = tf.gather(candidates.pool, index, batch_dims=1)
    return Choice(
        index=tf.where(score > -float("inf"), index, 0),
        score=score,
        weights=tf.zeros_like(score),
        taken=candidates.terminal > -float("inf"),
    )


def best_first(pool: tf.Tensor, count: int) -> tf.Tensor:
    """[B, min(count, N)] indices of the highest of [B, N], ties in the order of generation."""
    return tf.math.top_k(pool, k=tf.minimum(count, tf.shape(pool)[1])).indices


@gin.configurable
class Classic(Selection):
    """Beam search: the best B continuations live (Section 3.3)."""

    def draw(
        self, scores: tf.Tensor, beam_size: int, *, seed: tf.Tensor, step: tf.Tensor
    ) -> tuple[()]:
        del scores, beam_size, seed, step
        return ()

    def choose(self, candidates: Candidates, draws: tuple[()], *, beam_size: int) -> Choice:
        del draws
        return choice_of(candidates, best_first(candidates.pool, beam_size))
