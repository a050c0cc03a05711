from __future__ import annotations

import pytest

from lang2program_tf.analysis import breakdown
from lang2program_tf.analysis.breakdown import Tally
from lang2program_tf.analysis.steps import Step, reached_steps
from lang2program_tf.language import get_domain
from tests.analysis.rows import four_lines

TANGRAMS = get_domain("tangrams")


@pytest.fixture
def steps() -> list[Step]:
    return reached_steps(TANGRAMS, four_lines())


def test_all_steps_are_counted_once(steps):
    assert breakdown.tally(steps) == Tally(steps=7, right=4, lost=3)


def test_positions_stand_in_their_order(steps):
    found = breakdown.by_position(steps)
    assert list(found.items()) == [
        ("1", Tally(4, 2, 2)),
        ("2", Tally(2, 1, 1)),
        ("3", Tally(1, 1, 0)),
    ]


def test_actions_are_those_of_the_data_not_of_the_prediction(steps):
    # Line 1 removes a piece where the data swaps two: that counts for swap.
    found = breakdown.by_action(TANGRAMS, steps)
    assert list(found.items()) == [("remove", Tally(4, 2, 2)), ("swap", Tally(3, 2, 1))]


def test_a_sentence_counts_for_each_way_in_which_it_refers(steps):
    assert breakdown.by_sentence(steps) == {
        "place": Tally(6, 3, 3),
        "pronoun": Tally(1, 1, 0),
        "earlier step": Tally(1, 1, 0),
    }


def test_a_command_counts_for_each_function_that_it_uses(steps):
    assert breakdown.by_command(steps) == {
        "index": Tally(6, 4, 2),
        "none of these": Tally(1, 0, 1),
        "prevAction": Tally(1, 1, 0),
    }


def test_a_tally_has_an_accuracy_and_its_interval():
    tally = Tally(steps=8, right=6, lost=1)
    low, high = tally.interval
    assert tally.accuracy == 0.75
    assert 0 < low < 0.75 < high < 1
    assert Tally(0, 0, 0).accuracy == 0.0
