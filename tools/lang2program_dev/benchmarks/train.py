"""Speed of training: ms a step, where the time goes, memory, start-up, and what grows."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray
from tqdm import tqdm

from lang2program_dev.benchmarks.timing import memory_mb, milliseconds, peak_memory_mb, table
from lang2program_tf.corpus.batches import Batch, training_batches
from lang2program_tf.learning.learner import Learner, examples_of

_WARM_UP = 20


class TrainBenchmark:
    """Measures the training steps of one learner."""

    def __init__(self, *, batch_size: int, started: float) -> None:
        """Builds the learner and takes the first step.

        Args:
            batch_size: examples a step.
            started: `time.perf_counter()` before tensorflow was imported.
        """
        imported = time.perf_counter()
        self.learner = Learner()
        task = self.learner.task
        maker = task.batch_maker(task.examples("train"))
        self._batches = iter(training_batches(maker, batch_size=batch_size, seed=self.learner.seed))
        built = time.perf_counter()
        self._step()
        self.start_up = {
            "import": imported - started,
            "build": built - imported,
            "first_step": time.perf_counter() - built,
        }
        for _ in range(_WARM_UP):
            self._step()

    def run(self, *, steps: int) -> tuple[str, dict[str, Any]]:
        """A table for people and the figures as a JSON object.

        A step takes longer the more programs the parser finds. Whether anything else makes it
        slower is seen by learning for a quarter once more from the same start.
        """
        optimizer = self.learner.train_step.optimizer
        variables = [*self.learner.parser.trainable_variables, *optimizer.variables()]
        start = [variable.numpy() for variable in variables]
        memory = [memory_mb()]
        quarters = []
        for number, part in enumerate(np.array_split(np.arange(steps), 4), start=1):
            quarters.append(self._times(len(part), f"quarter {number}"))
            memory.append(memory_mb())
        times = np.concatenate(quarters)
        shares = self._shares()
        for variable, value in zip(variables, start):
            variable.assign(value)
        again = self._times(len(quarters[0]), "quarter 1 again")
        figures: dict[str, Any] = {
            "domain": self.learner.task.domain.name,
            "corpus": self.learner.task.corpus,
            "ms_per_step": 1000 * float(np.median(times)),
            "mean_ms_per_step": 1000 * float(times.mean()),
            "steps": steps,
            "peak_rss_mb": peak_memory_mb(),
            "growth_mb": np.diff(memory).tolist(),
            "again_to_first_quarter": float(np.median(again) / np.median(quarters[0])),
            "start_up_s": self.start_up,
            "shares": shares,
        }
        rows: list[list[object]] = [
            ["a step, median", figures["ms_per_step"], "ms"],
            ["a step, mean", figures["mean_ms_per_step"], "ms"],
            ["highest memory", figures["peak_rss_mb"], "MB"],
            *(
                [f"growth of memory in quarter {number}", growth, "MB"]
                for number, growth in enumerate(figures["growth_mb"], start=1)
            ),
            ["time of quarter 1, taken again", 100 * figures["again_to_first_quarter"], "%"],
            *([f"start-up: {name}", seconds, "s"] for name, seconds in self.start_up.items()),
            *([f"share of {name}", 100 * of, "%"] for name, of in figures["shares"].items()),
        ]
        return table(rows, [figures["domain"], "", ""]), figures

    def _times(self, steps: int, description: str) -> NDArray[np.float64]:
        """The seconds of each of so many steps."""
        times = np.zeros([steps])
        for i in tqdm(range(steps), desc=description, unit="step", leave=False):
            start = time.perf_counter()
            self._step()
            times[i] = time.perf_counter() - start
        return times

    def _step(self) -> None:
        float(self.learner.train(next(self._batches)).loss)

    def _shares(self) -> dict[str, float]:
        """Encoding, search, and the rest (weights, gradient, optimizer), on one batch."""
        batch = next(self._batches)
        times = milliseconds(
            {
                "encoding": self._phase(batch, search=False),
                "search": self._phase(batch, search=True),
                "step": lambda: float(self.learner.train(batch).loss),
            },
            repeats=20,
        )
        whole = times["step"]
        return {
            "encoding": times["encoding"] / whole,
            "search": (times["search"] - times["encoding"]) / whole,
            "learning": (whole - times["search"]) / whole,
        }

    def _phase(self, batch: Batch, *, search: bool) -> Callable[[], Any]:
        """A step up to the end of the encoding, or of the search."""
        parser, exploration = self.learner.parser, self.learner.train_step.search

        @tf.function(autograph=False)
        def phase() -> tf.Tensor:
            examples = examples_of(batch)
            memory = parser.read(batch.words, examples)
            if not search:
                return memory.decoder.keys
            seed = tf.constant([0, 0])
            step = tf.constant(0, tf.int64)
            return exploration.explore(memory, examples, seed=seed, step=step).complete

        return lambda: phase().numpy()
