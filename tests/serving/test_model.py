"""A damaged export is one line, whichever of its files it is."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from lang2program_tf.cli.main import main
from lang2program_tf.errors import UserError
from lang2program_tf.serving.model import Model

DATA = "variables/variables.data-00000-of-00001"
WARMUP = "assets.extra/tf_serving_warmup_requests"


@pytest.fixture
def copy(export_dir: Path, tmp_path: Path) -> Path:
    """A version that may be damaged."""
    return shutil.copytree(export_dir / "1", tmp_path / "scene" / "1")


def cut(whole: bytes) -> bytes:
    return whole[: len(whole) // 2]


def empty(whole: bytes) -> bytes:
    return b""


def flipped(whole: bytes) -> bytes:
    middle = len(whole) // 2
    return whole[:middle] + bytes(byte ^ 0xFF for byte in whole[middle:])


@pytest.mark.parametrize("damage", [cut, empty, flipped])
@pytest.mark.parametrize("name", [DATA, "variables/variables.index", "saved_model.pb"])
def test_damaged_variables_or_graphs_are_one_line(
    copy: Path, name: str, damage: Callable[[bytes], bytes], capsys: pytest.CaptureFixture[str]
):
    path = copy / name
    path.write_bytes(damage(path.read_bytes()))
    assert main(["parse", "--export", str(copy), "--world", "1:r_", "he leaves"]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"error: {copy} does not hold a sound export of a parser (")
    assert err.endswith("export the parser again with `lang2program export`\n")
    assert err.count("\n") == 1


@pytest.mark.parametrize("damage", [cut, flipped])
def test_a_damaged_warm_up_file_is_one_line(copy: Path, damage: Callable[[bytes], bytes]):
    path = copy / WARMUP
    path.write_bytes(damage(path.read_bytes()))
    model = Model(copy)
    with pytest.raises(UserError, match="warm a server up, are damaged .*delete the file or") as e:
        model.warm_up()
    assert "\n" not in str(e.value)
    path.unlink()
    assert model.warm_up() == 0


def test_a_damaged_list_of_words_is_one_line(copy: Path):
    model = Model(copy)
    (copy / "assets" / "seen_words.tsv").write_text("hat")
    with pytest.raises(UserError, match="seen_words.tsv .*export the parser again"):
        model.tokenizer()
    (copy / "assets" / "words.txt").unlink()
    with pytest.raises(UserError, match="cannot read .*words.txt"):
        model.vocabulary()
