"""The command over a small copy of the recordings: exit codes, the report, and bad files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from lang2program_tf.cli import parity
from lang2program_tf.cli.main import main
from lang2program_tf.parity.registry import SECTIONS
from tests.parity.small_recordings import alter, copy_small, read_records, write_records


@pytest.fixture(scope="module")
def small_copy(parity_dir, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("recordings") / "parity"
    copy_small(parity_dir, path)
    return path


@pytest.fixture
def folder(small_copy, tmp_path) -> Path:
    """A copy of the copy, to spoil."""
    return shutil.copytree(small_copy, tmp_path / "parity", symlinks=True)


def run(folder: Path, *arguments: str) -> int:
    return main(["parity", "--recordings", str(folder), *arguments])


def test_the_help_names_every_section():
    assert set(SECTIONS) == set(parity._SECTIONS)


def test_all_that_agrees_is_exit_code_0_and_a_table(folder, capsys):
    assert run(folder, "--section", "executor", "selection", "--executor", "python") == 0
    out = capsys.readouterr().out
    assert "executor   scene, python" in out
    assert "tensor" not in out
    assert out.splitlines()[-1].startswith("all ")


def test_a_difference_is_exit_code_1_and_shown_in_full(folder, capsys):
    def change(records):
        records[0]["steps"][0]["world"] = "1:9"

    alter(folder / "executor.tangrams.jsonl.gz", change)
    assert run(folder, "--section", "executor", "--executor", "python") == 1
    token = read_records(folder / "executor.tangrams.jsonl.gz")[0]["tokens"][0]
    out = capsys.readouterr().out
    assert "executor, tangrams, python: 1 of " in out
    assert f"record 1, step 1 ({token}), world: expected '1:9', got '1:" in out


def test_the_report_is_json_on_request(folder, tmp_path, capsys):
    assert run(folder, "--section", "selection", "--json", "-") == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["passed"] is True
    (comparison,) = printed["comparisons"]
    assert comparison["section"] == "selection"
    assert comparison["records"] == 18
    assert run(folder, "--section", "selection", "--json", str(tmp_path / "report.json")) == 0
    assert json.loads((tmp_path / "report.json").read_text()) == printed
    assert "all " in capsys.readouterr().out


def test_numbers_are_written_with_their_error_and_tolerance(folder, capsys):
    assert run(folder, "--section", "weights", "--json", "-") == 0
    first = json.loads(capsys.readouterr().out)["comparisons"][0]
    assert first["recording"] == "softmax_alpha_beta"
    assert 0 < first["largest_error"] < first["tolerance"]["absolute"]


def cut_short(path: Path) -> None:
    whole = path.read_bytes()
    path.unlink()
    path.write_bytes(whole[: len(whole) // 2])


def make_empty(path: Path) -> None:
    path.unlink()
    path.write_bytes(b"")


def hold_no_record(path: Path) -> None:
    write_records(path, [])


def spoil_a_record(path: Path) -> None:
    records = read_records(path)
    write_records(path, [*records[:-1], {"surprise": 1}])


BAD = [
    (cut_short, "executor.scene.jsonl.gz", "executor"),
    (make_empty, "executor.scene.jsonl.gz", "executor"),
    (hold_no_record, "executor.scene.jsonl.gz", "executor"),
    (spoil_a_record, "executor.scene.jsonl.gz", "executor"),
    (Path.unlink, "executor.scene.jsonl.gz", "executor"),
    (cut_short, "predicates.json", "executor"),
    (Path.unlink, "predicates.json", "executor"),
    (cut_short, "eps_greedy.jsonl.gz", "selection"),
    (spoil_a_record, "eps_greedy.jsonl.gz", "selection"),
    (Path.unlink, "weights.tangrams.stack.npz", "model"),
    (cut_short, "weights.tangrams.stack.npz", "model"),
    (Path.unlink, "model.tangrams.stack.meta.json", "model"),
    (Path.unlink, "model.tangrams.stack.cases.jsonl.gz", "model"),
    (spoil_a_record, "model.tangrams.stack.cases.jsonl.gz", "model"),
    (Path.unlink, "word_embeds.npz", "model"),
    (cut_short, "word_vocab.json.gz", "model"),
    (make_empty, "beams.tangrams.stack.step150.jsonl.gz", "beams"),
    (Path.unlink, "weights.tangrams.stack.step150.npz", "beams"),
    (cut_short, "softmax_alpha_beta.jsonl.gz", "weights"),
    (spoil_a_record, "caseweights.tangrams.stack.step150.jsonl.gz", "weights"),
    (Path.unlink, "grads.tangrams.stack.npz", "gradients"),
    (Path.unlink, "grads.tangrams.stack.meta.json", "gradients"),
    (Path.unlink, "grads.tangrams.stack.cases.jsonl.gz", "gradients"),
    (cut_short, "adamsparse.scene.history.npz", "gradients"),
    (cut_short, "dataset.tangrams.json", "dataset"),
    (Path.unlink, "checkpoint/weights-999.data-00000-of-00001", "checkpoint"),
    (Path.unlink, "checkpoint/weights-999.index", "checkpoint"),
    (Path.unlink, "checkpoint/dev_predictions.jsonl.gz", "checkpoint"),
    (cut_short, "checkpoint/weights-999.index", "checkpoint"),
]


@pytest.mark.parametrize(
    ("spoil", "name", "section"), BAD, ids=[f"{spoil.__name__} {name}" for spoil, name, _ in BAD]
)
def test_a_missing_or_spoiled_file_is_exit_code_2(folder, capsys, spoil, name, section):
    spoil(folder / name)
    assert run(folder, "--section", section, "--executor", "python") == 2
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err
    assert "not compared" in captured.out or captured.err.splitlines()[-1].startswith("error: ")


def test_what_can_be_compared_still_is(folder, capsys):
    make_empty(folder / "softmax_alpha_beta.jsonl.gz")
    assert run(folder, "--section", "weights") == 2
    out = capsys.readouterr().out
    assert "weights, softmax_alpha_beta: not compared:" in out
    assert out.splitlines()[-1] == "1 recordings could not be compared"
    assert len([line for line in out.splitlines() if "2e-06" in line]) > 1


def test_a_data_set_without_its_files_is_not_a_pass(folder, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("LANG2PROGRAM_DATA", str(tmp_path))
    assert run(folder, "--section", "dataset") == 2
    assert "none of tangrams-train-orig.tsv, tangrams-dev.tsv is in" in capsys.readouterr().out


def test_a_split_without_its_file_is_told(folder, data_dir, capsys, monkeypatch, tmp_path):
    dev = data_dir / "scone" / "tangrams-dev.tsv"
    if not dev.is_file():
        pytest.skip("no SCONE in the data folder")
    (tmp_path / "scone").mkdir()
    shutil.copy(dev, tmp_path / "scone")
    monkeypatch.setenv("LANG2PROGRAM_DATA", str(tmp_path))
    assert run(folder, "--section", "dataset") == 0
    out = capsys.readouterr().out
    assert "note: dataset.tangrams.json: no tangrams-train-orig.tsv" in out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--recordings", "nowhere"], "nowhere: no such folder"),
        (["--recordings", "."], "holds no recording"),
        (["--recordings", ".", "--section", "beams"], "no recording of section 'beams'"),
        (["--recordings", ".", "--section", "dreams"], "'dreams'"),
        (["--recordings", ".", "--executor", "magic"], "'magic'"),
        ([], "--recordings"),
        (["--recordings", ".", "--json", "no/where.json"], "cannot write no/where.json"),
    ],
)
def test_bad_usage_is_one_line_and_exit_code_2(arguments, complaint, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert main(["parity", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: ")
    assert complaint in captured.err


def test_an_unknown_domain_is_named(folder, capsys):
    (folder / "executor.tangrams.jsonl.gz").rename(folder / "executor.chess.jsonl.gz")
    assert run(folder, "--section", "executor", "--executor", "python") == 2
    assert "there is no domain 'chess'" in capsys.readouterr().out
