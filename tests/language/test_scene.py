"""The rules of scene, by example. A person is written shirt, then hat."""

from __future__ import annotations

import pytest

from lang2program_tf.language import get_domain
from lang2program_tf.language.errors import (
    ActionError,
    EmptyResultError,
    NotOneObjectError,
    OutOfRangeError,
    ValueTypeError,
)
from tests.language.examples import run, shown, stage

RED_AND_YELLOW = stage(_3="r_", _6="yo")


def world_after(world: str, program: str) -> str:
    return str(run("scene", world, program).world)


def stack_after(world: str, program: str) -> list[str]:
    return shown(run("scene", world, program).stack)


def test_all_objects_are_the_people_not_the_empty_positions():
    assert stack_after(RED_AND_YELLOW, "allObjects") == ["[3:r_ 6:yo]"]


@pytest.mark.parametrize(
    ("program", "found"),
    [
        ("red hasShirt", "[1:r_ 4:rg]"),
        ("green hasHat", "[4:rg 7:gg]"),
        ("noHat hasHat", "[1:r_]"),
        ("red green hasShirtHat", "[4:rg]"),  # the shirt first, the hat on top
    ],
)
def test_properties_find_people_left_to_right(program, found):
    assert stack_after(stage(_1="r_", _4="rg", _7="gg"), program) == [found]


@pytest.mark.parametrize("program", ["blue hasShirt", "blue hasHat", "green red hasShirtHat"])
def test_a_property_that_nobody_has_fails(program):
    with pytest.raises(EmptyResultError):
        run("scene", stage(_1="r_", _4="rg"), program)


@pytest.mark.parametrize("program", ["3 hasShirt", "allObjects hasHat", "red 3 hasShirtHat"])
def test_what_is_no_color_matches_nobody(program):
    with pytest.raises(ValueTypeError, match="is not a color"):
        run("scene", stage(_3="rr"), program)


def test_left_of_and_right_of_are_position_numbers():
    assert stack_after(RED_AND_YELLOW, "red hasShirt leftOf") == ["2"]
    assert stack_after(RED_AND_YELLOW, "red hasShirt rightOf") == ["4"]


@pytest.mark.parametrize(("position", "token"), [(1, "leftOf"), (10, "rightOf")])
def test_there_is_nothing_beyond_the_edge_of_the_stage(position, token):
    with pytest.raises(OutOfRangeError, match="off the stage"):
        run("scene", stage(**{f"_{position}": "r_"}), f"red hasShirt {token}")


def test_left_of_wants_one_person():
    with pytest.raises(NotOneObjectError):
        run("scene", stage(_1="r_", _4="rg"), "red hasShirt leftOf")


def test_move_to_a_position():
    state = run("scene", RED_AND_YELLOW, "red hasShirt yellow hasShirt leftOf move")
    assert str(state.world) == stage(_5="r_", _6="yo")
    assert shown(state.history[0].arguments) == ["3:r_", "5"]


def test_minus_one_is_the_last_position_and_is_remembered_as_a_positive_number():
    state = run("scene", RED_AND_YELLOW, "red hasShirt -1 move")
    assert str(state.world) == stage(_6="yo", _10="r_")
    assert state.history[0].arguments[1] == 10


@pytest.mark.parametrize("position", ["6", "3"])
def test_nobody_moves_to_a_taken_position_not_even_to_the_own(position):
    with pytest.raises(ActionError, match=f"position {position} is taken"):
        run("scene", RED_AND_YELLOW, f"red hasShirt {position} move")


def test_leave_removes_a_person():
    state = run("scene", RED_AND_YELLOW, "red hasShirt leave")
    assert str(state.world) == stage(_6="yo")
    assert shown(state.history[0].arguments) == ["3:r_"]


def test_swap_hats_remembers_the_last_written_person_first():
    state = run("scene", RED_AND_YELLOW, "red hasShirt yellow hasShirt swapHats")
    assert str(state.world) == stage(_3="ro", _6="y_")
    assert shown(state.history[0].arguments) == ["6:yo", "3:r_"]


def test_nobody_swaps_hats_alone():
    with pytest.raises(ActionError, match="alone"):
        run("scene", RED_AND_YELLOW, "red hasShirt red hasShirt swapHats")


def test_create_takes_position_shirt_and_hat_and_remembers_the_person_only():
    state = run("scene", RED_AND_YELLOW, "1 blue noHat create")
    assert str(state.world) == stage(_1="b_", _3="r_", _6="yo")
    assert shown(state.history[0].arguments) == ["1:b_"]


def test_no_hat_is_a_color_for_a_shirt_too():
    state = run("scene", stage(), "-1 noHat red create")
    assert str(state.world) == stage(_10="er")
    assert get_domain("scene").parse_world(stage(_10="er")) == state.world
    assert stack_after(stage(_10="er"), "noHat hasShirt") == ["[10:er]"]


def test_nobody_is_created_on_a_taken_position():
    with pytest.raises(ActionError, match="position 3 is taken"):
        run("scene", RED_AND_YELLOW, "3 blue noHat create")


def test_a_person_of_the_history_comes_with_present_position_and_hat():
    program = "red hasShirt 9 move  -1 prevArg1 yellow hasShirt swapHats  1 prevArg1"
    assert stack_after(RED_AND_YELLOW, program) == ["9:ro"]


def test_a_person_who_left_has_position_zero_and_the_attributes_of_that_time():
    program = "red hasShirt yellow hasShirt swapHats  red hasShirt leave  "
    assert stack_after(RED_AND_YELLOW, program + "-1 prevArg1") == ["0:ro"]
    assert stack_after(RED_AND_YELLOW, program + "1 prevArg2") == ["0:r_"]


@pytest.mark.parametrize("token", ["leftOf", "rightOf", "leave"])
def test_a_person_who_left_can_do_nothing_more(token):
    with pytest.raises(ActionError, match="has left the stage"):
        run("scene", RED_AND_YELLOW, f"red hasShirt leave  -1 prevArg1 {token}")


def test_a_person_who_left_can_not_move_or_swap_hats():
    for action in ("5 move", "yellow hasShirt swapHats"):
        with pytest.raises(ActionError, match="has left the stage"):
            run("scene", RED_AND_YELLOW, f"red hasShirt leave  -1 prevArg1 {action}")


def test_one_who_looks_the_same_is_not_the_one_who_left():
    program = "red hasShirt leave  3 red noHat create  1 prevArg1"
    assert stack_after(RED_AND_YELLOW, program) == ["0:r_"]


def test_a_created_person_is_found_again():
    program = "1 blue noHat create  -1 prevArg1 2 move  1 prevArg1"
    assert stack_after(stage(), program) == ["2:b_"]


def test_no_command_has_a_third_argument():
    for before in ("1 blue noHat create", "1 blue noHat create blue hasShirt 2 move"):
        with pytest.raises(OutOfRangeError, match="has no argument 3"):
            run("scene", stage(), f"{before} -1 prevArg3")


def test_a_stale_snapshot_on_the_stack_is_the_same_person_where_they_are_now():
    # `[3:r_]` is pushed, then the person moves away: leftOf sees the new position.
    before = "red hasShirt  red hasShirt 9 move"
    assert stack_after(RED_AND_YELLOW, before) == ["[3:r_]"]
    assert stack_after(RED_AND_YELLOW, f"{before}  leftOf") == ["8"]
    assert world_after(RED_AND_YELLOW, f"{before}  leave") == stage(_6="yo")


def test_a_stale_snapshot_of_one_who_left_fails():
    with pytest.raises(ActionError, match="has left the stage"):
        run("scene", RED_AND_YELLOW, "red hasShirt  red hasShirt leave  leave")


def test_worlds_are_equal_whatever_the_hidden_ids():
    domain = get_domain("scene")
    same = run("scene", RED_AND_YELLOW, "red hasShirt leave  3 red noHat create").world
    start = domain.parse_world(RED_AND_YELLOW)
    assert [person.identity for person in start.objects] == [0, 1]
    assert [person.identity for person in same.objects] == [2, 1]  # numbers are not used again
    assert same == start
    assert hash(same) == hash(start)
    assert same != domain.parse_world(stage(_3="r_", _6="yb"))


def test_hidden_ids_count_up_from_the_left():
    state = run("scene", RED_AND_YELLOW, "1 blue noHat create")
    assert [person.identity for person in state.world.objects] == [2, 0, 1]


def test_hidden_ids_are_never_used_again():
    program = "red hasShirt leave  1 blue noHat create  2 green noHat create"
    state = run("scene", RED_AND_YELLOW, program)
    assert [person.identity for person in state.world.objects] == [2, 3, 1]
