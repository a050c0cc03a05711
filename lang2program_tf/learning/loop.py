"""The training loop: steps, evaluations, checkpoints, and an end."""

from __future__ import annotations

import json
import math
import signal
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

import gin
from lang2program_tf.code_version import code_version
from lang2program_tf.corpus.batches import Batch, BatchMaker, training_batches
from lang2program_tf.corpus.order import evaluation_sample
from lang2program_tf.corpus.scone import Example
from lang2program_tf.errors import UserError
from lang2program_tf.files import write_atomically
from lang2program_tf.learning.checkpoints import Checkpoints
from lang2program_tf.learning.evaluation import Evaluator, Measure, final_accuracies
from lang2program_tf.learning.learner import Learner
from lang2program_tf.learning.progress import Progress
from lang2program_tf.learning.reporting import Reporter, SilentReporter
from lang2program_tf.learning.run_folder import (
    OPERATIVE_CONFIG,
    RESULT,
    RunFolder,
)
from lang2program_tf.learning.stop_signals import STOP_SIGNALS, stop_signals
from lang2program_tf.search.non_finite import NonFiniteError

_SHOWN = 3
_WHOLE_NUMBERS = (
    "batch_size",
    "max_steps",
    "patience",
    "evaluate_every",
    "evaluate_all_every",
    "save_every",
    "log_every",
    "sample_size",
)


class Interrupted(UserError):
    """The run was told to stop; it has saved itself.

    Attributes:
        signal: the signal that told it.
    """

    def __init__(self, folder: RunFolder, *, step: int, signal: signal.Signals) -> None:
        super().__init__(
            f"{folder.path}: saved and stopped at step {step} by {signal.name}; "
            "the same command goes on from there"
        )
        self.signal = signal


class Evaluations(NamedTuple):
    """What is evaluated on.

    Attributes:
        train: a fixed sample of training examples.
        sample: a fixed sample of validation examples.
        dev: all validation examples.
    """

    train: Evaluator
    sample: Evaluator
    dev: Evaluator


@gin.configurable(denylist=["learner", "folder"])
class TrainingLoop:
    """Trains a learner in a run folder until validation accuracy has converged."""

    def __init__(
        self,
        learner: Learner,
        folder: RunFolder,
        *,
        batch_size: int = 8,
        max_steps: int = 30_000,
        patience: int = 6_000,
        evaluate_every: int = 300,
        evaluate_all_every: int = 1_500,
        save_every: int = 500,
        log_every: int = 50,
        sample_size: int = 150,
        strategy: str | None = None,
    ) -> None:
        """Binds the settings, and goes back to where the folder's run was.

        Args:
            learner: what is trained.
            folder: where it is kept.
            batch_size: examples a step.
            max_steps: the last step.
            patience: stop when the best accuracy on all validation examples is this many steps old.
            evaluate_every: steps between evaluations on samples of training and of validation
                examples.
            evaluate_all_every: steps between evaluations on all validation examples, of which the
                best gives the result.
            save_every: steps between checkpoints.
            log_every: steps between records of the steps' metrics.
            sample_size: examples in a sample.
            strategy: the class of tf.distribute by which several share the work, see `Workers`;
                the learner's workers are of it.
        """
        self.learner = learner
        self.workers = learner.workers
        self.folder = folder
        self.batch_size = batch_size
        self.max_steps = max_steps
        self.patience = patience
        self.evaluate_every = evaluate_every
        self.evaluate_all_every = evaluate_all_every
        self.save_every = save_every
        self.log_every = log_every
        self.sample_size = sample_size
        self._check_settings(strategy)
        self.progress = Progress()
        self._train_examples = learner.task.examples("train")
        learner.remember(self._train_examples)
        self._evaluations = self._evaluators(learner.task.examples("dev"))
        self._shown = _one_of_each_length(self._evaluations.sample.examples)[:_SHOWN]
        self.checkpoints = self._open_checkpoints()
        if self.workers.is_chief:
            self.checkpoints.sweep()
        self.checkpoints.restore_latest()

    def _check_settings(self, strategy: str | None) -> None:
        for name in _WHOLE_NUMBERS:
            number = getattr(self, name)
            if not isinstance(number, int) or number < 1:
                raise ValueError(f"{name}={number!r} must be a whole number, 1 or more")
        if strategy != self.workers.strategy:
            raise ValueError(
                f"strategy={strategy!r}, but the learner was made for {self.workers.strategy!r}"
            )
        if self.batch_size < self.workers.parts:
            raise ValueError(
                f"batch_size={self.batch_size} is too small for {self.workers.parts} parts"
            )

    def _evaluators(self, dev: Sequence[Example]) -> Evaluations:
        train_sample = evaluation_sample(self._train_examples, size=self.sample_size)
        return Evaluations(
            train=Evaluator(self.learner, train_sample),
            sample=Evaluator(self.learner, evaluation_sample(dev, size=self.sample_size)),
            dev=Evaluator(self.learner, dev),
        )

    def run(self) -> dict[str, Any]:
        """Trains to the end; the result, which is also in the folder."""
        self.workers.begin(step=self._step, settings=gin.config_str())
        if self.workers.is_chief:
            self.folder.forget_after(self._step)
            if self._step:
                self.folder.note_code(code_version())
        maker = self.learner.training_maker(self._train_examples)
        batches = self._batches(maker)
        with (
            stop_signals() as received,
            self._reporter() as reporter,
        ):
            started = time.monotonic() - float(self.progress.seconds)
            while not self._is_over():
                former, maker = maker, self.learner.cut_if_due(maker)
                if maker is not former:
                    batches = self._batches(maker)
                batch = next(batches)
                self._train_on(batch, reporter)
                self._evaluate_if_due(batch, reporter)
                self.progress.seconds.assign(time.monotonic() - started)
                stop = self._stop_of_any(received)
                if self._step % self.save_every == 0 or stop or self._is_over():
                    self._check_weights(batch)
                    if self.workers.is_chief:
                        self.checkpoints.save(self._step)
                if stop:
                    raise Interrupted(self.folder, step=self._step, signal=stop)
        return self._finish()

    @property
    def _step(self) -> int:
        return int(self.learner.step)

    def _batches(self, maker: BatchMaker) -> Iterator[Batch]:
        """The batches from this step on."""
        return iter(
            training_batches(
                maker, batch_size=self.batch_size, seed=self.learner.seed, start_step=self._step
            )
        )

    def _open_checkpoints(self) -> Checkpoints:
        return Checkpoints(self.folder.path, **self.learner.variables(), progress=self.progress)

    def _reporter(self) -> Reporter:
        if not self.workers.is_chief:
            return SilentReporter()
        return Reporter(self.folder, first_step=self._step, max_steps=self.max_steps)

    def _stop_of_any(self, received: Sequence[signal.Signals]) -> signal.Signals | None:
        """The signal that any of the workers has received: all stop at the same step."""
        flags = np.array([sign in received for sign in STOP_SIGNALS], np.float64)
        flags = self.workers.total(flags)
        return STOP_SIGNALS[int(flags.argmax())] if flags.any() else None

    def _is_over(self) -> bool:
        waited = self._step - int(self.progress.best_step)
        return self._step >= self.max_steps or (
            float(self.progress.best_accuracy) >= 0 and waited >= self.patience
        )

    def _train_on(self, batch: Batch, reporter: Reporter) -> None:
        step = self._step + 1
        try:
            metrics = self.learner.train(batch)
        except NonFiniteError as error:
            raise self._broken_down(batch, step, str(error)) from error
        values = {name: float(value) for name, value in metrics._asdict().items()}
        for name in ("loss", "gradient_norm"):
            if not math.isfinite(values[name]):
                raise self._broken_down(batch, step, f"{name} is {values[name]}")
        self.progress.means.add(values)
        reporter.step(step, solved=values["solved"])
        if step == 1:
            self._keep_settings(reporter)
        if step % self.log_every == 0:
            reporter.record(step, self.progress.means.take())

    def _check_weights(self, batch: Batch) -> None:
        """Weights that are broken are neither kept nor shown."""
        broken = self.learner.parser.first_non_finite_variable()
        if broken is not None:
            raise self._broken_down(batch, self._step, f"variable {broken} holds NaN or infinity")

    def _broken_down(self, batch: Batch, step: int, what: str) -> UserError:
        names = ", ".join(self._train_examples[i].id for i in batch.indices.numpy())
        return UserError(
            f"training broke down at step {step}, on examples {names}: {what}. What was saved "
            f"before stays in {self.folder.path}; begin anew in another --root_dir with a lower "
            "learning rate"
        )

    def _keep_settings(self, reporter: Reporter) -> None:
        """Writes the settings once they have proved to work."""
        if not self.workers.is_chief:
            return
        self.learner.task.write_seen_words(self.folder.path)
        self.folder.write_config(gin.config_str())
        self.folder.note_code(code_version())
        text = gin.operative_config_str()
        write_atomically(self.folder.path / OPERATIVE_CONFIG, text)
        reporter.text("gin", "\n".join(f"    {line}" for line in text.splitlines()), step=1)

    def _evaluate_if_due(self, batch: Batch, reporter: Reporter) -> None:
        step = self._step
        samples_are_due = step % self.evaluate_every == 0
        all_is_due = step % self.evaluate_all_every == 0 or step >= self.max_steps
        if samples_are_due or all_is_due:
            self._check_weights(batch)
        if samples_are_due:
            with self.learner.evaluation_weights():
                self._evaluate("train", reporter)
                reporter.beams(step, self.learner, self._shown)
                if not all_is_due:
                    self._evaluate("sample", reporter)
        if all_is_due:
            with self.learner.evaluation_weights():
                accuracy = self._evaluate("dev", reporter, with_sample=samples_are_due).accuracy
            if accuracy > float(self.progress.best_accuracy):
                self.progress.best_accuracy.assign(accuracy)
                self.progress.best_step.assign(step)
                if self.workers.is_chief:
                    self.checkpoints.save_best(step)

    def _evaluate(self, name: str, reporter: Reporter, *, with_sample: bool = False) -> Measure:
        """Evaluates on `train`, `sample` or `dev`, of which the sample is a part."""
        evaluator: Evaluator = getattr(self._evaluations, name)
        share = len(evaluator) // self.workers.count
        found = evaluator.measures(
            lambda items: reporter.watch(name, items, total=share),
            parts=[self._evaluations.sample.examples] if with_sample else [],
        )
        for sample in found.parts:
            reporter.evaluation(self._step, "sample", sample.total, sample.lengths)
        reporter.evaluation(self._step, name, found.total, found.lengths)
        return found.total

    def _finish(self) -> dict[str, Any]:
        """Evaluates the best checkpoint on validation and held-out examples; writes the result.

        If somebody has deleted a best one that was damaged, it is the latest.
        """
        steps, seconds = self._step, float(self.progress.seconds)
        self.workers.wait_for_all()  # until the chief has saved all
        self.checkpoints = self._open_checkpoints()
        if not (self.checkpoints.restore_best() or self.checkpoints.restore_latest()):
            raise UserError(f"{self.folder.path} has lost its checkpoints; train it anew")
        result = {
            "domain": self.learner.task.domain.name,
            "corpus": self.learner.task.corpus,
            "seed": self.learner.seed,
            "steps": steps,
            "best_step": self._step,
            "seconds": round(seconds, 1),
            "code": self.folder.code(),
            **final_accuracies(self.learner),
        }
        if self.workers.is_chief:
            write_atomically(self.folder.path / RESULT, json.dumps(result, indent=1) + "\n")
        return result


def _one_of_each_length(examples: Sequence[Example]) -> list[Example]:
    """The first example of each number of utterances, the shortest first."""
    firsts = {len(example.utterances): example for example in reversed(examples)}
    return [firsts[length] for length in sorted(firsts)]
