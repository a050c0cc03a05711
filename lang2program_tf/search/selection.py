"""Selection rules: which continuations of a beam of prefixes live on.

A rule is one small object; the search is the same for all. Rules with chance in them draw their
random numbers in one method and choose with them in another. All numbers of a search are drawn
before it begins: an example's then depend on the seed and on its place in the batch alone, and not
on which other examples are searched with it, in which part of the batch, or by which worker.
"""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import Any, NamedTuple, Union

import tensorflow as tf

import gin
from lang2program_tf.log_probs import NEVER

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
        action_tokens: [C] int32, token ids of the actions.
    """

    scores: tf.Tensor
    log_probs: tf.Tensor
    terminal: tf.Tensor
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
        taken: [B, K, C] bool, which complete programs are kept.
    """

    index: tf.Tensor
    score: tf.Tensor
    taken: tf.Tensor

    @property
    def alive(self) -> tf.Tensor:
        """[B, J] bool, False where there was nothing left to choose."""
        return self.score > NEVER


class Pools(NamedTuple):
    """How many selections there may be, and from how many continuations each; ints or scalars.

    Attributes:
        iterations: T, of the search.
        examples: B, of the whole batch, be all of them searched here or not.
        prefixes: K, live ones of an example.
        tokens: V.
    """

    iterations: int | tf.Tensor
    examples: int | tf.Tensor
    prefixes: int
    tokens: int

    def spread(self, value: tf.Tensor) -> tf.Tensor:
        """[T, B] a number that is the same for all."""
        return tf.fill([self.iterations, self.examples], value)


class Selection(abc.ABC):
    """A rule for what lives on.

    Attributes:
        roots: whether a search begins with one empty prefix (False) or with a full beam of them.
    """

    roots: bool = False

    @abc.abstractmethod
    def draw(self, pools: Pools, beam_size: int, *, seed: tf.Tensor, step: tf.Tensor) -> Any:
        """The random numbers of a search, and what schedules say: a nest of tensors [T, B, ...].

        They are drawn for the whole batch. Who searches a part of it takes the rows of that part
        (`of_examples`), and so gets the numbers that one search of all examples would get.

        Args:
            pools: how many.
            beam_size: how many may live.
            seed: [2] int32, for stateless random numbers.
            step: training step, for schedules.
        """

    @abc.abstractmethod
    def choose(self, candidates: Candidates, draws: Any, *, beam_size: int) -> Choice:
        """Chooses at most `beam_size` continuations of every example.

        Args:
            candidates: what there is to choose from.
            draws: those of one iteration: what `draw` gives, without the axis T.
            beam_size: how many may live.
        """

    def select(
        self, candidates: Candidates, *, beam_size: int, seed: tf.Tensor, step: tf.Tensor
    ) -> Choice:
        """Draws for one iteration and chooses."""
        draws = self.draw_once(candidates.scores, beam_size, seed=seed, step=step)
        return self.choose(candidates, draws, beam_size=beam_size)

    def draw_once(
        self, scores: tf.Tensor, beam_size: int, *, seed: tf.Tensor, step: tf.Tensor
    ) -> Any:
        """What `draw` gives for one iteration, if scores have the shape [B, K, V]."""
        pools = Pools(1, tf.shape(scores)[0], *scores.shape[1:])
        return of_iteration(self.draw(pools, beam_size, seed=seed, step=step), 0)


def of_examples(draws: Any, rows: slice) -> Any:
    """The draws [T, n, ...] of some examples."""
    return tf.nest.map_structure(lambda part: part[:, rows], draws)


def with_room(draws: Any, room: int | tf.Tensor) -> Any:
    """The draws [T, B, ...] with zeros behind them, as if there were `room` iterations."""

    def widen(part: tf.Tensor) -> tf.Tensor:
        behind = [[0, room - tf.shape(part)[0]], *[[0, 0]] * (len(part.shape) - 1)]
        return tf.pad(part, behind)

    return tf.nest.map_structure(widen, draws)


def of_iteration(draws: Any, iteration: int | tf.Tensor) -> Any:
    """The draws [B, ...] of one iteration."""
    return tf.nest.map_structure(lambda part: part[iteration], draws)


def choice_of(candidates: Candidates, index: tf.Tensor) -> Choice:
    """The choice of the candidates at `index` [B, J]; all complete programs are kept."""
    score = tf.gather(candidates.pool, index, batch_dims=1)
    return Choice(
        index=tf.where(score > NEVER, index, 0),
        score=score,
        taken=candidates.terminal > NEVER,
    )


def best_first(pool: tf.Tensor, count: int) -> tf.Tensor:
    """[B, min(count, N)] indices of the highest of [B, N], ties in the order of generation."""
    return tf.math.top_k(pool, k=tf.minimum(count, tf.shape(pool)[1])).indices


@gin.configurable
class Classic(Selection):
    """Beam search: the best B continuations live (Section 3.3)."""

    def draw(self, pools: Pools, beam_size: int, *, seed: tf.Tensor, step: tf.Tensor) -> tuple[()]:
        del pools, beam_size, seed, step
        return ()

    def choose(self, candidates: Candidates, draws: tuple[()], *, beam_size: int) -> Choice:
        del draws
        return choice_of(candidates, best_first(candidates.pool, beam_size))
