from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from lang2program_tf import __version__
from lang2program_tf.code_version import code_version, version_of


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with one commit."""

    def git(*arguments: str) -> None:
        who = ["-c", "user.name=n", "-c", "user.email=e@x"]
        subprocess.run(["git", "-C", tmp_path, *who, *arguments], check=True, capture_output=True)

    (tmp_path / "lang2program_tf").mkdir()
    (tmp_path / "lang2program_tf/a.py").write_text("a = 1\n")
    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "first")
    return tmp_path


def test_code_of_a_checkout_is_its_commit(checkout: Path):
    head = subprocess.check_output(["git", "-C", checkout, "rev-parse", "HEAD"], text=True)
    assert head.startswith(version_of(checkout))
    assert len(version_of(checkout)) >= 7


def test_changed_code_is_marked_and_other_files_do_not_matter(checkout: Path):
    (checkout / "notes.txt").write_text("x")
    assert not version_of(checkout).endswith("+")
    (checkout / "lang2program_tf/a.py").write_text("a = 2\n")
    assert version_of(checkout).endswith("+")


def test_without_a_checkout_it_is_the_version_of_the_package(tmp_path: Path):
    assert version_of(tmp_path) == f"version {__version__}"


def test_the_version_that_runs_here_is_that_of_the_folder_around_the_package():
    assert code_version().rstrip("+") == version_of(Path(__file__).parents[1]).rstrip("+")
