from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lang2program_tf import gin_files
from lang2program_tf.errors import UserError
from lang2program_tf.gin_files import find_gin_file, gin_root


def test_the_root_holds_the_shipped_folder():
    assert (gin_root() / "README.md").is_file()


def test_a_path_is_found_as_it_is(tmp_path: Path):
    path = tmp_path / "mine.gin"
    path.write_text("")
    assert find_gin_file(str(path)) == path


def test_a_name_is_found_in_the_shipped_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    shipped = tmp_path / "gin" / "released" / "scene.gin"
    shipped.parent.mkdir(parents=True)
    shipped.write_text("")
    monkeypatch.setattr(gin_files, "gin_root", lambda: tmp_path / "gin")
    assert find_gin_file("released/scene.gin") == shipped
    with pytest.raises(UserError, match="did you mean released/scene.gin"):
        find_gin_file("released/scenes.gin")


def test_a_missing_file_names_the_shipped_folder():
    with pytest.raises(UserError, match=r"no gin file 'zzz'.*gin"):
        find_gin_file("zzz")


@pytest.mark.slow
def test_an_installed_package_carries_the_files_and_what_they_include(tmp_path: Path):
    """Builds what a wheel holds, and loads a file with it that includes others."""
    checkout = Path(__file__).parents[1]
    build = ["setup.py", "--quiet", "build", "--build-base", str(tmp_path / "base")]
    subprocess.run(
        [sys.executable, *build, "--build-lib", str(tmp_path / "lib")],
        cwd=checkout,
        check=True,
        capture_output=True,
    )
    code = (
        "import gin; from lang2program_tf.gin_files import load_gin\n"
        "from lang2program_tf.gin_files import gin_root\n"
        "load_gin(['released/scene.gin'], [])\n"
        "print(gin_root(), gin.query_parameter('Task.domain'))"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "lib")},
        check=True,
        capture_output=True,
        text=True,
    )
    assert loaded.stdout.split() == [str(tmp_path / "lib" / "lang2program_tf" / "gin"), "scene"]
    shipped, built = (
        sorted(path.relative_to(root) for path in root.rglob("*.gin"))
        for root in (checkout / "gin", tmp_path / "lib" / "lang2program_tf" / "gin")
    )
    assert built == shipped
    assert (tmp_path / "lib" / "lang2program_tf" / "py.typed").is_file()
