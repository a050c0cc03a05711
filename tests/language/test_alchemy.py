"""The rules of alchemy, by example. Units are written bottom first."""

from __future__ import annotations

import pytest

from lang2program_tf.language.errors import (
    ActionError,
    EmptyResultError,
    ExecutionError,
    NotOneObjectError,
    ValueTypeError,
)
from tests.language.examples import beakers, run, shown


def world_after(world: str, program: str) -> str:
    return str(run("alchemy", world, program).world)


def test_has_color_finds_beakers_of_that_one_color_only():
    state = run("alchemy", beakers(_1="gg", _2="gr", _5="g", _6="r"), "green hasColor")
    assert shown(state.stack) == ["[1:gg 5:g]"]


def test_a_color_that_no_beaker_has_fails():
    with pytest.raises(EmptyResultError):
        run("alchemy", beakers(_1="gr"), "green hasColor")


def test_all_objects_are_all_seven_beakers_empty_ones_too():
    state = run("alchemy", beakers(_4="r"), "allObjects")
    assert shown(state.stack) == ["[1:_ 2:_ 3:_ 4:r 5:_ 6:_ 7:_]"]


def test_pour_puts_the_units_of_the_first_on_top_of_the_second():
    state = run("alchemy", beakers(_1="gg", _2="r"), "green hasColor red hasColor pour")
    assert str(state.world) == beakers(_2="rgg")
    (command,) = state.history
    assert command.action == "pour"
    assert shown(command.arguments) == ["1:gg", "2:r"]  # as they were before


def test_pour_into_an_empty_beaker():
    program = "green hasColor allObjects -1 index pour"
    assert world_after(beakers(_1="gg"), program) == beakers(_7="gg")


def test_what_is_poured_must_be_of_one_color_but_not_what_it_is_poured_into():
    one_color_and_mixed = beakers(_1="g", _2="ry")
    first, second = "allObjects 1 index", "allObjects 2 index"
    assert world_after(one_color_and_mixed, f"{first} {second} pour") == beakers(_2="ryg")
    with pytest.raises(ActionError, match="no single color"):
        run("alchemy", one_color_and_mixed, f"{second} {first} pour")


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("green hasColor green hasColor pour", "into itself"),
        ("green hasColor red hasColor pour", "overflow"),
        ("allObjects 7 index green hasColor pour", "no single color"),
    ],
)
def test_pour_fails(program, why):
    with pytest.raises(ActionError, match=why):
        run("alchemy", beakers(_1="ggg", _2="rr"), program)


def test_exactly_four_units_fit():
    program = "green hasColor red hasColor pour"
    assert world_after(beakers(_1="gg", _2="rr"), program) == beakers(_2="rrgg")


def test_mix_turns_every_unit_brown():
    state = run("alchemy", beakers(_3="rgy"), "allObjects 3 index mix")
    assert str(state.world) == beakers(_3="bbb")
    assert shown(state.history[0].arguments) == ["3:rgy"]


@pytest.mark.parametrize(("content", "why"), [("_", "empty"), ("r", "one color"), ("bb", "one")])
def test_mix_wants_several_colors(content, why):
    with pytest.raises(ActionError, match=why):
        run("alchemy", beakers(_3=content), "allObjects 3 index mix")


def test_drain_takes_units_from_the_top():
    assert world_after(beakers(_1="ryg"), "allObjects 1 index 2 drain") == beakers(_1="r")


def test_drain_of_one_whole_empties_the_beaker_and_is_remembered_as_a_number():
    state = run("alchemy", beakers(_1="ryg"), "allObjects 1 index 1/1 drain")
    assert str(state.world) == beakers()
    assert state.history[0].arguments[1] == 3


@pytest.mark.parametrize("amount", ["3", "-1"])
def test_drain_wants_an_amount_from_one_to_what_is_there(amount):
    with pytest.raises(ActionError, match="it holds 2"):
        run("alchemy", beakers(_1="gg"), f"green hasColor {amount} drain")


@pytest.mark.parametrize("amount", ["1", "1/1"])
def test_nothing_can_be_drained_from_an_empty_beaker(amount):
    with pytest.raises(ActionError):
        run("alchemy", beakers(), f"allObjects 1 index {amount} drain")


def test_a_color_is_not_an_amount():
    with pytest.raises(ValueTypeError, match="color r is not a number"):
        run("alchemy", beakers(_1="gg"), "green hasColor red drain")


def test_a_list_of_one_serves_as_an_object_and_a_longer_one_does_not():
    with pytest.raises(NotOneObjectError, match="holds 2"):
        run("alchemy", beakers(_1="g", _2="g"), "green hasColor 1 drain")


def test_the_last_written_argument_is_popped_first():
    with pytest.raises(ExecutionError):
        run("alchemy", beakers(_1="gg"), "1 green hasColor drain")


def test_a_beaker_of_the_history_comes_with_its_present_contents():
    program = "allObjects 1 index 1 drain  -1 prevArg1"
    assert shown(run("alchemy", beakers(_1="ggg"), program).stack) == ["1:gg"]


def test_a_beaker_is_known_by_its_position_even_when_emptied_and_filled_again():
    program = (
        "green hasColor allObjects 2 index pour"  # 1 is empty now
        "  red hasColor 1 prevArg1 pour"  # and now holds what was in 3
        "  1 prevArg1"
    )
    assert shown(run("alchemy", beakers(_1="g", _3="rr"), program).stack) == ["1:rr"]


def test_an_amount_of_the_history_is_a_number():
    program = "green hasColor 1/1 drain  red hasColor -1 prevArg2 drain"
    assert world_after(beakers(_1="gg", _2="rrr"), program) == beakers(_2="r")


def test_a_stale_snapshot_on_the_stack_acts_on_the_beaker_as_it_is_now():
    before = "green hasColor  allObjects 1 index 2 drain"
    state = run("alchemy", beakers(_1="ggg"), before)
    assert shown(state.stack) == ["[1:ggg]"]  # as it was when it was pushed
    state = run("alchemy", beakers(_1="ggg"), f"{before}  1/1 drain")
    assert shown(state.history[-1].arguments) == ["1:g", "1"]
    assert str(state.world) == beakers()
