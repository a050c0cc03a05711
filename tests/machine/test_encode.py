"""Encoding states for the tensor machine is the inverse of decoding them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from lang2program_tf.language import (
    DOMAINS,
    UNKNOWN_COMMAND,
    Kind,
    State,
    execute,
    get_domain,
    step,
)
from lang2program_tf.machine import RULES, Examples, MachineState, get_machine
from lang2program_tf.machine.decode import decode_state
from lang2program_tf.machine.encode import encode_states
from lang2program_tf.machine.state import OUTCOMES
from lang2program_tf.parity.executor_records import canonical_state
from tests.language.strategies import Walk, walks

LEAVE_TWICE = "allObjects 1 index leave 2 allObjects 1 index 1 prevAction"
STAGE = "1:r_ 2:__ 3:__ 4:gp 5:__ 6:__ 7:__ 8:__ 9:__ 10:yo"


def _run(name: str, world: str, program: str) -> State:
    domain = get_domain(name)
    return execute(domain, domain.parse_world(world), program.split())


@settings(max_examples=100, deadline=None)
@given(walk=walks())
def test_decoding_gives_back_what_was_encoded(walk: Walk):
    rules = RULES[walk.domain.name]()
    encoded = encode_states(rules, walk.states, max_utterances=15, stack_slots=15)
    for place, state in enumerate(walk.states):
        one = MachineState(*(part[place] for part in encoded))
        decoded = decode_state(rules, one)
        assert canonical_state(walk.domain, decoded) == canonical_state(walk.domain, state)
        assert one.utterance == state.utterance


@settings(max_examples=100, deadline=None)
@given(walk=walks())
def test_a_state_is_encoded_the_same_alone_and_among_others(walk: Walk):
    rules = RULES[walk.domain.name]()
    together = encode_states(rules, walk.states, max_utterances=15, stack_slots=15)
    for place, state in enumerate(walk.states):
        alone = encode_states(rules, [state], max_utterances=15, stack_slots=15)
        for part, expected in zip(together, alone):
            np.testing.assert_array_equal(part[place], expected[0])


@pytest.mark.parametrize("name, text", [("alchemy", None), ("scene", STAGE), ("tangrams", "1:4")])
def test_the_state_before_the_first_token_is_the_machine_s_initial_state(name, text):
    machine = get_machine(name, stack_slots=4)
    world = DOMAINS[name].parse_world(text or "1:ggg 2:_ 3:rb 4:_ 5:_ 6:r 7:yy")
    encoded = encode_states(machine.rules, [State(world)], max_utterances=3, stack_slots=4)
    codes = machine.rules.encode_worlds([world])
    examples = Examples.without_history(
        codes,
        next_identity=machine.rules.next_identities([world]),
        target=codes,
        num_utterances=np.array([3], np.int32),
    )
    for part, expected in zip(encoded, machine.initial_state(examples, num_prefixes=1)):
        np.testing.assert_array_equal(part, expected[:, 0])


def test_equal_worlds_with_other_hidden_numbers_are_encoded_apart():
    before = State(get_domain("scene").parse_world(STAGE))
    again = _run("scene", STAGE, "1 red hasShirt leave red noHat create")
    assert again.world == before.world
    encoded = encode_states(RULES["scene"](), [before, again], max_utterances=2)
    assert encoded.world[0, 0] != encoded.world[1, 0]
    assert encoded.next_identity.tolist() == [3, 4]


def test_no_states_give_arrays_of_length_zero():
    encoded = encode_states(RULES["scene"](), [], max_utterances=2)
    assert [part.shape for part in encoded] == [(0, 10), (0, 3), (0, 3, 10), (0, 2, 3), (0,), (0,)]


def test_a_stack_that_does_not_fit_is_an_error():
    deep = _run("tangrams", "", "1 2 3 4")
    with pytest.raises(ValueError, match="stack_slots=3 is less than 4"):
        encode_states(RULES["tangrams"](), [deep], max_utterances=1)


def test_a_history_that_does_not_fit_is_an_error():
    state = _run("scene", STAGE, LEAVE_TWICE)
    assert state.utterance == 2
    with pytest.raises(ValueError, match="max_utterances=1 is less than 2"):
        encode_states(RULES["scene"](), [state], max_utterances=1)


@pytest.mark.parametrize("name", DOMAINS)
def test_a_command_that_nobody_knows_counts_and_comes_back(name):
    rules = RULES[name]()
    text = {"alchemy": "1:ggg 2:_ 3:rb 4:_ 5:_ 6:r 7:yy", "scene": STAGE, "tangrams": "1:4"}[name]
    state = State(DOMAINS[name].parse_world(text), (UNKNOWN_COMMAND,))
    encoded = encode_states(rules, [state], max_utterances=2)
    assert encoded.history.tolist() == [[[0, 0, 0], [0, 0, 0]]]
    assert encoded.utterance.tolist() == [1]
    assert decode_state(rules, MachineState(*(part[0] for part in encoded))).history == (
        UNKNOWN_COMMAND,
    )


@pytest.mark.parametrize("name", DOMAINS)
def test_the_machine_refuses_references_to_a_command_that_nobody_knows(name):
    machine = get_machine(name)
    text = {"alchemy": "1:ggg 2:_ 3:rb 4:_ 5:_ 6:r 7:yy", "scene": STAGE, "tangrams": "1:4"}[name]
    state = State(DOMAINS[name].parse_world(text), (UNKNOWN_COMMAND,))
    reference = step(DOMAINS[name], state, "1")
    encoded = encode_states(machine.rules, [reference], max_utterances=2)
    batch = MachineState(*(part[np.newaxis] for part in encoded))
    outcomes = machine.options(batch, np.array([[2]])).outcomes[0, 0].numpy()
    for token in DOMAINS[name].tokens:
        if token.kind in (Kind.PREV_ARG, Kind.PREV_ACTION):
            assert OUTCOMES[outcomes[DOMAINS[name].token_id(token)]] == "E"
