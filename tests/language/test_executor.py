"""What all domains share: the stack, index, history; and what holds for any program at all."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lang2program_tf.language import (
    ExecutionError,
    LanguageError,
    State,
    execute,
    get_domain,
    step,
    trace,
)
from lang2program_tf.language.errors import (
    OutOfRangeError,
    StackUnderflowError,
    ValueTypeError,
)
from lang2program_tf.language.tokens import Kind
from tests.language.examples import beakers, run, shown, stage
from tests.language.strategies import domains, token_sequences, walks, worlds

THREE = "1:2 2:0 3:4"


def test_constants_push_themselves():
    state = run("alchemy", beakers(), "3 -1 red 1/1")
    assert shown(state.stack) == ["3", "-1", "color r", "fraction 1/1"]


@pytest.mark.parametrize(("index", "piece"), [("1", "1:2"), ("3", "3:4"), ("-1", "3:4")])
def test_index_counts_from_the_left_or_from_the_right(index, piece):
    assert shown(run("tangrams", THREE, f"allObjects {index} index").stack) == [piece]


def test_index_fails_out_of_range():
    with pytest.raises(OutOfRangeError, match="no object 4 in a list of 3"):
        run("tangrams", THREE, "allObjects 4 index")
    with pytest.raises(OutOfRangeError):
        run("tangrams", "", "allObjects -1 index")


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("allObjects 1 index 1 index", "1:2 is not a list"),  # one object is not a list of one
        ("1 allObjects index", "is not a number"),
        ("allObjects allObjects index", "is not a number"),
        ("1 1 index", "1 is not a list"),
    ],
)
def test_index_checks_types(program, why):
    with pytest.raises(ValueTypeError, match=why):
        run("tangrams", THREE, program)


@pytest.mark.parametrize("program", ["index", "1 index", "swap", "prevArg1", "prevAction"])
def test_a_token_that_finds_too_few_values_fails(program):
    with pytest.raises(StackUnderflowError):
        run("tangrams", THREE, program)


@pytest.mark.parametrize("token", ["prevAction", "prevArg1"])
@pytest.mark.parametrize("number", ["1", "-1", "2"])
def test_there_is_no_history_at_first(token, number):
    with pytest.raises(OutOfRangeError, match="0 were performed"):
        run("tangrams", THREE, f"{number} {token}")


def test_history_counts_from_the_first_command_or_from_the_last():
    program = "allObjects 1 index remove  allObjects 1 index remove  "
    assert shown(run("tangrams", THREE, program + "1 prevArg1").stack) == ["0:2"]
    assert shown(run("tangrams", THREE, program + "2 prevArg1").stack) == ["0:0"]
    assert shown(run("tangrams", THREE, program + "-1 prevArg1").stack) == ["0:0"]


def test_an_argument_that_the_command_does_not_have_fails():
    with pytest.raises(OutOfRangeError, match="remove has no argument 2"):
        run("tangrams", THREE, "allObjects 1 index remove  -1 prevArg2")


def test_history_wants_a_number():
    with pytest.raises(ValueTypeError, match="color r is not a number"):
        run("scene", stage(_1="r_"), "red hasShirt 2 move  red prevArg1")


def test_a_number_of_the_history_is_pushed_as_it_is():
    state = run("scene", stage(_1="r_", _4="g_"), "red hasShirt -1 move  -1 prevArg2")
    assert state.stack == (10,)


def test_prev_action_performs_the_action_again_on_what_is_on_the_stack():
    program = "red hasShirt leave  green hasShirt -1 prevAction"
    state = run("scene", stage(_1="r_", _4="g_"), program)
    assert str(state.world) == stage()
    assert [command.action for command in state.history] == ["leave", "leave"]


def test_history_remembers_the_action_itself_and_not_prev_action():
    program = "red hasShirt leave  green hasShirt -1 prevAction  blue hasShirt 2 prevAction"
    state = run("scene", stage(_1="r_", _4="g_", _5="b_"), program)
    assert [command.action for command in state.history] == ["leave"] * 3


def test_prev_action_leaves_on_the_stack_what_its_action_does_not_take():
    program = "red hasShirt leave  7 green hasShirt -1 prevAction"
    state = run("scene", stage(_1="r_", _4="g_", _5="b_"), program)
    assert state.utterance == 2
    assert state.stack == (7,)
    # The value left over serves the next command.
    after = run("scene", stage(_1="r_", _4="g_", _5="b_"), f"{program}  yellow noHat create")
    assert str(after.world) == stage(_5="b_", _7="y_")
    assert after.stack == ()


def test_prev_action_that_repeats_an_unfit_action_fails_like_it():
    with pytest.raises(ValueTypeError, match="3 is not an object"):
        run("scene", stage(_1="r_"), "red hasShirt leave  3 -1 prevAction")


def test_an_argument_is_an_object_as_it_was_before_its_action():
    state = run("scene", stage(_1="r_"), "red hasShirt 5 move")
    assert shown(state.history[0].arguments) == ["1:r_", "5"]


def test_trace_gives_the_state_after_every_token():
    domain = get_domain("tangrams")
    world = domain.parse_world(THREE)
    states = trace(domain, world, ["allObjects", "1", "index", "remove"])
    assert [len(state.stack) for state in states] == [1, 2, 1, 0]
    assert states[-1] == execute(domain, world, ["allObjects", "1", "index", "remove"])
    assert trace(domain, world, []) == []


def everything(state: State) -> tuple:
    """All that a state holds, hidden ids and types of values too."""
    objects = [tuple(thing) for thing in state.world.objects]
    return str(state.world), objects, repr(state.history), repr(state.stack)


@given(walks())
def test_a_failing_token_changes_nothing(walk):
    state = walk.states[-1]
    before = everything(state)
    for token in walk.domain.tokens:
        try:
            step(walk.domain, state, token)
        except ExecutionError:
            assert everything(state) == before


@settings(max_examples=50)
@given(walks(max_commands=4))
def test_a_program_runs_the_same_whatever_failed_in_between(walk):
    state = State(walk.world)
    for token, after in zip(walk.tokens, walk.states[1:]):
        for attempt in walk.domain.tokens:
            try:
                step(walk.domain, state, attempt)
            except ExecutionError:
                continue
        state = step(walk.domain, state, token)
        assert everything(state) == everything(after)


@given(st.data(), domains)
def test_any_tokens_on_any_world_run_or_raise_a_language_error_of_one_line(data, domain):
    state = State(data.draw(worlds(domain)))
    for token in data.draw(token_sequences(domain, max_size=40)):
        try:
            state = step(domain, state, token)
        except LanguageError as error:
            assert isinstance(error, ExecutionError)
            assert str(error) and len(str(error).splitlines()) == 1


@given(walks())
def test_every_action_adds_one_command_and_every_other_token_one_value(walk):
    for token, before, after in zip(walk.tokens, walk.states, walk.states[1:]):
        if token.kind in (Kind.ACTION, Kind.PREV_ACTION):
            assert after.utterance == before.utterance + 1
            assert after.history[:-1] == before.history
            assert before.stack[: len(after.stack)] == after.stack
        else:
            assert after.utterance == before.utterance
            assert after.world is before.world
            assert after.stack[:-1] == before.stack[: len(before.stack) - token.arity]


@given(walks())
def test_every_world_that_a_program_reaches_can_be_written_and_read(walk):
    for state in walk.states:
        assert walk.domain.parse_world(str(state.world)) == state.world


@given(st.lists(st.text(), max_size=5), domains)
def test_names_that_are_no_tokens_raise_only_language_errors(names, domain):
    world = domain.parse_world(
        {"tangrams": "", "scene": stage(), "alchemy": beakers()}[domain.name]
    )
    with contextlib.suppress(LanguageError):
        execute(domain, world, names)
