from __future__ import annotations

from pathlib import Path

import pytest

from lang2program_tf.errors import UserError
from lang2program_tf.gin_files import gin_root
from lang2program_tf.reproduction import tables
from lang2program_tf.reproduction.cells import DOMAINS
from lang2program_tf.reproduction.tables import NAMES, read_table
from lang2program_tf.reproduction.turns_table import TURNS


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("table1", ["reinforce", "bs_mml", "randomer"]),
        (
            "table2",
            [
                *("classic_beam_32", "classic_beam_128"),
                *("epsilon_0.05", "epsilon_0.15", "epsilon_0.25"),
            ],
        ),
        ("table3", ["q_rl", "q_mml", "beta_0.25", "beta_0"]),
        ("table4", ["tokens", "stack"]),
    ],
)
def test_a_table_has_the_papers_rows_in_its_order_for_all_domains(name: str, rows: list[str]):
    cells = read_table(name).cells
    assert [(cell.row, cell.domain) for cell in cells] == [(r, d) for r in rows for d in DOMAINS]


PAPERS = [name for name in NAMES if name != TURNS]


@pytest.mark.parametrize("name", PAPERS)
def test_every_gin_file_is_there_and_has_a_figure_of_the_paper(name: str):
    cells = read_table(name).cells
    assert cells
    for cell in cells:
        assert (gin_root() / cell.key).is_file()
        assert cell.reference is not None and all(0 <= figure < 70 for figure in cell.reference)


@pytest.mark.parametrize("name", PAPERS)
def test_the_caption_says_that_ours_is_validation_and_theirs_test(name: str):
    caption = read_table(name).caption
    assert "Ours is on the validation examples" in caption
    assert "the paper's is on the test examples" in caption


@pytest.mark.parametrize(
    ("name", "gin_file", "paper"),
    [
        ("table1", "paper/table1_main/alchemy_reinforce.gin", (58.3, 44.6)),
        ("table1", "paper/table1_main/tangrams_bs_mml.gin", (62.6, 32.2)),
        ("table2", "paper/table2_exploration/scene_classic_beam_128.gin", (24.5, 13.9)),
        ("table3", "paper/table3_beta/scene_beta_0.gin", (61.0, 42.4)),
        ("table4", "paper/table4_history/alchemy_stack.gin", (64.2, 53.2)),
        ("released", "released/scene_ordinary_adam.gin", (64.8, 46.2)),
        ("figure3", "paper/table3_beta/alchemy_q_mml.gin", (61.3, 48.3)),
    ],
)
def test_figures_are_those_of_the_paper(name: str, gin_file: str, paper: tuple[float, float]):
    (cell,) = [cell for cell in read_table(name).cells if cell.key == gin_file]
    assert cell.reference == paper


def test_a_file_that_is_named_by_its_domain_alone_is_the_row_of_its_folder():
    rows = {cell.key: cell.row for cell in read_table("released").cells}
    assert rows == {
        "released/alchemy.gin": "released",
        "released/tangrams.gin": "released",
        "released/scene.gin": "released",
        "released/scene_ordinary_adam.gin": "ordinary_adam",
    }


def test_figure_3_is_about_the_four_learners_on_alchemy():
    cells = read_table("figure3").cells
    assert {cell.domain for cell in cells} == {"alchemy"}
    assert [cell.label for cell in cells] == [
        *("RandoMer, β = 0", "RandoMer, β = 1", "BS-MML", "REINFORCE")
    ]


def files(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / "paper/table4_history" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")


def test_a_new_gin_file_is_a_new_row_without_a_figure(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(tables, "gin_root", lambda: tmp_path)
    files(tmp_path, "scene_both_at_once.gin", "scene_stack.gin", "common.gin")
    known, new = read_table("table4").cells
    assert (known.row, known.label) == ("stack", "STACK")
    assert (new.row, new.label, new.reference) == ("both_at_once", "both at once", None)


def test_a_gin_file_of_no_domain_is_named(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(tables, "gin_root", lambda: tmp_path)
    files(tmp_path, "mars_stack.gin")
    with pytest.raises(UserError, match="table4_history/mars_stack.gin: its name must begin with"):
        read_table("table4")
