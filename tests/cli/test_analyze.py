from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import gin
from lang2program_tf.cli.main import main
from tests.language.examples import stage
from tests.learning.small_runs import write_run

UTTERANCES = ["the flabbergasted man leaves", "the man in yellow leaves", "nobody moves"]
WORLDS = [stage(_3="r_", _6="yo"), stage(_6="yo"), stage(), stage()]


@pytest.fixture
def tsv(tmp_path: Path) -> Path:
    """Two lines of three utterances."""
    fields = [WORLDS[0], *(field for pair in zip(UTTERANCES, WORLDS[1:]) for field in pair)]
    path = tmp_path / "mine.tsv"
    path.write_text("".join("\t".join([name, *fields]) + "\n" for name in ("line-1", "line-2")))
    return path


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a run that has learned a little."""
    folder = tmp_path_factory.mktemp("run")
    write_run(folder)
    yield folder
    gin.clear_config()


def analyze(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The page that is printed."""
    assert main(["analyze", *arguments]) == 0
    return capsys.readouterr().out


def analyze_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """The JSON object that is printed instead."""
    found: dict[str, Any] = json.loads(analyze(capsys, *arguments, "--json"))
    return found


def test_an_export_is_analyzed_and_the_page_written(
    export_dir: Path, tsv: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    out = tmp_path / "results" / "new"
    arguments = (f"--export={export_dir}", f"--tsv={tsv}")
    text = analyze(capsys, *arguments, f"--out={out}")
    found = analyze_json(capsys, *arguments)
    assert sorted(path.name for path in out.iterdir()) == [
        "scene.json",
        "scene.md",
        "scene_calibration.png",
    ]
    assert json.loads((out / "scene.json").read_text()) == found
    assert found["examples"] == {"1": 2, "2": 2, "3": 2}
    # A third step that begins in an empty stage and must leave it empty is out of reach: both
    # lines are lost, at the same step.
    assert found["lost"] == found["interactions"] == 2
    assert sorted(one["lost"] for one in found["by_position"].values())[-1] == 2
    page = (out / "scene.md").read_text()
    assert "](scene_calibration.png)" in page
    assert page.startswith(text.rstrip())
    assert str(tmp_path) not in page and "`mine.tsv`" in page
    assert (out / "scene_calibration.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_a_run_is_analyzed_on_the_corpus_it_was_trained_on(
    run: Path, capsys: pytest.CaptureFixture[str]
):
    text = analyze(capsys, f"--root_dir={run}", "--examples=1")
    found = analyze_json(capsys, f"--root_dir={run}")
    assert main(["evaluate", f"--root_dir={run}"]) == 0
    evaluated = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert found["accuracy"] == evaluated["accuracy"]
    assert found["lost"] == round(3 * (1 - evaluated["accuracy"]["5"]))
    assert text.count("\nsentence   ") == min(1, found["lost"])
    assert found["unknown_words"]["frequent"] == []  # its own corpus has known words only


@pytest.mark.slow
def test_words_that_the_run_does_not_know_are_named(
    run: Path, tsv: Path, capsys: pytest.CaptureFixture[str]
):
    found = analyze_json(capsys, f"--root_dir={run}", f"--tsv={tsv}")
    counts = [found["unknown_words"][key] for key in ("right", "wrong")]
    assert sum(one["with_unknown"] for one in counts) == 2  # the first step of both lines


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "one of the arguments --root_dir --export is required"),
        (["--root_dir=nowhere"], "nowhere holds no run"),
        (["--root_dir=a", "--batch_size=0"], "--batch_size must be 1 or more, got 0"),
        (["--root_dir=a", "--examples=-1"], "--examples must be 0 or more, got -1"),
        (["--root_dir=a", "--out=file/sub"], "cannot write to file/sub: Not a directory"),
        (["--root_dir=a", "--split=train"], "invalid choice: 'train'"),
    ],
)
def test_mistakes_are_one_line(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    assert main(["analyze", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    assert message in err
