from __future__ import annotations

from pathlib import Path

import pytest

from lang2program_tf.corpus.data_dir import cache_dir, data_dir, glove_file, scone_file
from lang2program_tf.errors import UserError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LANG2PROGRAM_DATA", str(tmp_path))
    return tmp_path


def _touch(path: Path) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.touch()
    return path


def test_the_environment_names_the_folder(folder: Path):
    assert data_dir() == folder


@pytest.mark.parametrize("value", [None, ""])
def test_the_cache_is_the_default(value, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    if value is None:
        monkeypatch.delenv("LANG2PROGRAM_DATA", raising=False)
    else:
        monkeypatch.setenv("LANG2PROGRAM_DATA", value)
    assert data_dir() == tmp_path / ".cache" / "lang2program"


def test_what_can_be_made_again_is_kept_in_the_cache_of_the_user(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_dir() == tmp_path / "lang2program"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_dir() == tmp_path / ".cache" / "lang2program"


def test_a_scone_file_is_found(folder: Path):
    path = _touch(folder / "scone" / "scene-train-orig.tsv")
    assert scone_file("scene", "train-orig") == path


def test_a_missing_scone_file_names_the_command_that_gets_it(folder: Path):
    with pytest.raises(UserError, match=r"scene-dev\.tsv; `lang2program fetch scone`"):
        scone_file("scene", "dev")


def test_whole_vectors_are_preferred_to_the_cut(folder: Path):
    cut = _touch(folder / "glove" / "glove.6B.100d.top20k.txt.gz")
    assert glove_file() == cut
    whole = _touch(folder / "glove" / "glove.6B.100d.txt")
    assert glove_file() == whole


@pytest.mark.parametrize("name", ["glove.6B.100d.txt.gz", "glove.6B.100d.zip", "glove.6B.zip"])
def test_packed_vectors_are_found(folder: Path, name: str):
    path = _touch(folder / "glove" / name)
    assert glove_file() == path


def test_missing_vectors_name_the_command_that_gets_them(folder: Path):
    with pytest.raises(UserError, match="`lang2program fetch glove`"):
        glove_file()
