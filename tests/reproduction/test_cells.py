from __future__ import annotations

from pathlib import Path

from lang2program_tf.reproduction.cells import Cell, Run, select_runs
from lang2program_tf.reproduction.tables import read_table
from tests.reproduction.examples import OURS, PAPER, TABLE


def test_every_row_gets_its_first_seed_before_any_gets_its_second():
    runs = select_runs(read_table("table4"), domains=["scene"], rows=[], seeds=[4, 1, 4])
    assert [(run.cell.row, run.seed) for run in runs] == [
        *(("tokens", 4), ("stack", 4)),
        *(("tokens", 1), ("stack", 1)),
    ]


def test_rows_and_domains_select():
    table = read_table("table3")
    runs = select_runs(table, domains=["scene", "alchemy"], rows=["beta_0"], seeds=[0])
    assert [run.cell.key for run in runs] == [
        "paper/alchemy_beta_0.gin",
        "paper/scene_beta_0.gin",
    ]
    assert len(select_runs(table, domains=[], rows=[], seeds=[0, 1])) == 2 * 12


def test_the_folder_of_a_run_is_named_after_its_gin_file_and_seed():
    cell = read_table("table3").cells[-1]
    assert cell.key == "paper/scene_beta_0.gin"
    assert Run(cell, 3).folder(Path("runs")) == Path("runs/paper/scene_beta_0/seed_3")


def test_without_seeds_each_cell_has_its_own():
    table = TABLE._replace(cells=(PAPER._replace(seeds=(0, 1, 2)), OURS._replace(seeds=(4,))))
    runs = select_runs(table, domains=[], rows=[], seeds=[])
    assert [(run.cell.row, run.seed) for run in runs] == [
        *(("good", 0), ("new", 4), ("good", 1), ("good", 2))
    ]


def test_what_goes_on_top_of_a_gin_file_is_a_folder_below_its_own():
    cell = Cell(("turns/scene.gin", "turns/ablations/beta_0.gin"), "beta_0", "β = 0", "scene")
    assert cell.key == "turns/scene.gin + turns/ablations/beta_0.gin"
    assert Run(cell, 1).folder(Path("runs")) == Path("runs/turns/scene/beta_0/seed_1")


def test_an_evaluation_knows_the_runs_that_it_evaluates():
    three = OURS._replace(evaluates=3, source=PAPER)
    assert Run(three, 4).sources() == [Run(PAPER, 4), Run(PAPER, 5), Run(PAPER, 6)]
    assert Run(PAPER, 4).sources() == []
