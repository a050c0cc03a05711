from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import gin
from lang2program_tf.cli.main import main
from tests.learning.small_runs import write_run

LENGTHS = ["1", "2", "3", "4", "5"]
SCENE = "1:__ 2:__ 3:r_ 4:__ 5:__ 6:yo 7:__ 8:__ 9:__ 10:__"
WITHOUT_RED = SCENE.replace("3:r_", "3:__")
EMPTY = WITHOUT_RED.replace("6:yo", "6:__")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a run that has learned a little."""
    folder = tmp_path_factory.mktemp("run")
    write_run(folder)
    yield folder
    gin.clear_config()


@pytest.fixture
def summary(capsys: pytest.CaptureFixture[str]) -> Callable[..., dict[str, Any]]:
    """Evaluates, and gives the JSON object of the last line."""

    def evaluate(*arguments: str) -> dict[str, Any]:
        assert main(["evaluate", *arguments]) == 0
        last: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[-1])
        return last

    return evaluate


@pytest.mark.slow
def test_a_run_is_evaluated_on_the_corpus_it_was_trained_on(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "predictions.jsonl"
    assert main(["evaluate", f"--root_dir={run}", f"--predictions={path}"]) == 0
    *table, last = capsys.readouterr().out.splitlines()
    found = json.loads(last)
    assert found["domain"] == "scene"
    assert found["examples"] == dict.fromkeys(LENGTHS, 3)
    assert [row.split()[0] for row in table[:7]] == ["utterances", *LENGTHS, "all"]
    records = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(records) == 15
    for length in LENGTHS:
        of_length = [r["correct"] for r in records if len(r["utterances"]) == int(length)]
        assert sum(of_length) / len(of_length) == found["accuracy"][length]
    right = sum(record["correct"] for record in records)
    assert ("spurious" in found) == (right > 0)
    if right:
        assert found["spurious"]["measured"] == right
        assert table[7].endswith(f"of {right} right answers are spurious")


@pytest.mark.slow
def test_any_file_in_the_format_of_the_data_is_evaluated(
    run: Path, tmp_path: Path, summary: Callable[..., dict[str, Any]]
):
    tsv = tmp_path / "mine.tsv"
    steps = ["the man in red leaves", WITHOUT_RED, "the man in yellow leaves", EMPTY]
    tsv.write_text("\t".join(["line-1", SCENE, *steps]) + "\n")
    found = summary(f"--root_dir={run}", f"--tsv={tsv}")
    assert found["examples"] == {"1": 1, "2": 1}
    assert "spurious" not in found


@pytest.mark.slow
def test_utterances_are_perturbed_before_they_are_predicted(
    run: Path, tmp_path: Path, summary: Callable[..., dict[str, Any]]
):
    path = tmp_path / "predictions.jsonl"
    found = summary(f"--root_dir={run}", "--perturb=period", f"--predictions={path}")
    assert found["perturb"] == "period"
    assert found["examples"] == dict.fromkeys(LENGTHS, 3)
    for line in path.read_text().splitlines():
        assert all(text.endswith(".") for text in json.loads(line)["utterances"])


@pytest.mark.slow
def test_a_folder_of_files_is_a_corpus(
    run: Path, tmp_path: Path, summary: Callable[..., dict[str, Any]]
):
    folder = tmp_path / "corpus"
    corpus = ["--domain=scene", f"--out={folder}", "--lines=1", "--eval-lines=4"]
    assert main(["generate", *corpus]) == 0
    found = summary(f"--root_dir={run}", f"--corpus={folder}")
    assert found["examples"] == dict.fromkeys(LENGTHS, 4)
    assert main(["evaluate", f"--root_dir={run}", f"--corpus={tmp_path}"]) == 2


def test_an_export_is_evaluated(
    export_dir: Path, tmp_path: Path, summary: Callable[..., dict[str, Any]]
):
    tsv, predictions = tmp_path / "mine.tsv", tmp_path / "predictions.jsonl"
    steps = ["the man in red leaves", WITHOUT_RED, "the man in yellow leaves", EMPTY]
    tsv.write_text("\t".join(["line-1", SCENE, *steps]) + "\n")
    found = summary(f"--export={export_dir / '1'}", f"--tsv={tsv}", f"--predictions={predictions}")
    assert (found["domain"], found["examples"]) == ("scene", {"1": 1, "2": 1})
    records = [json.loads(line) for line in predictions.read_text().splitlines()]
    right = {str(len(record["utterances"])): float(record["correct"]) for record in records}
    assert found["accuracy"] == right


@pytest.mark.slow
def test_a_run_that_was_trained_on_all_dialogues_has_none_held_out(
    run: Path, capsys: pytest.CaptureFixture[str]
):
    assert main(["evaluate", f"--root_dir={run}", "--split=holdout"]) == 2
    assert "--split holdout: the parser was trained on all dialogues" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "one of the arguments --root_dir --export is required"),
        (["--root_dir=a", "--export=b"], "not allowed with argument"),
        (["--root_dir=nowhere"], "nowhere holds no run"),
        (["--export=nowhere"], "no exported model in nowhere"),
        (["--root_dir=a", "--batch_size=0"], "--batch_size must be 1 or more, got 0"),
        (["--root_dir=a", "--predictions=no/where.jsonl"], "cannot write no/where.jsonl: there is"),
        (
            ["--root_dir=a", "--corpus=no/where"],
            "--corpus must be scone, embedded or a folder with",
        ),
        (["--root_dir=a", "--split=other"], "invalid choice: 'other'"),
        (["--export=a", "--gin_param=x = 1"], "--gin_param are for runs; an export's settings are"),
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
    assert main(["evaluate", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    assert message in err
