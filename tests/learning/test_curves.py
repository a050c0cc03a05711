from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lang2program_tf.cli.main import main
from lang2program_tf.errors import UserError
from lang2program_tf.learning.curves import read_curves
from lang2program_tf.learning.run_folder import RunFolder


def make_run(folder: Path, accuracies: dict[int, float]) -> Path:
    folder.mkdir()
    run = RunFolder(folder)
    for step, accuracy in accuracies.items():
        run.log({"step": step, "kind": "step", "loss": 1.0})
        lengths = {"1": accuracy, "5": accuracy / 2}
        run.log({"step": step, "kind": "sample", "accuracy": accuracy, "by_utterances": lengths})
    return folder


@pytest.fixture
def runs(tmp_path: Path) -> list[str]:
    """Three seeds of one learner, one of which has come further, and one of another."""
    steps = range(100, 1000, 100)
    seeds = [
        make_run(tmp_path / f"a{seed}", {s: s * (seed + 2) / 6000 for s in steps[: 7 + seed]})
        for seed in range(3)
    ]
    other = make_run(tmp_path / "b", {step: 0.2 for step in steps})
    return [*(f"A={seed}" for seed in seeds), f"B={other}"]


def test_runs_with_the_same_label_are_seeds_of_one_learner(runs: list[str]):
    curves = read_curves(runs)
    assert list(curves) == ["A", "B"]
    assert curves["A"].steps.tolist() == list(range(100, 800, 100))  # where all three have been
    assert curves["A"].accuracy.shape == (3, 7)
    assert np.median(curves["A"].accuracy, axis=0)[-1] == pytest.approx(700 * 3 / 6000)
    assert curves["B"].accuracy.shape == (1, 9)


def test_curves_can_be_of_one_number_of_utterances(runs: list[str]):
    whole, half = read_curves(runs), read_curves(runs, utterances="5")
    assert half["A"].accuracy == pytest.approx(whole["A"].accuracy / 2)


@pytest.mark.parametrize(
    ("run", "options", "message"),
    [
        ("folder", {}, "'folder' is not LABEL=FOLDER"),
        ("=folder", {}, "'=folder' is not LABEL=FOLDER"),
        ("A=nowhere", {}, "nowhere has no evaluations of kind 'sample'; is it a run folder?"),
        ("", {"kind": "dev"}, "has no evaluations of kind 'dev'"),
        ("", {"utterances": "4"}, "has no examples of 4 utterances"),
    ],
)
def test_what_cannot_be_drawn_is_named(
    runs: list[str], run: str, options: dict[str, str], message: str
):
    with pytest.raises(UserError, match=message):
        read_curves([run or runs[0]], **options)


def test_seeds_without_a_common_step_are_named(tmp_path: Path):
    first, second = make_run(tmp_path / "a", {1: 0.1}), make_run(tmp_path / "b", {2: 0.1})
    with pytest.raises(UserError, match="the runs of 'A' have no evaluated step in common"):
        read_curves([f"A={first}", f"A={second}"])


def test_the_command_writes_a_picture(
    runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "curves.png"
    assert main(["plot", *runs, f"--out={path}", "--level=30"]) == 0
    assert capsys.readouterr().out == f"wrote {path}\n"
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("out", ["nowhere/curves.png", "curves.abc"])
def test_a_picture_that_cannot_be_written_is_one_line(
    runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], out: str
):
    assert main(["plot", *runs, f"--out={tmp_path / out}"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("error: cannot write ") and err.count("\n") == 1
    assert not (tmp_path / out).exists()
