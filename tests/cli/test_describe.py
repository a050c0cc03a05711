from __future__ import annotations

import json
from pathlib import Path

import pytest

from lang2program_tf.cli.main import main

WORLD = "1:g 2:_ 3:_ 4:_ 5:_ 6:_ 7:_"
LINE = f"id-1\t{WORLD}\tThrow out the beaker\t{WORLD}\tmix it,\t{WORLD}\n"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "scone" / "alchemy-dev.tsv"
    path.parent.mkdir()
    path.write_text(LINE)
    return path


def report(capsys, *arguments: str) -> dict:
    assert main(["describe", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_it_describes_a_file_and_names_the_word_vectors(corpus, capsys):
    assert main(["describe", "--tsv", str(corpus)]) == 0
    out = capsys.readouterr().out
    assert "shipped_vectors.npz (all its words): 8,000 genuine GloVe vectors" in out
    assert f"{corpus} (alchemy)" in out
    assert "'it,' 1" in out


def test_the_originals_cut_makes_beaker_unknown(corpus, capsys):
    whole = report(capsys, "--tsv", str(corpus))
    cut = report(capsys, "--tsv", str(corpus), "--max_rank", "19998")
    assert whole["data_sets"][0]["frequent_unknown"] == [["it,", 1]]
    assert cut["data_sets"][0]["frequent_unknown"] == [["beaker", 1], ["it,", 1]]
    assert cut["word_vectors"]["max_rank"] == 19998


def test_a_split_is_found_in_the_data_folder(corpus, capsys, monkeypatch):
    monkeypatch.setenv("LANG2PROGRAM_DATA", str(corpus.parents[1]))
    found = report(capsys, "--split", "dev", "--domain", "alchemy")["data_sets"]
    assert [data["name"] for data in found] == [str(corpus)]
    assert main(["describe", "--split", "dev"]) == 2
    assert "scene-dev.tsv" in capsys.readouterr().err


def test_the_embedded_corpus_needs_no_files(capsys, monkeypatch):
    monkeypatch.setenv("LANG2PROGRAM_DATA", "/nowhere")
    found = report(capsys, "--embedded", "--domain", "tangrams")["data_sets"]
    assert {data["name"] for data in found} == {
        f"embedded tangrams-{split}" for split in ("train", "dev", "test")
    }
    assert all(data["unknown_rate"] < 0.01 for data in found)


def test_a_glove_file_may_be_named_or_found_in_the_data_folder(corpus, capsys, monkeypatch):
    root = corpus.parents[1]
    monkeypatch.setenv("LANG2PROGRAM_DATA", str(root))
    glove = root / "glove" / "glove.6B.100d.txt"
    glove.parent.mkdir()
    glove.write_text(f"mix {' '.join(['0.5'] * 100)}\n")
    for words in ("glove", str(glove)):
        found = report(capsys, "--tsv", str(corpus), "--words", words)
        assert found["word_vectors"] == {
            "file": str(glove),
            "max_rank": None,
            "genuine": 1,
            "aliases": {},
        }
        assert found["data_sets"][0]["running"] == {"genuine": 1, "aliased": 0, "unknown": 5}


def test_programs_are_listed_if_asked_for(corpus, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert report(capsys, "--tsv", str(corpus))["data_sets"][0]["programs"] is None
    (data,) = report(capsys, "--tsv", str(corpus), "--programs")["data_sets"]
    assert (data["programs"]["turns"], data["programs"]["without"]) == (2, 2)


def test_a_folder_stands_for_the_files_in_it(corpus, capsys):
    (corpus.parent / "tangrams-dev.tsv").write_text("a\t1:2\tremove it\t\n")
    (corpus.parent / "notes.tsv").write_text("not a corpus")
    found = report(capsys, "--tsv", str(corpus.parent))["data_sets"]
    assert [data["domain"] for data in found] == ["alchemy", "tangrams"]
    (only,) = report(capsys, "--tsv", str(corpus.parent), "--domain", "tangrams")["data_sets"]
    assert only["domain"] == "tangrams"
    assert main(["describe", "--tsv", str(corpus.parent), "--domain", "scene"]) == 2
    assert "holds no files scene-SPLIT.tsv" in capsys.readouterr().err


def test_several_files_are_described_in_turn(corpus, capsys):
    found = report(capsys, "--tsv", str(corpus), str(corpus))
    assert len(found["data_sets"]) == 2


def test_a_file_whose_name_tells_no_domain_needs_the_flag(corpus, capsys):
    other = corpus.rename(corpus.with_name("mine.tsv"))
    assert main(["describe", "--tsv", str(other)]) == 2
    assert "say with --domain which of alchemy, scene, tangrams" in capsys.readouterr().err
    assert report(capsys, "--tsv", str(other), "--domain", "alchemy")["data_sets"]


def test_a_rank_that_is_no_number_above_zero_is_refused(corpus, capsys):
    assert main(["describe", "--tsv", str(corpus), "--max_rank", "0"]) == 2
    assert "expected a whole number above 0, got '0'" in capsys.readouterr().err
