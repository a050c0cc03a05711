"""What a parser in context sees: the features are those of a plain reading of the language."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from lang2program_tf.language import UNKNOWN_COMMAND, State, World, execute, get_domain
from lang2program_tf.machine import Examples, get_machine
from lang2program_tf.machine.context import ContextFeatures, context_features, feature_widths
from lang2program_tf.machine.encode import encode_states
from tests.language.strategies import Walk, walks
from tests.machine import plain_context
from tests.machine.plain_context import Parts

MAX_COMMANDS = 8


def features(domain: str, first: World, states: Sequence[State]) -> ContextFeatures:
    """The features of states of one dialogue."""
    rules = get_machine(domain).rules
    encoded = encode_states(rules, states, max_utterances=MAX_COMMANDS)
    examples = Examples(
        world=tf.constant(encoded.world),
        next_identity=tf.constant(encoded.next_identity),
        target=tf.constant(encoded.world),
        num_utterances=tf.constant(encoded.utterance + 1),
        history=tf.constant(encoded.history),
        num_commands=tf.constant(encoded.utterance),
        first_world=tf.constant(rules.encode_worlds([first] * len(states))),
    )
    found = context_features(rules, examples)
    return ContextFeatures(*(part.numpy() for part in found))


def assert_parts(found: np.ndarray, expected: Parts, what: str) -> None:
    """Asserts a vector, part by part."""
    start = 0
    for name, part in expected.items():
        np.testing.assert_array_equal(
            found[start : start + len(part)], part, err_msg=f"{name} of {what}"
        )
        start += len(part)
    assert start == len(found)


def assert_plain(domain: str, first: World, states: Sequence[State]) -> None:
    """Asserts that features are those of the plain reading."""
    found = features(domain, first, states)
    for row, state in enumerate(states):
        for number, parts in enumerate(plain_context.objects(get_domain(domain), first, state)):
            assert_parts(found.objects[row, number], parts, f"object {number} of {state}")
        commands = plain_context.commands(get_domain(domain), state)
        assert found.performed[row].tolist() == [n < len(commands) for n in range(5)]
        for number, parts in enumerate(commands):
            assert_parts(found.commands[row, number], parts, f"command {number} of {state}")
        assert not found.commands[row, len(commands) :].any()


@settings(max_examples=40, deadline=None)
@given(walks(max_commands=MAX_COMMANDS), st.sets(st.integers(0, MAX_COMMANDS - 1), max_size=2))
@pytest.mark.slow
def test_the_features_of_a_state_are_those_of_a_plain_reading(walk: Walk, unknown: set[int]):
    states = [
        state._replace(
            history=tuple(
                UNKNOWN_COMMAND if step in unknown else command
                for step, command in enumerate(state.history)
            )
        )
        for state in walk.states
        if not state.stack
    ]
    assert_plain(walk.domain.name, walk.world, states)


def dialogue(domain: str, world: str, program: str) -> tuple[World, State]:
    """The first world and the state after a program."""
    first = get_domain(domain).parse_world(world)
    return first, execute(get_domain(domain), first, program.split())


def test_of_a_long_history_the_last_five_commands_are_seen():
    swap = "allObjects 1 index allObjects -1 index swap "
    first, state = dialogue("tangrams", "1:0 2:1 3:2", swap * 7 + "allObjects 2 index remove")
    assert state.utterance == 8
    assert_plain("tangrams", first, [state])
    found = features("tangrams", first, [state])
    assert found.performed[0].tolist() == [True] * 5
    swaps = [parts["action"] for parts in plain_context.commands(get_domain("tangrams"), state)]
    assert [action.index(1) for action in swaps] == [3, 3, 3, 3, 2]  # add, remove, swap


def test_pieces_that_are_gone_are_known_by_when_they_left():
    first, state = dialogue(
        "tangrams", "1:0 2:1 3:2", "allObjects 3 index remove allObjects 1 index remove"
    )
    leaving = [
        parts["leaving"] for parts in plain_context.objects(get_domain("tangrams"), first, state)
    ]
    first_piece, second, third = ((part[:6].index(1), part[6:].index(1)) for part in leaving[:3])
    assert (first_piece, second, third) == ((2, 1), (0, 0), (1, 2))
    assert_plain("tangrams", first, [state])


def test_who_came_back_is_somebody_else():
    first, state = dialogue(
        "scene",
        "1:r_ 2:__ 3:__ 4:__ 5:__ 6:__ 7:__ 8:__ 9:__ 10:__",
        "red hasShirt leave 1 red noHat create",
    )
    person = plain_context.objects(get_domain("scene"), first, state)[0]
    assert person["at first"] == plain_context.one_hot(0, 11) * 3
    assert_plain("scene", first, [state])


def test_people_look_alike_by_their_shirts_by_their_hats_and_by_both():
    first, state = dialogue(
        "scene", "1:rb 2:ry 3:rb 4:yb 5:gy 6:r_ 7:__ 8:__ 9:__ 10:__", "red hasShirt 2 index leave"
    )
    assert_plain("scene", first, [state])


def test_before_the_first_command_there_is_none():
    first, state = dialogue("alchemy", "1:ggg 2:_ 3:rb 4:_ 5:_ 6:r 7:yy", "")
    found = features("alchemy", first, [state])
    assert not found.performed.any()
    assert not found.commands.any()


@pytest.mark.parametrize("domain", ["alchemy", "scene", "tangrams"])
def test_widths_are_those_of_the_features(domain: str):
    first = get_domain(domain).parse_world(get_domain(domain).example)
    found = features(domain, first, [State(first)])
    widths = feature_widths(get_machine(domain).rules)
    assert widths == (found.objects.shape[-1], found.commands.shape[-1])
    assert set(np.unique(found.objects)) == {0, 1}
