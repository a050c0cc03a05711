"""Versions appear whole, in order, or not at all."""

from __future__ import annotations

import os
import threading

import pytest

from lang2program_tf.errors import UserError
from lang2program_tf.serving.versions import find_version, new_version, versions, write_once


def publish(folder, text="x"):
    with new_version(folder) as version:
        (version.folder / "sub").mkdir()
        (version.folder / "sub" / "file").write_text(text)
    return version.published


def test_versions_count_from_1(tmp_path):
    assert publish(tmp_path / "a" / "b").name == "1"
    assert publish(tmp_path / "a" / "b").name == "2"
    assert versions(tmp_path / "a" / "b") == [1, 2]


def test_a_version_follows_the_highest_number(tmp_path):
    (tmp_path / "9").mkdir()
    (tmp_path / "10").mkdir()
    (tmp_path / "notes").mkdir()
    (tmp_path / "11").write_text("a file is not a version")
    assert versions(tmp_path) == [9, 10]
    assert publish(tmp_path).name == "12"


def test_a_version_is_whole_when_it_appears(tmp_path):
    published = publish(tmp_path)
    assert (published / "sub" / "file").read_text() == "x"
    assert published.stat().st_mode & 0o777 == 0o755
    assert [path.name for path in tmp_path.iterdir()] == ["1"]


def test_a_failure_leaves_nothing(tmp_path):
    def fail():
        with new_version(tmp_path) as version:
            (version.folder / "half").write_text("half")
            assert versions(tmp_path) == []
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_writers_at_the_same_time_get_versions_of_their_own(tmp_path):
    barrier = threading.Barrier(8)

    def write(number):
        barrier.wait()
        publish(tmp_path, str(number))

    threads = [threading.Thread(target=write, args=[number]) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert versions(tmp_path) == list(range(1, 9))
    contents = {(tmp_path / str(v) / "sub" / "file").read_text() for v in range(1, 9)}
    assert contents == set("01234567")


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot write to .*file"), new_version(tmp_path / "file"):
        pass


def test_the_latest_version_is_found(tmp_path):
    for version in ("2", "10"):
        (tmp_path / version).mkdir()
        (tmp_path / version / "saved_model.pb").write_text("")
    assert find_version(tmp_path) == tmp_path / "10"
    assert find_version(tmp_path / "2") == tmp_path / "2"


def test_a_folder_without_a_version_is_named(tmp_path):
    with pytest.raises(UserError, match="no exported model in .*nonesuch"):
        find_version(tmp_path / "nonesuch")


def test_a_file_is_written_once(tmp_path):
    write_once(tmp_path / "file", "first")
    write_once(tmp_path / "file", "second")
    assert (tmp_path / "file").read_text() == "first"
    assert len(list(tmp_path.iterdir())) == 1


def test_what_a_killed_export_left_is_removed_and_one_that_goes_on_is_not(tmp_path):
    old, young = tmp_path / ".new-old", tmp_path / ".new-young"
    for path in (old, young):
        path.mkdir()
        (path / "saved_model.pb").write_text("half")
    os.utime(old, (0, 0))
    with new_version(tmp_path) as version:
        (version.folder / "saved_model.pb").write_text("whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".new-young", "1"]
