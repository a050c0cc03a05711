"""Runs that are evaluated anew: in the same way, by worlds, and two as one parser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import gin
from lang2program_tf.analysis.predictors import RunPredictor, load
from lang2program_tf.cli.main import main as command
from lang2program_tf.gin_files import load_gin
from lang2program_tf.learning.run_folder import RESULT, RunFolder
from lang2program_tf.reproduction.evaluate_runs import main
from tests.learning.small_runs import BINDINGS, GIN_FILES, SmallRuns

HELD_OUT = "Task.holdout = 0.3"
BY_WORLDS = ["Learner.worlds = @WorldSearch", "WorldSearch.num_worlds = 2"]
SAID = ("examples", "accuracy", "accuracy_all", "holdout")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a run that has learned from some dialogues, but not from others."""
    folder = tmp_path_factory.mktemp("run")
    runs = SmallRuns(tmp_path_factory.mktemp("learner"), [HELD_OUT])
    runs.loop(folder, max_steps=2, evaluate_every=2, evaluate_all_every=2).run()
    yield folder
    gin.clear_config()


def evaluate(sources: list[Path], folder: Path, *bindings: str) -> dict[str, Any]:
    """What an evaluation keeps."""
    files = [f"--gin_file={name}" for name in GIN_FILES]
    params = [f"--gin_param={binding}" for binding in [*BINDINGS, HELD_OUT, *bindings]]
    named = [f"--source={source}" for source in sources]
    assert main([*named, *files, *params, f"--root_dir={folder}"]) == 0
    result = RunFolder(folder).result()
    assert result is not None
    return result


@pytest.mark.slow
def test_the_same_settings_give_the_accuracies_of_training(run: Path, tmp_path: Path):
    result = RunFolder(run).result()
    assert result is not None
    assert sum(result["holdout"]["examples"].values()) > 0
    again = evaluate([run], tmp_path)
    assert {key: again[key] for key in SAID} == {key: result[key] for key in SAID}
    assert again["best_step"] == result["best_step"]
    load_gin(GIN_FILES, [*BINDINGS, HELD_OUT])
    assert RunFolder(tmp_path).config() == gin.config_str()


@pytest.mark.slow
def test_the_command_for_people_gives_the_same_on_held_out_dialogues(
    run: Path, capsys: pytest.CaptureFixture[str]
):
    assert command(["evaluate", f"--root_dir={run}", "--split=holdout"]) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    result = RunFolder(run).result()
    assert result is not None
    assert found["accuracy"] == result["holdout"]["accuracy"]
    assert found["examples"] == result["holdout"]["examples"]


@pytest.mark.slow
def test_two_runs_are_evaluated_as_one_parser_by_worlds(run: Path, tmp_path: Path):
    both = evaluate([run, run], tmp_path, *BY_WORLDS)
    assert both["sources"] == [run.name, run.name]
    trained = RunFolder(run).result()
    assert trained is not None
    assert both["examples"] == trained["examples"]
    assert both["holdout"]["examples"] == trained["holdout"]["examples"]


@pytest.mark.slow
def test_a_parser_together_with_itself_predicts_what_it_does_alone(run: Path):
    alone = RunPredictor(run, batch_size=8, gin_params=BY_WORLDS)
    examples = load(alone, split="dev")
    expected = {p.example.id: p for p in alone.predict(examples)}
    together = RunPredictor(run, run, batch_size=8, gin_params=BY_WORLDS)
    assert alone.by_worlds and together.by_worlds
    found = list(together.predict(examples))
    assert any(prediction.program for prediction in found)
    for prediction in found:
        other = expected[prediction.example.id]
        assert prediction.world == other.world
        assert prediction.log_prob == pytest.approx(other.log_prob, abs=1e-3)


@pytest.mark.slow
def test_a_run_that_goes_by_worlds_is_analyzed_by_the_probability_of_worlds(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    params = [f"--gin_param={binding}" for binding in BY_WORLDS]
    assert command(["analyze", f"--root_dir={run}", f"--out={tmp_path}", *params]) == 0
    capsys.readouterr()
    found = json.loads((tmp_path / "scene.json").read_text())
    assert found["calibration"]["probability_of"] == "world"
    page = (tmp_path / "scene.md").read_text()
    assert "All examples by the probability of their world" in page
    assert sum(one["examples"] for one in found["calibration"]["bins"]) == 15


def test_a_run_that_is_not_trained_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    source = tmp_path / "seed_0"
    assert main([f"--source={source}", f"--root_dir={tmp_path / 'out'}"]) == 2
    message = f"error: {source} is to be evaluated, but is not trained; train it first\n"
    assert capsys.readouterr().err == message
    assert not (tmp_path / "out" / RESULT).exists()
