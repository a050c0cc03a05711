from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from lang2program_tf import __version__, code_version


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A checkout with one commit, which the package believes to be its own."""

    def git(*arguments: str) -> None:
        who = ["-c", "user.name=n", "-c", "user.email=e@x"]
        subprocess.run(["git", "-C", tmp_path, *who, *arguments], check=True, capture_output=True)

    (tmp_path / "lang2program_tf").mkdir()
    (tmp_path / "lang2program_tf/a.py").write_text("a = 1\n")
    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "first")
    monkeypatch.setattr(code_version, "_CHECKOUT", tmp_path)
    code_version.code_version.cache_clear()
    yield tmp_path
    code_version.code_version.cache_clear()


def test_code_of_a_checkout_is_its_commit(checkout: Path):
    head = subprocess.check_output(["git", "-C", checkout, "rev-parse", "HEAD"], text=True)
    assert head.startswith(code_version.code_version())
    assert len(code_version.code_version()) >= 7


def test_changed_code_is_marked_and_other_files_do_not_matter(checkout: Path):
    (checkout / "notes.txt").write_text("x")
    assert not code_version.code_version().endswith("+")
    code_version.code_version.cache_clear()
    (checkout / "lang2program_tf/a.py").write_text("a = 2\n")
    assert code_version.code_version().endswith("+")


def test_without_a_checkout_it_is_the_version_of_the_package(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(code_version, "_CHECKOUT", tmp_path)
    code_version.code_version.cache_clear()
    assert code_version.code_version() == f"version {__version__}"
    code_version.code_version.cache_clear()
