from __future__ import annotations

from pathlib import Path

import pytest

from lang2program_tf.errors import UserError
from lang2program_tf.gin_files import gin_root
from lang2program_tf.reproduction import tables
from lang2program_tf.reproduction.tables import DOMAINS, NAMES, Run, read_table, select_runs


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


@pytest.mark.parametrize("name", NAMES)
def test_every_gin_file_is_there_and_has_a_figure_of_the_paper(name: str):
    cells = read_table(name).cells
    assert cells
    for cell in cells:
        assert (gin_root() / cell.gin_file).is_file()
        assert cell.paper is not None and all(0 <= figure < 70 for figure in cell.paper)


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
    (cell,) = [cell for cell in read_table(name).cells if cell.gin_file == gin_file]
    assert cell.paper == paper


def test_a_file_that_is_named_by_its_domain_alone_is_the_row_of_its_folder():
    rows = {cell.gin_file: cell.row for cell in read_table("released").cells}
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
    assert (new.row, new.label, new.paper) == ("both_at_once", "both at once", None)


def test_a_gin_file_of_no_domain_is_named(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(tables, "gin_root", lambda: tmp_path)
    files(tmp_path, "mars_stack.gin")
    with pytest.raises(UserError, match="table4_history/mars_stack.gin: its name must begin with"):
        read_table("table4")


def test_every_row_gets_its_first_seed_before_any_gets_its_second():
    runs = select_runs(read_table("table1"), domains=["scene"], rows=[], seeds=[4, 1, 4])
    assert [(run.cell.row, run.seed) for run in runs] == [
        *(("reinforce", 4), ("bs_mml", 4), ("randomer", 4)),
        *(("reinforce", 1), ("bs_mml", 1), ("randomer", 1)),
    ]


def test_rows_and_domains_select():
    table = read_table("table3")
    runs = select_runs(table, domains=["scene", "alchemy"], rows=["beta_0"], seeds=[0])
    assert [run.cell.gin_file for run in runs] == [
        "paper/table3_beta/alchemy_beta_0.gin",
        "paper/table3_beta/scene_beta_0.gin",
    ]
    assert len(select_runs(table, domains=[], rows=[], seeds=[0, 1])) == 2 * 12


def test_the_folder_of_a_run_is_named_after_its_gin_file_and_seed():
    cell = read_table("table3").cells[-1]
    assert cell.gin_file == "paper/table3_beta/scene_beta_0.gin"
    assert Run(cell, 3).folder(Path("runs")) == Path("runs/paper/table3_beta/scene_beta_0/seed_3")
