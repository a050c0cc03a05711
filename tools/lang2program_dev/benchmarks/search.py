"""Speed of the search with trained weights: in evaluation examples a second, in training ms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

import gin
from lang2program_dev.benchmarks.timing import milliseconds, table
from lang2program_dev.benchmarks.worker import Evaluation, open_learner
from lang2program_tf.corpus.batches import Batch, training_batches
from lang2program_tf.learning.learner import Learner, examples_of
from lang2program_tf.log_probs import NEVER
from lang2program_tf.search import BeamSearch
from lang2program_tf.search.beam import Beam
from lang2program_tf.search.records import unravel

_TRAINING_BATCH = 8
_MIDDLE = 8


class SearchBenchmark:
    """Measures the searches of a learner with the weights of a run."""

    def __init__(
        self,
        run: Path,
        *,
        gin_files: Sequence[str],
        gin_params: Sequence[str],
        batch_size: int,
        repeats: int,
    ) -> None:
        """Opens the run.

        Args:
            run: the folder of the run.
            gin_files: the settings; those of the run if there are none.
            gin_params: these go before all others.
            batch_size: of evaluation.
            repeats: of which the median is taken.
        """
        self.learner: Learner = open_learner(run, gin_files=gin_files, gin_params=gin_params)
        task = self.learner.task
        self.domain = task.domain.name
        self.repeats = repeats
        self.batch_size = batch_size
        self._evaluations = Evaluation(self.learner, batch_size=batch_size)
        self._train = task.batch_maker(task.examples("train"))

    def run(self) -> tuple[str, dict[str, Any]]:
        """A table for people and the figures as a JSON object."""
        at_once = self.learner.predicted_at_once
        with ThreadPoolExecutor(at_once) as threads:
            evaluation = milliseconds(
                {"evaluation": lambda: [*threads.map(self._evaluations.turn, [1] * at_once)]},
                repeats=self.repeats,
            )["evaluation"]
        training = milliseconds(
            {f"B = {beam}": self._exploration(beam) for beam in (32, 128)}, repeats=self.repeats
        )
        figures: dict[str, Any] = {
            "domain": self.domain,
            "corpus": self.learner.task.corpus,
            "learned_steps": int(self.learner.step),
            "batch_size": self.batch_size,
            "batches_at_once": at_once,
            "examples_per_second": 1000 * at_once * self.batch_size / evaluation,
            "iterations": self._iterations(),
            "training_ms": training,
            "shares": self._shares(),
        }
        rows: list[list[object]] = [
            [
                f"5 utterances, B = 32, {self.batch_size} examples",
                evaluation / at_once,
                "ms a batch",
            ],
            ["", figures["examples_per_second"], "examples/s"],
            ["", figures["iterations"], "iterations"],
            ["steps learned before", figures["learned_steps"], ""],
            *([f"training batch of 8, {name}", ms, "ms"] for name, ms in training.items()),
            *([f"share of {part}", 100 * of, "%"] for part, of in figures["shares"].items()),
        ]
        return table(rows, [self.domain, "median", ""]), figures

    def _iterations(self) -> float:
        """How many iterations a batch of the evaluation takes, as a mean over batches.

        Prediction by worlds searches each sentence alone, and this is the search of all together.
        """
        learner, search = self.learner, self.learner.search

        @tf.function(reduce_retracing=True, autograph=False)
        def iterations(batch: Batch) -> tf.Tensor:
            """One, and one more for each that leaves a prefix to continue but the last."""
            examples = examples_of(batch)
            memory = learner.parser.read(batch.words, examples)
            tree = search.search(memory, examples, seed=tf.zeros([2], tf.int32))
            lives = tf.reduce_any(tree.score[:-1] > NEVER, axis=[1, 2])
            return 1 + tf.math.count_nonzero(lives)

        batches = [self._evaluations.next_batch() for _ in range(self.repeats)]
        return float(np.mean([int(iterations(batch)) for batch in batches]))

    def _exploration(self, beam_size: int) -> Callable[[], Any]:
        """The training search alone, on batches of the training mix."""
        learner = self.learner
        with gin.config_scope("train"):
            search = BeamSearch(learner.task.machine, learner.parser, beam_size=beam_size)

        @tf.function(reduce_retracing=True, autograph=False)
        def explore(batch: Batch, step: tf.Tensor) -> tf.Tensor:
            examples = examples_of(batch)
            memory = learner.parser.read(batch.words, examples)
            seed = tf.stack([0, tf.cast(step, tf.int32)])
            return search.explore(memory, examples, seed=seed, step=step).complete

        batches = iter(training_batches(self._train, batch_size=_TRAINING_BATCH, seed=0))
        return lambda: explore(next(batches), learner.step.read_value()).numpy()

    def _shares(self) -> dict[str, float]:
        """How the time of one iteration of the evaluation search divides up."""
        times = milliseconds(self._iteration_parts(), repeats=4 * self.repeats)
        total = sum(times.values())
        return {name: time / total for name, time in times.items()}

    def _iteration_parts(self) -> dict[str, Callable[[], Any]]:
        """Scoring, machine and selection of one iteration in the middle of a search."""
        learner, search = self.learner, self.learner.search
        batch = self._evaluations.next_batch()
        examples = examples_of(batch)
        memory = learner.parser.read(batch.words, examples)
        limits = examples.num_utterances[:, tf.newaxis]
        draws = {"seed": tf.constant([0, 0]), "step": tf.constant(0, tf.int64)}

        @tf.function(autograph=False)
        def advance(beam: Beam, carried: Any) -> tuple[Beam, Any]:
            scores = search.log_probs(memory, beam, carried)
            drawn = search.selection.draw_once(scores, search.beam_size, **draws)
            taken = search.take(beam, scores, drawn, examples.num_utterances)
            return taken.following, search.note(memory, carried, taken)

        beam = search.first_beam(examples)
        carried = search.parser.begin(memory, search.beam_size)
        for _ in range(_MIDDLE):
            beam, carried = advance(beam, carried)
        as_searched = {"autograph": False, "jit_compile": search.jit_compile}
        score = tf.function(lambda: search.log_probs(memory, beam, carried), autograph=False)
        scores = score()
        options = tf.function(lambda: search.machine.options(beam.state, limits), **as_searched)
        tried = options()
        select = tf.function(
            lambda tried, scores: search.selection.select(
                search.candidates(beam, tried, scores), beam_size=search.beam_size, **draws
            ),
            **as_searched,
        )
        parent, token = unravel(search.machine, select(tried, scores).index)
        follow = tf.function(
            lambda tried: search.machine.follow(beam.state, tried, parent, token), **as_searched
        )
        return {
            "scoring": score,
            "machine": lambda: (options(), follow(tried)),
            "selection": lambda: select(tried, scores),
        }
