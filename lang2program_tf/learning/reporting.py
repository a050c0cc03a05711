"""What a person sees of a run: a progress bar or plain lines, TensorBoard, and the run's log."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple, TypeVar

import tensorflow as tf
from tqdm import tqdm

from lang2program_tf.corpus.scone import Example
from lang2program_tf.errors import UserError
from lang2program_tf.learning.beams import beam_tables
from lang2program_tf.learning.evaluation import Measure
from lang2program_tf.learning.learner import Learner
from lang2program_tf.learning.run_folder import RunFolder

_PLAIN_SECONDS = 10.0
_SMOOTHING = 0.98
_SHOWN_PROGRAMS = 6

T = TypeVar("T")


class Point(NamedTuple):
    """A step, and when it was."""

    time: float
    step: int


class Reporter:
    """Reports steps and evaluations; use it as a context manager."""

    def __init__(self, folder: RunFolder, *, first_step: int, max_steps: int) -> None:
        """Opens TensorBoard's file, and a progress bar if there is a terminal.

        Args:
            folder: of the run.
            first_step: 0, or where a run resumes.
            max_steps: the last step.
        """
        self._folder = folder
        self._max_steps = max_steps
        self._solved = math.nan
        self._accuracy = "?"
        self._recorded: Point | None = None
        self._shown: Point | None = None
        self._bar: tqdm | None = None
        with _writing(folder):
            self._writer = tf.summary.create_file_writer(folder.events)
        if sys.stderr.isatty():
            self._bar = tqdm(
                total=max_steps, initial=first_step, unit="step", desc="building the graph"
            )
        else:
            _say(f"training from step {first_step} to {max_steps}; building the graph")

    def __enter__(self) -> Reporter:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()
        with _writing(self._folder):
            self._writer.close()

    def step(self, step: int, *, solved: float) -> None:
        """Reports one step and the share of its examples that have reward."""
        before = solved if math.isnan(self._solved) else self._solved
        self._solved = _SMOOTHING * before + (1 - _SMOOTHING) * solved
        if self._shown is None:  # the first step has built the graph, which must not count
            self._shown = self._recorded = Point(time.monotonic(), step)
            if self._bar is not None:
                self._bar.set_description("training", refresh=False)
                self._bar.unpause()
        if self._bar is not None:
            self._bar.set_postfix(solved=f"{self._solved:.2f}", dev=self._accuracy, refresh=False)
            self._bar.update()
        elif time.monotonic() - self._shown.time > _PLAIN_SECONDS:
            rate, self._shown = _rate(self._shown, step)
            left = (self._max_steps - step) / rate
            _say(
                f"step {step}/{self._max_steps}  {rate:.1f} steps/s  solved {self._solved:.2f}  "
                f"dev {self._accuracy}  at most {left / 60:.0f} min left"
            )

    def record(self, step: int, metrics: Mapping[str, float]) -> None:
        """Records the metrics of the steps since the last record."""
        assert self._recorded is not None
        rate, self._recorded = _rate(self._recorded, step)
        values = {**metrics, "steps_per_second": rate}
        with self._summaries(step):
            for name, value in values.items():
                tf.summary.scalar(f"step/{name}", value)
        self._folder.log({"step": step, "kind": "step", **values})

    def watch(self, name: str, items: Iterable[T], *, total: int) -> Iterable[T]:
        """The items of an evaluation, with a bar of their own if they take long on a terminal."""
        if self._bar is None:
            return items
        shown: Iterable[T] = tqdm(
            items, f"evaluating on {name}", total=total, unit="example", leave=False, delay=1
        )
        return shown

    def evaluation(
        self, step: int, name: str, total: Measure, lengths: Mapping[int, Measure]
    ) -> None:
        """Reports an evaluation on `train`, `sample` or `dev`."""
        hit = total.hit / total.examples
        with self._summaries(step):
            tf.summary.scalar(f"{name}/accuracy", total.accuracy)
            tf.summary.scalar(f"{name}/hit", hit)
            tf.summary.scalar(f"{name}/rewarded", total.rewarded)
            tf.summary.scalar(f"{name}/reward", total.reward)
            for length, of_length in lengths.items():
                tf.summary.scalar(f"{name}/accuracy_{length}_utterances", of_length.accuracy)
        self._folder.log(
            {
                "step": step,
                "kind": name,
                "accuracy": total.accuracy,
                "hit": hit,
                "rewarded": total.rewarded,
                "reward": total.reward,
                "by_utterances": {str(n): measured.accuracy for n, measured in lengths.items()},
            }
        )
        if name != "train":
            self._accuracy = f"{total.accuracy:.3f}"
        if name == "dev" and self._bar is None:
            parts = "  ".join(f"{n}: {measured.accuracy:.3f}" for n, measured in lengths.items())
            _say(f"step {step}  all of dev {total.accuracy:.3f}  ({parts})")

    def beams(self, step: int, learner: Learner, examples: Sequence[Example]) -> None:
        """Shows a few beams as in the paper's last table: probability, program, reward."""
        tables = beam_tables(learner, examples, count=_SHOWN_PROGRAMS)
        parts = []
        for example, table in zip(examples, tables):
            parts += [f"**{' / '.join(example.utterances)}**", table]
        self.text("beams", "\n\n".join(parts), step=step)

    def text(self, name: str, text: str, *, step: int) -> None:
        """Shows a text in TensorBoard."""
        with self._summaries(step):
            tf.summary.text(name, text)

    @contextmanager
    def _summaries(self, step: int) -> Iterator[None]:
        """Within it summaries go to TensorBoard's file, and at its end they are there."""
        with _writing(self._folder), self._writer.as_default(step):
            yield
            self._writer.flush()


class SilentReporter(Reporter):
    """Of a worker that is not the chief: it says and writes nothing."""

    def __init__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass

    def step(self, step: int, *, solved: float) -> None:
        """Says nothing."""

    def record(self, step: int, metrics: Mapping[str, float]) -> None:
        """Writes nothing."""

    def watch(self, name: str, items: Iterable[T], *, total: int) -> Iterable[T]:
        """The items."""
        return items

    def evaluation(
        self, step: int, name: str, total: Measure, lengths: Mapping[int, Measure]
    ) -> None:
        """Writes nothing."""

    def beams(self, step: int, learner: Learner, examples: Sequence[Example]) -> None:
        """Predicts nothing."""

    def text(self, name: str, text: str, *, step: int) -> None:
        """Writes nothing."""


@contextmanager
def _writing(folder: RunFolder) -> Iterator[None]:
    try:
        yield
    except tf.errors.OpError as error:
        raise UserError(f"cannot write {folder.events}: {error.message}") from error


def _rate(since: Point, step: int) -> tuple[float, Point]:
    """Steps a second since a point, and the present point."""
    now = Point(time.monotonic(), step)
    return (step - since.step) / max(now.time - since.time, 1e-9), now


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
