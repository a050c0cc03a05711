from __future__ import annotations

import pytest

from lang2program_tf.analysis.steps import reached_steps, whole_interactions
from lang2program_tf.language import get_domain
from tests.analysis.interactions import predictions
from tests.analysis.rows import FIRST, ROW, SECOND, UTTERANCES, WITHOUT_FIRST, WORLDS, four_lines

TANGRAMS = get_domain("tangrams")


def test_a_whole_interaction_is_the_longest_prefix_of_its_line():
    whole = whole_interactions(four_lines()[::-1])
    assert [p.example.line for p in whole] == [0, 1, 2, 3]
    assert {p.example.utterances for p in whole} == {UTTERANCES}


def test_only_steps_that_begin_in_the_right_world_are_reached():
    steps = reached_steps(TANGRAMS, four_lines())
    reached = [(s.prediction.example.line, s.position, s.right, s.lost) for s in steps]
    assert reached == [
        (0, 1, True, False),
        (0, 2, True, False),
        (0, 3, True, False),
        (1, 1, True, False),
        (1, 2, False, True),  # the third begins in a wrong world
        (2, 1, False, True),
        (3, 1, False, True),
    ]


def test_a_step_knows_its_command_what_it_performs_and_what_went_before():
    undo = reached_steps(TANGRAMS, four_lines())[2]
    assert undo.command is not None
    assert undo.command.infix.startswith("prevAction(")
    assert undo.action == "swap"
    assert undo.earlier == UTTERANCES[:2]
    assert undo.utterance == "undo it"
    assert str(undo.before) == WORLDS[2]
    assert str(undo.world) == str(undo.target) == WITHOUT_FIRST


def test_where_no_program_is_found_the_first_step_is_lost():
    step = reached_steps(TANGRAMS, four_lines())[-1]
    assert (step.command, step.action, step.world) == (None, None, None)
    assert str(step.before) == ROW and step.lost


def test_a_wrong_step_that_is_made_up_for_loses_nothing():
    commands = [f"{FIRST} remove", f"{FIRST} remove", "1 -1 prevArg1 add"]
    found = predictions("tangrams", worlds=WORLDS, utterances=UTTERANCES, commands=commands)
    assert found[-1].correct
    steps = reached_steps(TANGRAMS, found)
    assert [(s.position, s.right, s.lost) for s in steps] == [(1, True, False), (2, False, False)]


def test_an_interaction_is_lost_at_the_last_step_that_began_in_a_right_world():
    commands = [f"{FIRST} remove", f"{FIRST} remove", "1 -1 prevArg1 add", f"{FIRST} remove"]
    found = predictions(
        "tangrams",
        worlds=[*WORLDS, "1:2 2:1"],
        utterances=[*UTTERANCES, "swap them"],
        commands=commands,
    )
    steps = reached_steps(TANGRAMS, found)
    assert [(s.position, s.right, s.lost) for s in steps] == [
        (1, True, False),
        (2, False, False),
        (4, False, True),
    ]


def test_a_missing_prefix_is_named():
    found = predictions(
        "tangrams",
        worlds=WORLDS,
        utterances=UTTERANCES,
        commands=[f"{FIRST} {SECOND} swap"] * 3,
        line=7,
    )
    with pytest.raises(ValueError, match="lack the prefix of 2 utterances of line 7"):
        reached_steps(TANGRAMS, [found[0], found[2]])
