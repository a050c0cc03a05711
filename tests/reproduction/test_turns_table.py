from __future__ import annotations

import pytest

import gin
from lang2program_tf.gin_files import gin_root
from lang2program_tf.reproduction.cells import DOMAINS, Cell, Run
from lang2program_tf.reproduction.settings import read_settings
from lang2program_tf.reproduction.turns_table import turns_table

CELLS = {(cell.row, cell.domain): cell for cell in turns_table().cells}
# `papers_learner.gin` is a part of others, not a row.
ROWS = {path.stem for path in (gin_root() / "turns/ablations").glob("*.gin")} - {"papers_learner"}


def setting(cell: Cell, name: str) -> str:
    """What a cell's settings bind, as gin writes it."""
    config = read_settings(Run(cell, 0), []).config.replace("\\\n", " ")
    (line,) = [line for line in config.splitlines() if line.startswith(f"{name} = ")]
    return " ".join(line.partition(" = ")[2].split())


def test_every_gin_file_of_an_ablation_is_a_row_and_every_row_has_one():
    assert {row for row, _ in CELLS} == ROWS


def test_a_row_is_in_every_domain_but_for_the_prior_which_is_where_it_changes_something():
    by_row = {row: {domain for other, domain in CELLS if other == row} for row in ROWS}
    assert by_row.pop("without_prior") == {"scene"}
    assert by_row.pop("with_prior") == {"alchemy", "tangrams"}
    assert all(domains == set(DOMAINS) for domains in by_row.values())


@pytest.mark.parametrize("cell", CELLS.values(), ids=lambda cell: f"{cell.domain}-{cell.row}")
def test_the_settings_of_every_cell_are_of_its_domain_and_hold_a_tenth_out(cell: Cell):
    assert setting(cell, "Task.domain") == repr(cell.domain)
    assert (setting(cell, "Task.form"), setting(cell, "Task.holdout")) == ("'turns'", "0.1")
    assert setting(cell, "Learner.worlds") == "@WorldSearch"


@pytest.mark.parametrize(
    ("row", "name", "value"),
    [
        ("full", "Parser.context", "('sentences', 'world', 'commands')"),
        ("without_world", "Parser.context", "('sentences', 'commands')"),
        ("without_sentences", "Parser.context", "('world', 'commands')"),
        ("without_commands", "Parser.context", "('sentences', 'world')"),
        ("without_stack", "Parser.history", "('tokens',)"),
        ("randomized_beam", "Learner.recall", "None"),
        ("randomized_beam", "train/BeamSearch.selection", "@RandomizedOriginal()"),
        ("beta_0", "Meritocratic.beta", "0.0"),
        ("beta_1", "Meritocratic.beta", "1.0"),
        ("full", "Meritocratic.beta", "@LinearSchedule()"),
        ("without_prior", "ProgramRecall.prior", "None"),
        ("without_dropout", "Parser.dropout", "0.0"),
        ("without_dropout", "Parser.word_dropout", "0.0"),
        ("fixed_words", "Task.train_words_seen", "None"),
        ("white_space", "Task.tokenizer", "'white_space'"),
        ("constant_rate", "adam.learning_rate", "0.001"),
        ("without_clipping", "TrainStep.clip_norm", "None"),
        ("without_averaging", "TrainStep.optimizer", "@adam()"),
        ("words_alone", "Parser.context", "()"),
        ("words_alone", "Learner.recall", "@ProgramRecall"),
        ("randomer", "train/BeamSearch.selection", "@RandomizedOriginal()"),
        ("randomer", "Meritocratic.beta", "0.0"),
        ("bs_mml", "train/BeamSearch.selection", "@Classic()"),
        ("reinforce", "TrainStep.weights", "@Reinforce()"),
        ("best_program", "WorldSearch.add_up", "False"),
        ("one_world", "WorldSearch.num_worlds", "1"),
        ("beam_32", "evaluate/BeamSearch.beam_size", "32"),
        ("full", "evaluate/BeamSearch.beam_size", "16"),
    ],
)
def test_a_row_is_what_its_name_says(row: str, name: str, value: str):
    assert setting(CELLS[row, "scene"], name) == value


@pytest.mark.parametrize("row", ["randomer", "bs_mml", "reinforce"])
def test_the_papers_learners_have_the_papers_network_and_optimizer(row: str):
    cell = CELLS[row, "alchemy"]
    assert setting(cell, "TrainStep.optimizer") == "@original_adam()"
    assert setting(cell, "Learner.recall") == "None"
    assert setting(cell, "Parser.context") == "()"
    assert setting(cell, "TrainStep.clip_norm") == "None"


@pytest.mark.parametrize("domain", DOMAINS)
def test_the_prior_of_the_other_domains_is_that_of_scene(domain: str):
    row = "full" if domain == "scene" else "with_prior"
    assert setting(CELLS[row, domain], "NamingPrior.index_nats") == "4.0"
    gin.clear_config()


ONE_SEED = {
    *("randomer", "bs_mml", "reinforce", "without_dropout", "fixed_words", "white_space"),
    *("constant_rate", "without_clipping", "without_averaging"),
}


def test_the_full_parser_has_three_seeds_others_two_the_papers_learners_and_ways_to_train_one():
    for (row, _), cell in CELLS.items():
        if row == "three_together":
            assert [run.seed for run in Run(cell, *cell.seeds).sources()] == [0, 1, 2]
        elif row in ("full", "best_program", "one_world", "beam_32"):
            assert cell.seeds == (0, 1, 2)
        elif row in ONE_SEED:
            assert cell.seeds == (0,)
        else:
            assert cell.seeds == (0, 1)


@pytest.mark.parametrize("row", sorted(ROWS))
def test_no_row_compiles_predictions_by_worlds_whose_number_is_not_known(row: str):
    assert (
        setting(
            CELLS[row, "alchemy" if row == "with_prior" else "scene"],
            "evaluate/BeamSearch.jit_compile",
        )
        == "False"
    )


def test_goals_stand_beside_one_parser_and_three_together():
    goals = {key: cell.reference for key, cell in CELLS.items() if cell.reference}
    assert goals == {
        ("full", "alchemy"): (85, 79),
        ("full", "tangrams"): (82, 66),
        ("full", "scene"): (76, 66),
        ("three_together", "alchemy"): (88, 84),
        ("three_together", "tangrams"): (86, 72),
        ("three_together", "scene"): (79, 71),
    }
