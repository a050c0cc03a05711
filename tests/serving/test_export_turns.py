"""Exports of parsers in context answer by worlds, as their runs do; two runs answer as one."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

import gin
from lang2program_tf.analysis.predictors import ExportPredictor, RunPredictor
from lang2program_tf.corpus.batches import training_batches
from lang2program_tf.corpus.scone import Example
from lang2program_tf.errors import UserError
from lang2program_tf.gin_files import load_gin
from lang2program_tf.learning.checkpoints import Checkpoints
from lang2program_tf.learning.experiment import open_run
from lang2program_tf.learning.learner import Learner, examples_of
from lang2program_tf.learning.progress import Progress
from lang2program_tf.learning.run_folder import CONFIG
from lang2program_tf.model.committee import Committee
from lang2program_tf.search import BeamSearch, Programs, WorldSearch
from lang2program_tf.serving.export_run import export_run
from tests.serving.alone import ALONE, QUIET

pytestmark = pytest.mark.slow  # two exports

TOP_K = 3
SETTINGS = [
    'Task.corpus = "embedded"',
    "load_embedded.train_lines = 30",
    "load_embedded.dev_lines = 6",
    "load_embedded.test_lines = 1",
    "Parser.encoder_units = 16",
    "Parser.context_width = 32",
    "evaluate/BeamSearch.beam_size = 8",
    f"WorldSearch.num_worlds = {TOP_K}",
    "averaged.average_decay = 0.5",
    "CosineDecay.warmup_steps = 5",
    "CosineDecay.warmup_target = 0.005",
]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Path]]:
    """The folders of two runs that have learned a little, one a little longer."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        load_gin(["turns/tangrams.gin"], SETTINGS)
        learner = Learner()
        examples = learner.task.examples("train")
        learner.remember(examples)
        batches = iter(training_batches(learner.task.batch_maker(examples), batch_size=30, seed=0))
        folders = []
        for steps in (40, 20):
            for _ in range(steps):
                learner.train(next(batches))
            folder = tmp_path_factory.mktemp("run")
            (folder / CONFIG).write_text(gin.config_str())
            learner.task.write_seen_words(folder)
            saved = Checkpoints(folder, **learner.variables(), progress=Progress())
            saved.save_best(int(learner.step))
            folders.append(folder)
        yield folders
    gin.clear_config()


@pytest.fixture(scope="module")
def dialogues(runs: list[Path]) -> list[Example]:
    """New dialogues of one, two and three sentences."""
    return [e for e in open_run(runs[0]).task.examples("dev") if len(e.utterances) <= 3]


def test_an_export_by_worlds_answers_as_its_run_does(runs, dialogues, tmp_path):
    version = export_run(runs[:1], tmp_path / "tangrams", top_k=TOP_K, max_utterances=3)
    predictor = ExportPredictor(version, batch_size=8)
    assert predictor.metadata.settings["by_worlds"] is True
    exported = list(predictor.predict(dialogues))
    evaluated = {p.example.id: p for p in RunPredictor(runs[0], batch_size=5).predict(dialogues)}
    assert sum(bool(p.program) for p in exported) > len(exported) / 2
    for prediction in exported:
        expected = evaluated[prediction.example.id]
        assert (prediction.program, prediction.world) == (expected.program, expected.world)
        assert (prediction.correct, prediction.num_complete) == (
            expected.correct,
            expected.num_complete,
        )
        if prediction.program:
            assert prediction.log_prob == pytest.approx(expected.log_prob, abs=1e-4)


def of_committee(runs: list[Path], dialogues: list[Example]) -> Programs:
    """What both parsers together say of dialogues of two sentences."""
    learners = [open_run(run) for run in runs]
    for learner in learners:
        learner.keep_evaluation_weights()
    task = learners[0].task
    batch = task.batch_maker(tuple(dialogues))(tf.range(len(dialogues)))
    committee = Committee([learner.parser for learner in learners])
    search = BeamSearch(
        task.machine,
        committee,
        beam_size=8,
        iterations_per_utterance=7,
        limit="row",
        independent_utterances=False,
        jit_compile=False,
    )
    return WorldSearch(search, num_worlds=TOP_K).predict(batch.words, examples_of(batch)).programs


def test_two_runs_as_one_answer_alone_as_a_committee_does(runs, dialogues, tmp_path):
    version = export_run(runs, tmp_path / "tangrams", top_k=TOP_K, max_utterances=2)
    some = [e for e in dialogues if len(e.utterances) == 2]
    request = {"world": [e.world for e in some], "utterances": [list(e.utterances) for e in some]}
    run = subprocess.run(
        [sys.executable, "-I", "-c", ALONE, str(version)],
        input=json.dumps(request),
        env=QUIET,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    answers = json.loads(run.stdout)
    expected = of_committee(runs, some)
    found = expected.length.numpy() > 0
    assert found[:, 0].mean() > 0.5
    assert (np.array(answers["program"]) != "").tolist() == found.tolist()
    np.testing.assert_array_equal(answers["agreeing"], expected.agreeing)
    np.testing.assert_allclose(
        np.array(answers["log_prob"])[found], expected.log_prob.numpy()[found], atol=1e-4
    )
    # Words are the most of an export, and there once.
    files = [path for path in version.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 15e6


def test_runs_that_do_not_fit_together_are_named(runs, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    load_gin(["turns/tangrams.gin"], [*SETTINGS, 'Parser.context = ("world",)'])
    (other / CONFIG).write_text(gin.config_str())
    learner = Learner()
    Checkpoints(other, **learner.variables(), progress=Progress()).save_best(0)
    with pytest.raises(UserError, match=r"has another Parser.context than"):
        export_run([runs[0], other], tmp_path / "out", top_k=1, max_utterances=1)
    assert not (tmp_path / "out").exists()
