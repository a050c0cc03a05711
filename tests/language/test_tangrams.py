"""The rules of tangrams, by example. A piece is written position:shape."""

from __future__ import annotations

import pytest

from lang2program_tf.language import get_domain
from lang2program_tf.language.errors import (
    ActionError,
    NotOneObjectError,
    OutOfRangeError,
    ValueTypeError,
)
from tests.language.examples import run, shown

ROW = "1:2 2:0 3:4"
REMOVE_SECOND = "allObjects 2 index remove"


def world_after(world: str, program: str) -> str:
    return str(run("tangrams", world, program).world)


def test_all_objects_are_the_pieces_of_the_row():
    assert shown(run("tangrams", ROW, "allObjects").stack) == ["[1:2 2:0 3:4]"]


def test_remove_closes_the_gap():
    state = run("tangrams", ROW, REMOVE_SECOND)
    assert str(state.world) == "1:2 2:4"
    assert shown(state.history[0].arguments) == ["2:0"]


def test_the_last_piece_leaves_an_empty_row():
    state = run("tangrams", "1:3", "allObjects remove")  # a list of one is an object
    assert str(state.world) == ""
    assert state.world == get_domain("tangrams").parse_world("")
    assert shown(run("tangrams", "", "allObjects").stack) == ["[]"]


def test_remove_wants_one_piece():
    for world in (ROW, ""):
        with pytest.raises(NotOneObjectError):
            run("tangrams", world, "allObjects remove")


def test_swap_remembers_the_last_written_piece_first():
    state = run("tangrams", ROW, "allObjects 1 index allObjects 3 index swap")
    assert str(state.world) == "1:4 2:0 3:2"
    assert shown(state.history[0].arguments) == ["3:4", "1:2"]


def test_a_piece_is_not_swapped_with_itself():
    with pytest.raises(ActionError, match="with itself"):
        run("tangrams", ROW, "allObjects 1 index allObjects 1 index swap")


@pytest.mark.parametrize(
    ("position", "after"), [("1", "1:0 2:2 3:4"), ("2", "1:2 2:0 3:4"), ("-1", "1:2 2:4 3:0")]
)
def test_add_brings_a_removed_piece_back_and_moves_the_others_right(position, after):
    state = run("tangrams", ROW, f"{REMOVE_SECOND}  {position} -1 prevArg1 add")
    assert str(state.world) == after
    place = state.history[1].arguments[0]
    assert shown(state.history[1].arguments) == [str(place), f"{place}:0"]
    assert place >= 1  # -1 is remembered as a positive number


def test_add_at_most_one_past_the_end():
    assert world_after(ROW, f"{REMOVE_SECOND}  3 -1 prevArg1 add") == "1:2 2:4 3:0"
    with pytest.raises(OutOfRangeError, match="the row has 2 pieces"):
        run("tangrams", ROW, f"{REMOVE_SECOND}  4 -1 prevArg1 add")


def test_a_shape_stands_in_the_row_once():
    with pytest.raises(ActionError, match="in the row already"):
        run("tangrams", ROW, "1 allObjects 1 index add")


def test_add_wants_the_position_first():
    with pytest.raises(ValueTypeError):
        run("tangrams", ROW, f"{REMOVE_SECOND}  -1 prevArg1 1 add")


def test_a_piece_of_the_history_comes_with_its_present_position():
    program = "allObjects 1 index allObjects 3 index swap  -1 prevArg1"
    assert shown(run("tangrams", ROW, program).stack) == ["1:4"]


def test_a_removed_piece_has_position_zero_until_it_is_back():
    program = f"{REMOVE_SECOND}  -1 prevArg1"
    assert shown(run("tangrams", ROW, program).stack) == ["0:0"]
    program = f"{REMOVE_SECOND}  1 -1 prevArg1 add  1 prevArg1"
    assert shown(run("tangrams", ROW, program).stack) == ["1:0"]


def test_a_removed_piece_can_not_be_removed_or_swapped():
    for action in ("remove", "allObjects 1 index swap"):
        with pytest.raises(ActionError, match="shape 0 is not in the row"):
            run("tangrams", ROW, f"{REMOVE_SECOND}  -1 prevArg1 {action}")


def test_a_stale_snapshot_on_the_stack_is_the_same_shape_where_it_is_now():
    # The piece `3:4` is pushed, then one before it is removed: it stands second when removed.
    state = run("tangrams", ROW, f"allObjects 3 index  {REMOVE_SECOND}  remove")
    assert str(state.world) == "1:2"
    assert shown(state.history[1].arguments) == ["2:4"]


def test_a_list_pushed_before_an_action_still_holds_what_has_gone():
    program = f"allObjects  {REMOVE_SECOND}  2 index"
    assert shown(run("tangrams", ROW, program).stack) == ["2:0"]
