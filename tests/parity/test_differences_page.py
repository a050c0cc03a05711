"""docs/parity.md names tests and gin bindings: all of them exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import gin
from lang2program_tf.gin_files import load_gin

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "parity.md").read_text(encoding="utf-8")
TESTS = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)))
BINDINGS = sorted(set(re.findall(r"`([\w/]+\.\w+ = [^`]+)`", PAGE)))
FOLDERS = sorted(set(re.findall(r"`(gin/[\w/]+/)`", PAGE)))


def table_rows() -> list[str]:
    """The rows of the tables of differences."""
    differences = PAGE[PAGE.index("## Where the paper") :]
    rows = [line for line in differences.splitlines() if line.startswith("| ")]
    return [row for row in rows if not row.startswith(("| point |", "| what |"))]


def test_the_page_is_found():
    assert len(TESTS) > 30
    assert len(BINDINGS) > 15


@pytest.mark.parametrize(("file", "name"), TESTS, ids=[name for _, name in TESTS])
def test_a_named_test_exists(file, name):
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("row", table_rows(), ids=lambda row: row.split("|")[1].strip()[:40])
def test_every_row_names_a_test(row):
    last = row.rstrip(" |").split(" | ")[-1]
    assert re.search(r"`tests/[\w/]+\.py::test_\w+`", last)


@pytest.mark.parametrize("binding", BINDINGS)
def test_a_binding_can_be_bound(binding):
    try:
        load_gin(
            ["released/scene.gin"],
            ["import lang2program_tf.learning.baseline", binding],
        )
    finally:
        gin.clear_config()


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_named_folder_of_settings_exists(folder):
    assert any((ROOT / folder).glob("*.gin"))
