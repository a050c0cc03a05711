from __future__ import annotations

import errno
import functools
import json
import os
import re
import resource
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import gin
from lang2program_tf.corpus.batches import Batch
from lang2program_tf.corpus.seen_words import read_seen_words
from lang2program_tf.corpus.tokenizers import KnownForms
from lang2program_tf.errors import UserError
from lang2program_tf.learning.evaluation import Evaluator, Measures
from lang2program_tf.learning.loop import Interrupted, TrainingLoop
from lang2program_tf.learning.run_folder import RunFolder
from lang2program_tf.learning.step_metrics import StepMetrics
from tests.learning.small_runs import (
    SmallRuns,
    checkpoint_values,
    log_without_times,
    same_values,
)

pytestmark = pytest.mark.slow  # the graphs of one learner, which all tests share


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallRuns]:
    yield SmallRuns(tmp_path_factory.mktemp("learner"))
    gin.clear_config()


@pytest.fixture(scope="module")
def finished(runs: SmallRuns, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that was never stopped."""
    path = tmp_path_factory.mktemp("finished")
    runs.loop(path).run()
    return path


def test_a_run_keeps_the_words_seen_in_training(runs: SmallRuns, finished: Path):
    counts = read_seen_words(finished / "seen_words.tsv", remedy="")
    assert isinstance(runs.learner.task.tokenizer, KnownForms)
    assert counts == runs.learner.task.tokenizer.seen
    assert counts["the"] > 100


class Crash(BaseException):
    """Stands for the end of the process."""


def crash_at(monkeypatch: pytest.MonkeyPatch, runs: SmallRuns, step: int, *, method: str) -> None:
    """Makes a method that a loop calls, a path from the learner, crash before it does anything."""
    *path, name = method.split(".")
    owner = functools.reduce(getattr, path, runs.learner)
    call = getattr(owner, name)

    def crash(*arguments: object, **options: object) -> object:
        if int(runs.learner.step) == step:
            raise Crash
        return call(*arguments, **options)

    monkeypatch.setattr(owner, name, crash)


def poison(runs: SmallRuns, value: float) -> None:
    variable = runs.learner.parser.token_embeddings
    variable.assign(tf.fill(variable.shape, value))


def test_training_changes_the_weights(runs: SmallRuns, tmp_path: Path):
    loop = runs.loop(tmp_path)
    before = runs.weights()
    loop.run()
    assert any(np.any(a != b) for a, b in zip(before, runs.weights()))


def test_two_runs_with_the_same_seed_are_the_same(runs: SmallRuns, finished: Path, tmp_path: Path):
    runs.loop(tmp_path).run()
    for kind in ("checkpoints", "best"):
        assert same_values(
            checkpoint_values(tmp_path / kind), checkpoint_values(finished / kind)
        ), kind


@pytest.mark.parametrize(
    ("step", "method"),
    [
        (0, "train"),  # before anything is there
        (2, "train"),  # before the first checkpoint, behind the first record
        (7, "train"),  # between checkpoints, behind the best one
        (6, "parser.first_non_finite_variable"),  # before the evaluation that gives the best one
        (12, "workers.wait_for_all"),  # with all steps taken
    ],
)
def test_a_run_that_crashed_goes_on_as_if_it_had_not(
    runs: SmallRuns,
    finished: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    step: int,
    method: str,
):
    loop = runs.loop(tmp_path)
    with monkeypatch.context() as patch:
        crash_at(patch, runs, step, method=method)
        with pytest.raises(Crash):
            loop.run()
    resumed = runs.loop(tmp_path)
    assert step - int(runs.learner.step) <= 3  # TrainingLoop.save_every
    resumed.run()
    for kind in ("checkpoints", "best"):
        assert same_values(
            checkpoint_values(tmp_path / kind), checkpoint_values(finished / kind)
        ), kind
    assert log_without_times(tmp_path) == log_without_times(finished)


def test_a_crash_behind_a_new_best_and_before_the_next_checkpoint_loses_neither(
    runs: SmallRuns, finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    loop = runs.loop(tmp_path)
    monkeypatch.setattr(loop.checkpoints, "save_best", lambda step: _save_and_crash(loop, step))
    with pytest.raises(Crash):
        loop.run()
    best = tmp_path / "best" / "ckpt-6.index"
    before = best.stat().st_mtime_ns
    runs.loop(tmp_path).run()
    assert best.stat().st_mtime_ns == before  # not written over
    assert same_values(checkpoint_values(tmp_path / "best"), checkpoint_values(finished / "best"))


def _save_and_crash(loop: TrainingLoop, step: int) -> None:
    type(loop.checkpoints).save_best(loop.checkpoints, step)
    raise Crash


def test_the_last_three_checkpoints_and_the_best_are_kept(finished: Path):
    latest = {path.name for path in (finished / "checkpoints").glob("*.index")}
    assert latest == {"ckpt-6.index", "ckpt-9.index", "ckpt-12.index"}
    assert [path.name for path in (finished / "best").glob("*.index")] == ["ckpt-6.index"]


def test_the_result_is_that_of_the_best_checkpoint(runs: SmallRuns, finished: Path):
    result = RunFolder(finished).result()
    accuracy = {
        record["step"]: record
        for record in RunFolder(finished).records()
        if record["kind"] == "dev"
    }
    assert result is not None
    assert (result["steps"], result["best_step"]) == (12, 6)
    assert result["accuracy"] == accuracy[6]["by_utterances"]
    assert result["examples"] == {str(n): 3 for n in range(1, 6)}


def test_without_a_best_checkpoint_the_latest_gives_the_result(
    runs: SmallRuns, finished: Path, tmp_path: Path
):
    """As somebody is told to do whose best one is damaged."""
    shutil.copytree(finished, tmp_path, dirs_exist_ok=True)
    shutil.rmtree(tmp_path / "best")
    result = runs.loop(tmp_path).run()
    assert (result["steps"], result["best_step"]) == (12, 12)


def test_a_later_evaluation_that_is_better_becomes_the_best(
    runs: SmallRuns, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    loop = runs.loop(tmp_path)
    _accuracies(monkeypatch, loop, {6: 0.25, 12: 0.5})
    result = loop.run()
    assert result["best_step"] == 12
    assert [path.name for path in (tmp_path / "best").glob("*.index")] == ["ckpt-12.index"]


def test_training_stops_when_the_best_is_older_than_the_patience(
    runs: SmallRuns, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    loop = runs.loop(tmp_path, max_steps=1000, evaluate_all_every=2, patience=5)
    _accuracies(monkeypatch, loop, {2: 0.1, 4: 0.3, 6: 0.3, 8: 0.2})
    result = loop.run()
    assert (result["steps"], result["best_step"]) == (9, 4)
    assert checkpoint_values(tmp_path / "checkpoints")["step/.ATTRIBUTES/VARIABLE_VALUE"] == 9


def _accuracies(
    monkeypatch: pytest.MonkeyPatch, loop: TrainingLoop, of_steps: dict[int, float]
) -> None:
    """Makes evaluations on all validation examples give these accuracies."""
    measures = Evaluator.measures
    all_examples = len(loop.learner.task.examples("dev"))

    def told(self: Evaluator, *watch: Any, **parts: Any) -> Measures:
        found = measures(self, *watch, **parts)
        if len(self) != all_examples:
            return found
        correct = of_steps[int(loop.learner.step)] * found.total.examples
        return found._replace(total=found.total._replace(correct=correct))

    monkeypatch.setattr(Evaluator, "measures", told)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_lets_the_step_end_and_saves_it(
    runs: SmallRuns,
    finished: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    number: signal.Signals,
):
    loop = runs.loop(tmp_path)
    train = runs.learner.train

    def signalled(batch: Batch) -> StepMetrics:
        if int(runs.learner.step) == 4:
            os.kill(os.getpid(), number)
        return train(batch)

    monkeypatch.setattr(runs.learner, "train", signalled)
    handlers = [signal.getsignal(n) for n in (signal.SIGTERM, signal.SIGINT)]
    with pytest.raises(Interrupted, match=f"stopped at step 5 by {number.name}") as stop:
        loop.run()
    assert stop.value.signal == number
    assert [signal.getsignal(n) for n in (signal.SIGTERM, signal.SIGINT)] == handlers
    resumed = runs.loop(tmp_path)
    assert int(runs.learner.step) == 5
    resumed.run()
    assert same_values(
        checkpoint_values(tmp_path / "checkpoints"), checkpoint_values(finished / "checkpoints")
    )
    assert log_without_times(tmp_path) == log_without_times(finished)


@pytest.mark.parametrize(
    ("step", "value"),
    [(9, float("nan")), (8, float("inf"))],  # a step that is saved, and one that is evaluated
)
def test_weights_that_break_stop_the_run_and_are_not_saved(
    runs: SmallRuns, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int, value: float
):
    loop = runs.loop(tmp_path)
    train = runs.learner.train

    def break_down(batch: Batch) -> StepMetrics:
        metrics = train(batch)
        if int(runs.learner.step) == step:
            poison(runs, value)
        return metrics

    monkeypatch.setattr(runs.learner, "train", break_down)
    with pytest.raises(UserError) as error:
        loop.run()
    message = str(error.value)
    assert f"broke down at step {step}, on examples train-" in message
    assert "token_embeddings holds NaN or infinity" in message
    assert "\n" not in message
    values = checkpoint_values(tmp_path / "checkpoints")
    assert values["step/.ATTRIBUTES/VARIABLE_VALUE"] == 6
    assert all(np.all(np.isfinite(value)) for value in values.values())


@pytest.mark.parametrize("name", ["loss", "gradient_norm"])
def test_a_loss_that_is_not_a_number_names_the_step_and_the_examples(
    runs: SmallRuns, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
):
    loop = runs.loop(tmp_path)
    train = runs.learner.train
    seen = []

    def break_down(batch: Batch) -> StepMetrics:
        seen.append(batch)
        metrics = train(batch)
        return metrics._replace(**{name: tf.constant(np.nan)}) if len(seen) == 5 else metrics

    monkeypatch.setattr(runs.learner, "train", break_down)
    with pytest.raises(UserError, match=f"broke down at step 5, .*: {name} is nan") as error:
        loop.run()
    examples = runs.learner.task.examples("train")
    for number in seen[-1].indices.numpy():
        assert examples[number].id in str(error.value)
    assert checkpoint_values(tmp_path / "checkpoints")["step/.ATTRIBUTES/VARIABLE_VALUE"] == 3


def test_scores_that_are_not_finite_name_the_step_and_the_variable(
    runs: SmallRuns, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    loop = runs.loop(tmp_path, save_every=1)
    train = runs.learner.train

    def break_down(batch: Batch) -> StepMetrics:
        if int(runs.learner.step) == 1:
            poison(runs, float("nan"))
        return train(batch)

    monkeypatch.setattr(runs.learner, "train", break_down)
    with pytest.raises(UserError, match="broke down at step 2, .*token_embeddings"):
        loop.run()


def test_a_full_disk_is_one_clear_error_and_the_checkpoint_before_stays(
    runs: SmallRuns, finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    loop = runs.loop(tmp_path)
    save = loop.checkpoints.save
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)

    def on_a_small_disk(step: int) -> None:
        if step == 6:
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
        save(step)

    monkeypatch.setattr(loop.checkpoints, "save", on_a_small_disk)
    try:
        with pytest.raises(UserError, match="cannot save a checkpoint .*the disk full") as error:
            loop.run()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "\n" not in str(error.value)
    left = sorted(path.name for path in (tmp_path / "checkpoints").iterdir())
    assert left == ["checkpoint", "ckpt-3.data-00000-of-00001", "ckpt-3.index"]
    runs.loop(tmp_path).run()
    assert same_values(
        checkpoint_values(tmp_path / "checkpoints"), checkpoint_values(finished / "checkpoints")
    )


def test_a_log_that_cannot_be_written_is_one_clear_error(
    runs: SmallRuns, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    loop = runs.loop(tmp_path)
    monkeypatch.setattr(json, "dumps", full)
    with pytest.raises(UserError, match="cannot write .*metrics.jsonl: No space left on device"):
        loop.run()


def test_settings_must_be_whole_numbers(runs: SmallRuns, tmp_path: Path):
    for value in (0, -1, 2.5, "3"):
        with pytest.raises(ValueError, match="save_every=.* must be a whole number, 1 or more"):
            runs.loop(tmp_path, save_every=value)


def test_tensorboard_gets_all_that_is_watched(finished: Path):
    (events,) = (finished / "events").iterdir()
    scalars: dict[str, list[int]] = {}
    texts: dict[str, str] = {}
    for line in tf.data.TFRecordDataset(str(events)):
        record = tf.compat.v1.Event.FromString(line.numpy())
        for value in record.summary.value:
            if value.metadata.plugin_data.plugin_name == "text":
                texts[value.tag] = tf.make_ndarray(value.tensor).item().decode()
            else:
                scalars.setdefault(value.tag, []).append(record.step)
    steps = [2, 4, 6, 8, 10, 12]
    for name in (
        "loss",
        "reward",
        "solved",
        "rewarded",
        "entropy",
        "effective",
        "decisions",
        "gradient_norm",
        "steps_per_second",
    ):
        assert scalars[f"step/{name}"] == steps, name
    for length in range(1, 6):
        assert scalars[f"dev/accuracy_{length}_utterances"] == [6, 12]
    for kind in ("train", "sample"):
        for name in ("accuracy", "hit", "rewarded", "reward"):
            assert scalars[f"{kind}/{name}"] == [4, 8, 12]
    assert "BeamSearch.beam_size = 16" in texts["gin"]
    assert "RandomizedPaper.epsilon = 0.15" in texts["gin"]
    assert re.search(
        r"\| p +\| program +\| reward \|\n\| -+ \| -+ \| -+ \|\n\| 0\.", texts["beams"]
    )


def test_the_operative_settings_lie_beside_the_checkpoints(finished: Path):
    text = (finished / "operative_config.gin").read_text()
    assert "TrainStep.fresh_scores = False" in text  # a default that no file binds
    assert "TrainingLoop.save_every = 3" in text
