from __future__ import annotations

import pytest

from lang2program_tf.errors import UserError
from lang2program_tf.gin_files import gin_root
from lang2program_tf.reproduction.cells import DOMAINS
from lang2program_tf.reproduction.tables import NAMES, RESULT_NAMES, read_table
from lang2program_tf.reproduction.turns_table import TURNS

NO_BASELINE = "reinforce_no_baseline"  # the one row of these tables that is not in the paper


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("table1", ["reinforce", NO_BASELINE, "bs_mml", "randomer"]),
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
def test_every_gin_file_is_there_and_every_row_of_the_paper_has_its_figure(name: str):
    cells = read_table(name).cells
    assert cells
    for cell in cells:
        assert (gin_root() / cell.key).is_file()
        if cell.row == NO_BASELINE:
            assert cell.reference is None
        else:
            assert cell.reference and all(0 <= figure < 70 for figure in cell.reference)


@pytest.mark.parametrize("name", PAPERS)
def test_the_caption_says_that_ours_is_validation_and_theirs_test(name: str):
    caption = read_table(name).caption
    assert "Ours is on the validation examples" in caption
    assert "the paper's is on the test examples" in caption


@pytest.mark.parametrize(
    ("name", "gin_file", "paper"),
    [
        ("table1", "paper/alchemy_reinforce.gin", (58.3, 44.6)),
        ("table1", "paper/tangrams_classic_beam_128.gin", (62.6, 32.2)),
        ("table2", "paper/scene_classic_beam_128.gin", (24.5, 13.9)),
        ("table3", "paper/scene_beta_0.gin", (61.0, 42.4)),
        ("table4", "paper/alchemy_stack.gin", (64.2, 53.2)),
        ("released", "released/scene_ordinary_adam.gin", (64.8, 46.2)),
        ("figure3", "paper/alchemy_default.gin", (61.3, 48.3)),
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


@pytest.mark.parametrize("name", ["table1", "table2", "table3", "table4", "figure3"])
def test_the_texts_reading_goes_on_top_of_the_same_rows_and_is_a_table_of_its_own(name: str):
    as_run, text = read_table(name), read_table(name, reading="text")
    assert [cell.gin_files for cell in text.cells] == [
        (*cell.gin_files, "paper/text.gin") for cell in as_run.cells
    ]
    assert (as_run.name, as_run.reading) == (name, "as_run")
    assert (text.name, text.reading) == (f"{name}_text", "text")
    assert {as_run.name, text.name} < set(RESULT_NAMES)
    assert "as the paper's text says" in text.caption
    assert "the code of 2017" in as_run.caption


@pytest.mark.parametrize("name", ["released", TURNS])
def test_what_is_not_of_the_paper_has_one_reading(name: str):
    assert read_table(name).reading is None
    with pytest.raises(UserError, match=f"--reading text is for .*table4, figure3; not {name}"):
        read_table(name, reading="text")


def test_rows_that_tables_share_are_the_same_runs():
    def files(name: str, row: str) -> list[str]:
        return [cell.key for cell in read_table(name).cells if cell.row == row]

    shared = files("table2", "epsilon_0.15")
    assert shared == files("table3", "q_mml") == files("table4", "tokens")
    assert files("table1", "bs_mml") == files("table2", "classic_beam_128")
    assert files("table1", "randomer")[1] == shared[1]


def test_the_rows_of_table_1s_randomer_and_of_figure_3_have_five_seeds_and_others_three():
    seeds = {cell.row: len(cell.seeds) for cell in read_table("table1").cells}
    assert seeds == {"reinforce": 3, NO_BASELINE: 3, "bs_mml": 3, "randomer": 5}
    assert {len(cell.seeds) for cell in read_table("figure3").cells} == {5}
    assert {len(cell.seeds) for cell in read_table("table4").cells} == {3}
