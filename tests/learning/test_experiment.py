"""Opening a run whose settings are damaged is one line."""

from __future__ import annotations

from pathlib import Path

import pytest

import gin
from lang2program_tf.cli.main import main
from lang2program_tf.errors import UserError
from lang2program_tf.gin_files import load_gin


@pytest.fixture(autouse=True)
def no_settings_left():
    yield
    gin.clear_config()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Task.domain = = 3", "Unable to parse value"),
        ("Task.domain = 'scene", "config.gin: "),
        ("include '{path}'", "a file includes itself"),
        ("Nonesuch.domain = 3", "No configurable matching 'Nonesuch'"),
        ("import lang2program_tf.nonsense", "No module named"),
        ("Task.domain = (", "EOF in multi-line statement, line "),
        ("\0", "config.gin: "),
    ],
)
@pytest.mark.parametrize("command", ["evaluate", "export"])
def test_damaged_settings_of_a_run_are_one_line(
    tmp_path: Path, text: str, message: str, command: str, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "config.gin"
    path.write_text(text.format(path=path))
    rest = [f"--export_dir={tmp_path}"] if command == "export" else []
    assert main([command, f"--root_dir={tmp_path}", *rest]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"error: gin settings in {path}: ") and message in err
    assert err.count("\n") == 1
    assert path.read_text() == text.format(path=path)


def test_a_gin_file_that_includes_itself_is_one_line(tmp_path: Path):
    path = tmp_path / "mine.gin"
    path.write_text(f"include '{path}'")
    with pytest.raises(UserError, match="gin settings in .*mine.gin: a file includes itself"):
        load_gin([str(path)], [])
