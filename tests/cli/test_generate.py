from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from lang2program_tf.cli.main import main
from lang2program_tf.corpus.embedded.splits import Sizes, generate_splits, orig_lines
from lang2program_tf.corpus.scone import read_lines

NAMES = {"train", "train-orig", "dev", "test"}


def run(folder, *arguments: str) -> int:
    small = ["--lines", "4", "--eval-lines", "2", "--seed", "5"]
    return main(["generate", "--domain", "tangrams", "--out", str(folder), *small, *arguments])


def test_the_files_hold_the_corpus(tmp_path):
    assert run(tmp_path / "new") == 0
    expected = generate_splits("tangrams", seed=5, sizes=Sizes(4, 2, 2))
    expected["train-orig"] = orig_lines("tangrams", expected["train"])
    for name in NAMES:
        lines = read_lines(tmp_path / "new" / f"tangrams-{name}.tsv", "tangrams")
        assert lines == tuple(line._replace(gold_programs=None) for line in expected[name])


def test_the_gold_file_has_the_program_of_every_utterance(tmp_path):
    run(tmp_path)
    records = [json.loads(row) for row in (tmp_path / "tangrams-gold.jsonl").open()]
    splits = generate_splits("tangrams", seed=5, sizes=Sizes(4, 2, 2))
    assert records == [
        {"id": line.id, "split": split, "programs": [list(c) for c in line.gold_programs]}
        for split, lines in splits.items()
        for line in lines
    ]


def test_nothing_else_is_left_in_the_folder(tmp_path):
    run(tmp_path)
    names = {f"tangrams-{name}.tsv" for name in NAMES} | {"tangrams-gold.jsonl"}
    assert {path.name for path in tmp_path.iterdir()} == names


def test_the_same_seed_writes_the_same_bytes(tmp_path):
    run(tmp_path / "a")
    run(tmp_path / "b")
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()


def test_a_file_that_is_there_is_never_overwritten(tmp_path, capsys):
    (tmp_path / "tangrams-dev.tsv").write_text("precious")
    assert run(tmp_path) == 2
    assert "tangrams-dev.tsv is there already" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["tangrams-dev.tsv"]
    assert (tmp_path / "tangrams-dev.tsv").read_text() == "precious"


def test_a_folder_that_cannot_be_made_is_one_clear_line(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert run(tmp_path / "file" / "folder") == 2
    assert capsys.readouterr().err.startswith("error: cannot write to ")


def test_a_failure_in_the_middle_leaves_nothing_behind(tmp_path, monkeypatch, capsys):
    replace = os.replace

    def fail_at_dev(source: Path, target: Path) -> None:
        if target.name == "tangrams-dev.tsv":
            raise OSError(28, "No space left on device")
        replace(source, target)

    monkeypatch.setattr("os.replace", fail_at_dev)
    assert run(tmp_path) == 2
    assert "No space left" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("arguments", [("--lines", "0"), ("--domain", "chess")])
def test_bad_arguments_exit_with_code_2(tmp_path, arguments):
    assert run(tmp_path, *arguments) == 2
