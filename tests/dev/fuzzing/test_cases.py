"""Cases show a difference where there is one, and print as the command that runs them."""

from __future__ import annotations

import shlex

import pytest

from lang2program_dev.fuzzing.cases import Case, Failure, find_failure, show_case
from lang2program_dev.fuzzing.side_by_side import SideBySide
from lang2program_tf.language import get_domain, parse_program
from lang2program_tf.machine import get_machine
from tests.dev.fuzzing.broken_machines import BROKEN, NO_STATE

pytestmark = pytest.mark.slow

STAGE = "1:r_ 2:__ 3:__ 4:gp 5:__ 6:__ 7:__ 8:__ 9:__ 10:__"


def _case(name: str, world: str, program: str, *, num_utterances: int = 2) -> Case:
    domain = get_domain(name)
    return Case(domain, domain.parse_world(world), num_utterances, parse_program(domain, program))


@pytest.fixture(scope="module")
def sound() -> SideBySide:
    return SideBySide(get_machine("scene"), max_utterances=2)


@pytest.fixture(scope="module")
def broken() -> SideBySide:
    return SideBySide(BROKEN["move leaves a copy"][0], max_utterances=2)


def test_a_case_prints_as_a_command_of_which_the_shell_makes_the_same_case():
    case = _case("scene", STAGE, "-1 red noHat create", num_utterances=3)
    assert shlex.split(case.command()) == [
        *("lang2program", "fuzz", "--domain", "scene", "--world", STAGE),
        *("--utterances", "3", "--program", "-1 red noHat create"),
    ]


def test_executors_that_agree_show_no_failure(sound):
    assert find_failure(sound, _case("scene", STAGE, "red hasShirt -1 move 1 prevArg1")) is None


def test_a_failure_ends_at_the_token_that_makes_the_difference(broken):
    case = _case("scene", STAGE, "red hasShirt 3 move green hasShirt leave")
    expected = _case("scene", STAGE, "red hasShirt 3 move")
    assert find_failure(broken, case) == Failure(expected, ("world",))


def test_a_token_that_the_program_does_not_take_can_fail_too(broken):
    case = _case("scene", STAGE, "red hasShirt 3 4")
    assert find_failure(broken, case) == Failure(
        _case("scene", STAGE, "red hasShirt 3 move"), ("world",)
    )


def test_both_executors_are_shown_side_by_side(broken):
    text = show_case(broken, _case("scene", STAGE, "red hasShirt 3 move"))
    after = STAGE.replace("1:r_", "1:__").replace("3:__", "3:r_")
    assert f"  world      * {after} | {STAGE.replace('3:__', '3:r_')}" in text.splitlines()
    assert "move(1:r_#0, 3)" in text
    assert "difference: move as token 4, in world" in text


def test_codes_that_stand_for_no_state_are_shown_as_ints():
    text = show_case(
        SideBySide(NO_STATE, max_utterances=1), _case("tangrams", "1:2", "1", num_utterances=1)
    )
    assert "codes     *" in text and "stand for no state" in text
    assert "  world: python [3, 0, 0, 0, 0], machine [7, 0, 0, 0, 0]" in text.splitlines()


def test_the_tokens_after_an_end_are_named_and_not_run(sound):
    text = show_case(sound, _case("scene", STAGE, "red hasHat 3 move"))
    assert text.splitlines()[-1] == "a search does not go on from here; not run: 3 move"
