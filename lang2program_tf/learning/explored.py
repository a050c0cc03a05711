"""What the search of training finds on a fixed sample of training examples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from lang2program_tf.corpus.batches import Batch, BatchMaker
from lang2program_tf.corpus.order import evaluation_sample
from lang2program_tf.learning.learner import Learner, examples_of
from lang2program_tf.log_probs import NEVER
from lang2program_tf.search import SearchTree

_BATCH_SIZE = 8
# Schedules that have come to their end are as they are then.
_LATE = 1_000_000


class Explored(NamedTuple):
    """What was found, on average over examples.

    Attributes:
        examples: how many.
        hit: share with a rewarded program.
        first_right: share where the program that was complete first is rewarded; of rollouts, the
            one that ended first. It is what the original logged as accuracy of its rollouts.
        rewarded: rewarded programs, as often as they were found.
        complete: complete programs, likewise.
        reward: Σ p(z) R(z) over them, which the original logged as `denoHitMass`.
    """

    examples: int
    hit: float
    first_right: float
    rewarded: float
    complete: float
    reward: float


def explore(learner: Learner, *, size: int, seed: int) -> dict[int, Explored]:
    """Searches a sample of the training examples as a step of training does, without learning.

    Args:
        learner: must explore by a search.
        size: examples in the sample, which is the one that training runs are evaluated on.
        seed: of the search.

    Returns:
        By number of utterances, ascending.
    """
    examples = learner.task.examples("train")
    sample = evaluation_sample(range(len(examples)), size=size)
    maker = learner.training_maker(examples)
    lengths = sorted({len(examples[number].utterances) for number in sample})
    return {
        length: _average(
            learner,
            maker,
            [number for number in sample if len(examples[number].utterances) == length],
            seed=seed,
        )
        for length in lengths
    }


def _average(learner: Learner, maker: BatchMaker, numbers: Sequence[int], *, seed: int) -> Explored:
    found = [
        _found(learner, maker(tf.constant(numbers[begin : begin + _BATCH_SIZE])), [seed, begin])
        for begin in range(0, len(numbers), _BATCH_SIZE)
    ]
    return Explored(len(numbers), *np.concatenate(found).mean(axis=0).tolist())


def _found(learner: Learner, batch: Batch, seed: Sequence[int]) -> NDArray[np.float32]:
    """What a batch of B examples adds to the averages, [B, 5]."""
    examples = examples_of(batch)
    memory = learner.parser.read(batch.words, examples)
    step = tf.constant(_LATE, tf.int64)
    tree = learner.train_step.search.explore(memory, examples, seed=tf.constant(seed), step=step)
    found = tf.stack(
        [
            tf.cast(tree.num_rewarded > 0, tf.float32),
            _first_right(tree),
            tf.cast(tree.num_rewarded, tf.float32),
            tf.cast(tree.num_complete, tf.float32),
            tf.reduce_sum(tf.where(tree.rewarded, tf.exp(tree.complete), 0.0), axis=[0, 2, 3]),
        ],
        axis=1,
    )
    array: NDArray[np.float32] = found.numpy()
    return array


def _first_right(tree: SearchTree) -> tf.Tensor:
    """[B] float32: 1 where the program that was complete first is rewarded."""
    complete, rewarded = (
        tf.reshape(tf.transpose(programs, [1, 0, 2, 3]), [tf.shape(programs)[1], -1])
        for programs in (tree.complete > NEVER, tree.rewarded)
    )  # [B, T × K × C]
    first = tf.argmax(tf.cast(complete, tf.int32), axis=1)
    return tf.cast(tf.gather(rewarded, first, batch_dims=1), tf.float32)
