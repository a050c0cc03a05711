"""Speed of training: ms a step, where the time goes, memory, start-up, and what grows."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
from tqdm import tqdm

from lang2program_dev.benchmarks.timing import memory_mb, milliseconds, peak_memory_mb, table
from lang2program_dev.benchmarks.worker import Training, open_learner
from lang2program_tf.corpus.batches import Batch
from lang2program_tf.learning.learner import Learner, examples_of

_WARM_UP = 20
STEPS_A_TURN = 10


class TrainBenchmark:
    """Measures training steps from the weights of a run."""

    def __init__(
        self,
        run: Path,
        *,
        gin_files: Sequence[str],
        gin_params: Sequence[str],
        batch_size: int,
        import_seconds: float,
    ) -> None:
        """Builds the learner and takes the first step.

        Args:
            run: the folder of the run.
            gin_files: the settings; those of the run if there are none.
            gin_params: these go before all others.
            batch_size: examples a step.
            import_seconds: how long the import of TensorFlow took.
        """
        started = time.perf_counter()
        self.learner: Learner = open_learner(run, gin_files=gin_files, gin_params=gin_params)
        self._training = Training(self.learner, batch_size=batch_size)
        built = time.perf_counter()
        self._training.turn(1)
        self.start_up = {
            "import": import_seconds,
            "build": built - started,
            "first_step": time.perf_counter() - built,
        }
        self._training.turn(_WARM_UP)

    def run(self, *, steps: int) -> tuple[str, dict[str, Any]]:
        """A table for people and the figures as a JSON object.

        A step takes longer the more programs the parser finds; so the weights go back to where they
        were after each turn of ten steps, and what grows is seen by comparing quarters.
        """
        memory = [memory_mb()]
        quarters, turns = [], []
        lengths = [min(STEPS_A_TURN, steps - i) for i in range(0, steps, STEPS_A_TURN)]
        with tqdm(total=steps, desc="measuring", unit="step", leave=False) as bar:
            for part in np.array_split(lengths, 4):
                seconds: list[float] = []
                for length in part.tolist():
                    turns.append(self._training.turn(length))
                    seconds += turns[-1]["seconds"]
                    bar.update(length)
                quarters.append(seconds)
                memory.append(memory_mb())
        times = 1000 * np.concatenate(quarters)
        found = {
            name: float(np.average([turn["amounts"][name] for turn in turns], weights=lengths))
            for name in turns[0]["amounts"]
        }
        figures: dict[str, Any] = {
            "domain": self.learner.task.domain.name,
            "corpus": self.learner.task.corpus,
            "learned_steps": self._training.first_step,
            "ms_per_step": float(np.median(times)),
            "quartiles_ms_per_step": np.percentile(times, [25, 75]).tolist(),
            "mean_ms_per_step": float(times.mean()),
            "steps": steps,
            **found,
            "peak_rss_mb": peak_memory_mb(),
            "growth_mb": np.diff(memory).tolist(),
            "last_to_first_quarter": _ratio(quarters[-1], quarters[0]),
            "start_up_s": self.start_up,
            "shares": self._shares(),
        }
        return _text(figures), figures

    def _shares(self) -> dict[str, float]:
        """Encoding, search, and the rest (weights, gradient, optimizer), on the same batches."""
        self._training.go_back()
        batch = next(self._training.batches)

        def step() -> None:
            """The last of the three."""
            nonlocal batch
            float(self.learner.train(batch).loss)
            batch = next(self._training.batches)

        phases = {"encoding": self._phase(search=False), "search": self._phase(search=True)}
        if self.learner.train_step.recall is not None:
            del phases["search"]
        timed = {
            name: functools.partial(_call, phase, lambda: batch) for name, phase in phases.items()
        }
        times = milliseconds({**timed, "step": step}, repeats=20)
        ends = [0.0, *times.values()]
        shares = [(after - before) / ends[-1] for before, after in zip(ends, ends[1:])]
        return dict(zip([*phases, "learning"], shares))

    def _phase(self, *, search: bool) -> Callable[[Batch], tf.Tensor]:
        """A step up to the end of the encoding, or of the search."""
        parser, exploration = self.learner.parser, self.learner.train_step.search

        @tf.function(reduce_retracing=True, autograph=False)
        def phase(batch: Batch) -> tf.Tensor:
            examples = examples_of(batch)
            memory = parser.read(batch.words, examples)
            if not search:
                return memory.decoder.summaries
            seed = tf.constant([0, 0])
            step = self.learner.step.read_value()
            return exploration.explore(memory, examples, seed=seed, step=step).complete

        return phase


def _call(phase: Callable[[Batch], tf.Tensor], batch: Callable[[], Batch]) -> None:
    phase(batch()).numpy()


def _ratio(times: Sequence[float], others: Sequence[float]) -> float | None:
    """Of the medians, None if there is none."""
    return float(np.median(times) / np.median(others)) if times and others else None


def _text(figures: dict[str, Any]) -> str:
    low, high = figures["quartiles_ms_per_step"]
    rows: list[list[object]] = [
        ["a step, median", figures["ms_per_step"], "ms"],
        ["quartiles", f"{low:.1f}, {high:.1f}", "ms"],
        ["a step, mean", figures["mean_ms_per_step"], "ms"],
        ["steps learned before", figures["learned_steps"], ""],
        ["steps that updated the weights", 100 * figures["updated"], "%"],
        ["examples solved", 100 * figures["solved"], "%"],
        ["decisions learned from, a step", figures["decisions"], ""],
        ["highest memory", figures["peak_rss_mb"], "MB"],
        *(
            [f"growth of memory in quarter {number}", growth, "MB"]
            for number, growth in enumerate(figures["growth_mb"], start=1)
        ),
        ["time of the last quarter to the first", figures["last_to_first_quarter"] or "?", ""],
        *([f"start-up: {name}", time, "s"] for name, time in figures["start_up_s"].items()),
        *([f"share of {name}", 100 * of, "%"] for name, of in figures["shares"].items()),
    ]
    return table(rows, [figures["domain"], "", ""])
