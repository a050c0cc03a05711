"""A learner of turns in context: its runs can be stopped, and it is told what it lacks."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import gin
from lang2program_tf.gin_files import load_gin
from lang2program_tf.learning.learner import Learner
from lang2program_tf.learning.loop import TrainingLoop
from lang2program_tf.learning.run_folder import RunFolder
from tests.learning.small_runs import checkpoint_values, log_without_times, same_values

SETTINGS = [
    'Task.corpus = "embedded"',
    "load_embedded.train_lines = 6",
    "load_embedded.dev_lines = 2",
    "load_embedded.test_lines = 1",
    "Parser.encoder_units = 8",
    "Parser.context_width = 16",
    "Parser.context_heads = 2",
    "evaluate/BeamSearch.beam_size = 8",
    "train/BeamSearch.jit_compile = False",
    "ProgramRecall.cuts = (2, 5)",
    "LinearSchedule.wait = 2",
    "CosineDecay.warmup_steps = 2",
    "TrainingLoop.batch_size = 10",
    "TrainingLoop.max_steps = 7",
    "TrainingLoop.evaluate_every = 7",
    "TrainingLoop.evaluate_all_every = 7",
    "TrainingLoop.save_every = 3",
    "TrainingLoop.log_every = 2",
    "TrainingLoop.sample_size = 3",
]


@pytest.fixture(autouse=True)
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    load_gin(["turns/tangrams.gin"], SETTINGS)
    yield
    gin.clear_config()


@pytest.mark.slow
def test_a_run_that_recalls_programs_goes_on_as_if_it_had_not_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    whole.mkdir()
    loop = TrainingLoop(Learner(), RunFolder(whole))
    save = loop.checkpoints.save

    def save_and_keep(step: int) -> None:
        save(step)
        if step == 3:
            shutil.copytree(whole, stopped)

    monkeypatch.setattr(loop.checkpoints, "save", save_and_keep)
    loop.run()
    resumed = TrainingLoop(Learner(), RunFolder(stopped))
    recall = resumed.learner.train_step.recall
    assert recall is not None
    assert (int(resumed.learner.step), int(recall.cuts_done)) == (3, 1)
    resumed.run()
    assert int(recall.cuts_done) == 2  # the second cut is of the resumed run
    for kind in ("checkpoints", "best"):
        assert same_values(checkpoint_values(stopped / kind), checkpoint_values(whole / kind)), kind
    assert log_without_times(stopped) == log_without_times(whole)


def test_a_parser_in_context_must_predict_by_worlds():
    with pytest.raises(ValueError, match="worlds=None"):
        Learner(worlds=None)
