"""Exports of parsers in context answer by worlds, as their runs do; two runs answer as one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import gin
from lang2program_tf.analysis.predictors import ExportPredictor, RunPredictor
from lang2program_tf.corpus.batches import training_batches
from lang2program_tf.corpus.scone import Example
from lang2program_tf.errors import UserError
from lang2program_tf.gin_files import load_gin
from lang2program_tf.learning.checkpoints import Checkpoints
from lang2program_tf.learning.experiment import open_run
from lang2program_tf.learning.learner import Learner
from lang2program_tf.learning.progress import Progress
from lang2program_tf.learning.run_folder import CONFIG
from lang2program_tf.serving.export_run import export_run
from tests.serving.saved_models import foreign_operations, read_saved_model

pytestmark = pytest.mark.slow

TOP_K = 3
SETTINGS = [
    'Task.corpus = "embedded"',
    "load_embedded.train_lines = 30",
    "load_embedded.dev_lines = 6",
    "load_embedded.test_lines = 1",
    "Parser.encoder_units = 16",
    "Parser.context_width = 32",
    "evaluate/BeamSearch.beam_size = 8",
    "train/BeamSearch.jit_compile = False",
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


@pytest.fixture(scope="module")
def version(runs, tmp_path_factory) -> Path:
    """Both runs as one parser."""
    target = tmp_path_factory.mktemp("exported") / "tangrams"
    return export_run(runs, target, top_k=TOP_K, max_utterances=3)


def test_an_export_of_two_runs_answers_by_worlds_as_they_do_together(runs, dialogues, version):
    predictor = ExportPredictor(version, batch_size=8)
    assert predictor.metadata.settings["by_worlds"] is True
    exported = list(predictor.predict(dialogues))
    evaluated = {p.example.id: p for p in RunPredictor(*runs, batch_size=5).predict(dialogues)}
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


def test_it_stands_alone_and_is_small(version):
    assert foreign_operations(read_saved_model(version)) == set()
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
