"""Accuracy of a parser: the most probable complete program must lead to the target world."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

import gin
from lang2program_tf.corpus.scone import Example
from lang2program_tf.language import to_infix
from lang2program_tf.learning.learner import Learner
from lang2program_tf.log_probs import NEVER

_NORMAL_95 = 1.959964


class Prediction(NamedTuple):
    """What a parser says of one example.

    Attributes:
        example: the example.
        program: tokens by the paper's names, empty if no program was found.
        log_prob: of the program, or of its world if the parser goes by worlds; −inf if there is
            none.
        world: the world it leads to, None if there is none.
        correct: whether that is the target.
        num_complete: complete programs found.
        num_rewarded: those of them that lead to the target.
        reward: Σ p of those.
    """

    example: Example
    program: tuple[str, ...]
    log_prob: float
    world: str | None
    correct: bool
    num_complete: int
    num_rewarded: int
    reward: float

    def to_json(self, domain: Any) -> dict[str, Any]:
        """The prediction as one JSON object."""
        return {
            "id": self.example.id,
            "world": self.example.world,
            "utterances": list(self.example.utterances),
            "target": self.example.target,
            "program": " ".join(self.program),
            "infix": to_infix(domain, self.program),
            "log_prob": self.log_prob if self.program else None,
            "predicted_world": self.world,
            "correct": self.correct,
            "num_complete": self.num_complete,
            "num_rewarded": self.num_rewarded,
        }


class Measure(NamedTuple):
    """Counts of right answers, with a 95 % Wilson interval.

    Attributes:
        examples: how many.
        correct: right final world.
        hit: any rewarded program in the beam.
        rewarded: rewarded programs an example.
        reward: Σ p R an example.
    """

    examples: int
    correct: int
    hit: int
    rewarded: float
    reward: float

    @property
    def accuracy(self) -> float:
        """Share of examples with the right final world."""
        return self.correct / self.examples if self.examples else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """95 % confidence interval of the accuracy."""
        return wilson_interval(self.correct, self.examples)


class Measures(NamedTuple):
    """Measures of a set of examples.

    Attributes:
        total: of all of them.
        lengths: of those of each number of utterances.
        parts: of parts of the set.
    """

    total: Measure
    lengths: dict[int, Measure]
    parts: tuple[Measures, ...] = ()


def wilson_interval(correct: int, examples: int) -> tuple[float, float]:
    """The 95 % Wilson score interval of a share."""
    if examples == 0:
        return 0.0, 1.0
    share, z2 = correct / examples, _NORMAL_95**2
    centre = (share + z2 / (2 * examples)) / (1 + z2 / examples)
    spread = _NORMAL_95 * math.sqrt(share * (1 - share) / examples + z2 / (4 * examples**2))
    spread /= 1 + z2 / examples
    return max(0.0, centre - spread), min(1.0, centre + spread)


@gin.configurable
class Evaluator:
    """Predicts examples in batches of the same number of utterances.

    By worlds, batches have whole dialogues: their beginnings, which are examples too, cost nothing.
    """

    def __init__(
        self, learner: Learner, examples: Sequence[Example], *, batch_size: int = 32
    ) -> None:
        """Encodes the examples once.

        Args:
            learner: whose parser and evaluation search are used.
            examples: at least one.
            batch_size: examples, or by worlds dialogues, a batch.
        """
        if batch_size < 1:
            raise ValueError(f"batch_size={batch_size} must be 1 or more")
        self._learner = learner
        self._maker = learner.task.batch_maker(tuple(examples))
        self._batch_size = batch_size

    def __len__(self) -> int:
        return len(self.examples)

    @property
    def examples(self) -> tuple[Example, ...]:
        """What is predicted."""
        return self._maker.examples

    def predictions(self, *, first: int = 0, every: int = 1) -> Iterator[Prediction]:
        """A prediction for every example, in the order of their numbers of utterances or dialogues.

        The search may give all examples of a batch the iterations of the longest; in batches of
        one length it cannot matter with which others an example is predicted. By worlds it never
        does.

        Args:
            first: the batch to begin with, and
            every: of how many the first counts, if others deal with the rest.
        """
        batches = [*self._batches()]
        with ThreadPoolExecutor(self._learner.predicted_at_once) as threads:
            try:
                for found in threads.map(
                    lambda numbers: [*self._predict(numbers)], batches[first::every]
                ):
                    yield from found
            finally:  # whoever has seen enough does not wait for the rest
                threads.shutdown(cancel_futures=True)

    def measures(
        self,
        watch: Callable[[Iterable[Prediction]], Iterable[Prediction]] = iter,
        *,
        parts: Sequence[Sequence[Example]] = (),
    ) -> Measures:
        """What all examples give, each of them predicted by one of the learner's workers.

        Args:
            watch: sees the predictions of this one go by.
            parts: some of the examples, for a measure of their own.
        """
        workers = self._learner.workers
        lengths = sorted({len(example.utterances) for example in self.examples})
        members = [{_name(example) for example in some} for some in (self.examples, *parts)]
        sums = np.zeros([len(members), len(lengths), len(Measure._fields)])
        for prediction in watch(self.predictions(first=workers.rank, every=workers.count)):
            example = prediction.example
            belongs = [_name(example) in names for names in members]
            sums[belongs, lengths.index(len(example.utterances))] += _counts(prediction)
        total, *of_parts = (_measures(lengths, rows) for rows in workers.total(sums))
        return total._replace(parts=tuple(of_parts))

    def _batches(self) -> Iterator[list[int]]:
        """The numbers of the examples of each batch."""
        if self._learner.worlds is not None:
            dialogues = _grouped(self.examples, lambda example: example.line)
            for start in range(0, len(dialogues), self._batch_size):
                yield [*itertools.chain(*dialogues[start : start + self._batch_size])]
            return
        for numbers in _grouped(self.examples, _lengths):
            for start in range(0, len(numbers), self._batch_size):
                yield numbers[start : start + self._batch_size]

    def _predict(self, numbers: list[int]) -> Iterator[Prediction]:
        batch = self._maker(tf.constant(numbers))
        if not self._learner.search.jit_compile:  # what is compiled has one shape for all lengths
            length = max(len(self.examples[number].utterances) for number in numbers)
            by_utterance = (batch.words, batch.sentences, batch.history)
            words, sentences, history = (part[:, :length] for part in by_utterance)
            batch = batch._replace(words=words, sentences=sentences, history=history)
        predicted = self._learner.predict(batch)
        programs = predicted.programs
        rules = self._learner.task.machine.rules
        names = [token.name for token in rules.domain.tokens]
        found = zip(
            numbers,
            programs.tokens[:, 0].numpy(),
            programs.log_prob[:, 0].numpy(),
            programs.world[:, 0].numpy(),
            programs.rewarded[:, 0].numpy(),
            predicted.num_complete.numpy(),
            predicted.num_rewarded.numpy(),
            predicted.reward.numpy(),
        )
        for number, tokens, log_prob, world, correct, complete, rewarded, mass in found:
            yield Prediction(
                example=self.examples[number],
                program=tuple(names[token] for token in tokens if token >= 0),
                log_prob=float(log_prob),
                world=str(rules.decode_world(world)) if log_prob > NEVER else None,
                correct=bool(correct),
                num_complete=int(complete),
                num_rewarded=int(rewarded),
                reward=float(mass),
            )


def _grouped(examples: Sequence[Example], key: Callable[[Example], Any]) -> list[list[int]]:
    """The numbers of the examples that have the same key, the lowest key first."""
    groups: dict[Any, list[int]] = {}
    for number, example in enumerate(examples):
        groups.setdefault(key(example), []).append(number)
    return [groups[of_group] for of_group in sorted(groups)]


def _name(example: Example) -> tuple[int, str]:
    """Tells an example from all others of its file."""
    return example.line, example.id


def _lengths(example: Example) -> tuple[int, int]:
    """How many utterances an example has, and how many of them are dealt with already."""
    return len(example.utterances), example.start.utterance if example.start else 0


def measure(predictions: Sequence[Prediction]) -> Measure:
    """Counts what is right."""
    return _measure(sum(map(_counts, predictions), np.zeros([len(Measure._fields)])))


def _counts(prediction: Prediction) -> NDArray[np.float64]:
    """What one prediction adds to a measure, of which the last two are means later."""
    rewarded = prediction.num_rewarded
    return np.array([1, prediction.correct, rewarded > 0, rewarded, prediction.reward], np.float64)


def _measures(lengths: Sequence[int], sums: NDArray[np.float64]) -> Measures:
    """The measures of a set, from its sums for each of these lengths, some of which it may lack."""
    there = {length: _measure(row) for length, row in zip(lengths, sums) if row[0]}
    return Measures(total=_measure(sums.sum(axis=0)), lengths=there)


def _measure(sums: NDArray[np.float64]) -> Measure:
    examples, correct, hit, rewarded, reward = sums.tolist()
    total = max(examples, 1)
    return Measure(int(examples), int(correct), int(hit), rewarded / total, reward / total)


def by_utterances(predictions: Sequence[Prediction]) -> dict[int, Measure]:
    """The measure of the examples of each number of utterances."""
    lengths = sorted({len(p.example.utterances) for p in predictions})
    return {
        length: measure([p for p in predictions if len(p.example.utterances) == length])
        for length in lengths
    }


def final_accuracies(learner: Learner) -> dict[str, Any]:
    """What a result says of accuracy: on dev, and in `holdout` the same of held-out dialogues."""
    held_out = learner.task.examples("holdout") if learner.task.holdout else ()
    with learner.evaluation_weights():
        found = _accuracies(Evaluator(learner, learner.task.examples("dev")))
        if held_out:
            found["holdout"] = _accuracies(Evaluator(learner, held_out))
    return found


def _accuracies(evaluator: Evaluator) -> dict[str, Any]:
    total, lengths, _ = evaluator.measures()
    return {
        "examples": {str(n): measured.examples for n, measured in lengths.items()},
        "accuracy": {str(n): measured.accuracy for n, measured in lengths.items()},
        "accuracy_all": total.accuracy,
    }
