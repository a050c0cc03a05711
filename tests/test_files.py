from __future__ import annotations

from pathlib import Path

import pytest

from lang2program_tf.errors import UserError
from lang2program_tf.files import put_in_place, replacing, write_atomically


def test_a_file_that_cannot_be_written_stays_as_it_was(tmp_path: Path):
    path = tmp_path / "folder" / "file"
    with pytest.raises(UserError, match="cannot write .*file: No such file or directory"):
        write_atomically(path, "new")
    path.parent.mkdir()
    write_atomically(path, "new")
    assert [child.name for child in path.parent.iterdir()] == ["file"]
    assert path.read_text() == "new"


def test_a_file_in_the_place_of_the_folder_is_named_in_one_line(tmp_path: Path):
    (tmp_path / "folder").write_text("no folder")
    with pytest.raises(UserError, match="cannot write .*file: Not a directory"):
        write_atomically(tmp_path / "folder" / "file", "new")


def test_who_fails_while_writing_leaves_the_old_file_and_nothing_else(tmp_path: Path):
    path = tmp_path / "figure.png"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt), replacing(path) as unfinished:
        assert unfinished.suffix == ".png"
        unfinished.write_text("half of the n")
        raise KeyboardInterrupt
    assert [child.name for child in tmp_path.iterdir()] == ["figure.png"]
    assert path.read_text() == "old"


def test_what_is_put_in_place_is_on_the_disk_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    there: list[bool] = []
    monkeypatch.setattr("os.fsync", lambda handle: there.append((tmp_path / "whole").exists()))
    (tmp_path / "building" / "inner").mkdir(parents=True)
    (tmp_path / "building" / "inner" / "file").write_text("content")
    put_in_place(tmp_path / "building", tmp_path / "whole")
    assert there == [False, False, False, True]  # file, two folders; then the one that names it
    assert (tmp_path / "whole" / "inner" / "file").read_text() == "content"
