from __future__ import annotations

import json
from pathlib import Path

import pytest

from lang2program_tf.reproduction.readme import BEGIN, END, update_readme
from lang2program_tf.reproduction.report import summarize
from lang2program_tf.reproduction.tables import read_table
from tests.reproduction.examples import by_key, record

PAGE = f"# Title\n\nBefore.\n{BEGIN}\nstale\n{END}\nAfter.\n"


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A folder with results of two seeds of RandoMer on tangrams, as run."""
    table = read_table("table1")
    (cell,) = [c for c in table.cells if (c.row, c.domain) == ("randomer", "tangrams")]
    runs = by_key(record(cell, 0, 0.6, 0.3), record(cell, 1, 0.7, 0.4))
    folder = tmp_path / "results"
    folder.mkdir()
    (folder / "table1.json").write_text(json.dumps({"rows": summarize(table, runs)}))
    return folder


def test_the_place_between_the_marks_is_filled_and_nothing_else_changes(results: Path):
    page = results.parent / "README.md"
    page.write_text(PAGE)
    assert update_readme(results)
    text = page.read_text()
    assert text.startswith(f"# Title\n\nBefore.\n{BEGIN}\n| ")
    assert text.endswith(f"|\n{END}\nAfter.\n")
    assert "stale" not in text
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()]
    assert ["RandoMer as run: ours, dev", "–", "65.0 / 35.0 (2 seeds)", "–"] in lines
    assert ["RandoMer as its text says: ours, dev", "–", "–", "–"] in lines
    assert ["RandoMer: the paper, test", "66.9 / 52.9", "65.8 / 37.1", "64.8 / 46.2"] in lines
    names = [line[0] for line in lines if line]
    assert "REINFORCE, c = 0 as run: ours, dev" in names  # which the paper has no figures of
    assert "REINFORCE, c = 0: the paper, test" not in names


def test_a_readme_without_the_marks_stays_as_it_is(results: Path):
    assert not update_readme(results)
    page = results.parent / "README.md"
    page.write_text("# Title\n")
    assert not update_readme(results)
    assert page.read_text() == "# Title\n"
