"""One token from many states, by both executors."""

from __future__ import annotations

import numpy as np

from lang2program_dev.fuzzing.side_by_side import Difference, SideBySide
from lang2program_tf.language import State, execute, get_domain
from lang2program_tf.machine import get_machine
from lang2program_tf.machine.state import OUTCOMES
from tests.dev.fuzzing.broken_machines import BROKEN

TANGRAMS = get_domain("tangrams")
SCENE = get_domain("scene")


def _state(program: str, world: str = "1:2 2:0") -> State:
    return execute(TANGRAMS, TANGRAMS.parse_world(world), program.split())


def test_every_token_is_tried_and_those_that_run_are_applied():
    side_by_side = SideBySide(get_machine("tangrams"), max_utterances=2)
    states = [_state("allObjects 1"), _state("allObjects 1 index"), _state("")]
    tried = side_by_side.try_tokens(states, [1, 2, 2])
    comparison = side_by_side.compare(states, [1, 2, 2], tried=tried, applied=tried)
    letters = ["".join(OUTCOMES[o] for o in row) for row in comparison.outcomes]
    # -1 1 2 3 4 5 add remove swap prevAction prevArg1 prevArg2 allObjects index
    assert letters == ["UUUUUUEEEEEEUU", "UUUUUUEUEEEEUE", "UUUUUUEEEEEEUE"]
    assert len(comparison.applied.rows) == 8 + 8 + 7
    assert comparison.differences == ()


def test_a_state_from_which_nothing_runs_can_be_compared():
    side_by_side = SideBySide(get_machine("tangrams"), max_utterances=1)
    states = [_state("1 2 3")]
    tried = side_by_side.try_tokens(states, [1])
    comparison = side_by_side.compare(states, [1], tried=tried, applied=tried)
    assert len(comparison.applied.rows) == 0
    assert comparison.differences == ()


def test_only_what_is_asked_for_is_applied():
    side_by_side = SideBySide(get_machine("tangrams"), max_utterances=1)
    states = [_state(""), _state("1")]
    tried = side_by_side.try_tokens(states, [1, 1])
    some = [tried[0][2:4], tried[1][-2:]]
    applied = side_by_side.compare(states, [1, 1], tried=tried, applied=some).applied
    assert applied.rows.tolist() == [0, 0, 1]
    assert applied.tokens.tolist() == [2, 3, 12]
    np.testing.assert_array_equal(applied.machine.values[:, -1, 0], [2, 3, 64 + 8 + 3])


def test_a_difference_names_state_token_and_part():
    machine, _ = BROKEN["move leaves a copy"]
    side_by_side = SideBySide(machine, max_utterances=1)
    world = SCENE.parse_world("1:r_ 2:__ 3:__ 4:__ 5:__ 6:__ 7:__ 8:__ 9:__ 10:__")
    states = [State(world), execute(SCENE, world, ["allObjects", "3"])]
    tried = side_by_side.try_tokens(states, [1, 1])
    comparison = side_by_side.compare(states, [1, 1], tried=tried, applied=tried)
    token = SCENE.token_id(SCENE.token("move"))
    assert comparison.differences == (Difference(1, token, ("world",)),)
