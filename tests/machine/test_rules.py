"""On tensors a domain does what its language does: every token, from all states of dialogues."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from lang2program_dev.fuzzing.side_by_side import SideBySide
from lang2program_tf.language import State, get_domain, parse_program, step, trace
from lang2program_tf.language.scene import Person
from lang2program_tf.machine import get_machine, primitives

MAX_UTTERANCES = 4
# By domain and world: programs, and beginnings of programs that cannot go on as one would think.
DIALOGUES = {
    ("scene", "1:r_ 2:__ 3:yo 4:gp 5:__ 6:r_ 7:__ 8:__ 9:__ 10:bb"): [
        "leave(hasShirt(yellow)); leave(hasHat(blue))",
        "move(hasShirt(yellow), leftOf(hasHat(blue))); leave(prevArg1(1))",
        "move(hasHat(blue), rightOf(hasShirt(green))); move(prevArg1(1), -1)",
        "create(2, orange, noHat); create(5, red, purple)",
        "swapHats(hasShirt(yellow), hasShirtHat(green, purple)); leave(hasHat(orange))",
        "move(index(hasShirt(red), 2), 9); leave(prevArg1(-1)); create(8, red, yellow)",
        "swapHats(hasHat(orange), hasHat(purple)); prevAction(prevArg1(1), prevArg2(1), 1)",
        "swapHats(index(allObjects, 1), hasShirt(yellow)); leave(index(allObjects, 1))",
        "swapHats(hasShirt(yellow), index(allObjects, 1)); move(index(allObjects, 1), 2)",
        "create(5, blue, red); create(7, red, red)",
        "5 4 red",  # a hat without a shirt
        "5 red 4",  # a shirt, and no hat
        "4 red blue",  # nobody comes where somebody is
        "yellow hasShirt 4",  # nor goes there
        "yellow hasShirt -1",
        "yellow hasShirt yellow hasShirt",  # nobody swaps hats with himself
        "yellow hasShirt leave 1 prevArg1",  # who has left cannot leave
    ],
    ("alchemy", "1:ggg 2:_ 3:rb 4:oooo 5:y 6:yyyy 7:r"): [
        "drain(hasColor(green), 1); drain(hasColor(green), 2)",
        "mix(index(allObjects, 3)); drain(hasColor(brown), 1/1)",
        "pour(hasColor(green), index(allObjects, 5)); mix(prevArg2(-1)); drain(prevArg1(-1), 3)",
        "pour(hasColor(red), index(allObjects, 2)); pour(prevArg2(1), index(allObjects, 3))",
        "drain(index(allObjects, 4), 1); prevAction(prevArg1(1), prevArg2(1), 1)",
        "allObjects 7 index 2",  # more than there is
        "allObjects 2 index allObjects 5 index",  # nothing to pour
        "allObjects 1 index allObjects 3 index",  # too much for one beaker
    ],
    ("tangrams", "1:2 2:0 3:4 4:1"): [
        "remove(index(allObjects, 2)); add(1, prevArg1(1))",
        "remove(index(allObjects, -1)); remove(index(allObjects, 1)); add(-1, prevArg1(1))",
        "swap(index(allObjects, 1), index(allObjects, -1)); remove(prevArg2(1))",
        "swap(index(allObjects, 2), index(allObjects, 3)); prevAction(prevArg1(1), prevArg2(1), 1)",
        "remove(index(allObjects, 3)); add(3, prevArg1(1)); remove(prevArg2(-1))",
        "allObjects 1 index remove 5 1 prevArg1",  # beyond the end of the row
        "1 allObjects 1 index",  # a piece that is there already
        "allObjects 1 index allObjects 1 index",  # the same piece twice
    ],
}
# Programs after which all looks as before, or all but a shirt.
COMING_BACK = {
    "scene": [
        "leave(hasShirt(yellow)); create(3, yellow, orange)",
        "leave(hasShirt(green)); create(4, green, purple)",
        "leave(hasShirt(yellow)); create(3, blue, orange)",
    ]
}


@pytest.mark.parametrize("name, world", DIALOGUES)
def test_every_token_does_the_same_in_the_language_and_on_tensors(name: str, world: str):
    domain = get_domain(name)
    states, places = [], []
    for program in DIALOGUES[name, world]:
        state = State(domain.parse_world(world))
        for token in parse_program(domain, program):
            states.append(state)
            places.append(f"{program} before {token.name}")
            state = step(domain, state, token)
        states.append(state)
        places.append(program)
    # Of two copies of a state, the next command completes the program of one.
    limits = [state.utterance + 1 for state in states] + [MAX_UTTERANCES] * len(states)
    states, places = states * 2, places * 2
    both = SideBySide(get_machine(name), max_utterances=MAX_UTTERANCES)
    tried = both.try_tokens(states, limits)
    compared = both.compare(states, limits, tried=tried, applied=tried)
    assert len(np.unique(compared.outcomes)) == 5
    found = [
        (places[row], domain.tokens[token].name, parts)
        for row, token, parts in compared.differences
    ]
    assert found == []


@pytest.mark.parametrize("name, text", DIALOGUES)
def test_an_object_has_the_same_rows_on_tensors(name: str, text: str):
    rules = get_machine(name).rules
    things = get_domain(name).parse_world(text).objects
    codes = tf.constant([rules.encode_object(thing) for thing in things])
    expected = [primitives.attribute_rows(thing) for thing in things]
    np.testing.assert_array_equal(tf.transpose(rules.attribute_rows(codes)), expected)
    assert (rules.attribute_rows(tf.constant([0, 5])).numpy() == -1).all()  # nothing, a number


@pytest.mark.parametrize("name, text", DIALOGUES)
def test_there_is_a_size_for_each_number_that_is_seen_of_an_object(name: str, text: str):
    rules = get_machine(name).rules
    things = get_domain(name).parse_world(text).objects
    looks = rules.looks(tf.constant([rules.encode_object(thing) for thing in things]))
    assert looks.shape[-1] == len(rules.look_sizes)
    assert np.all(looks < np.array(rules.look_sizes))
    assert not np.any(rules.looks(tf.constant([0, 5])))  # nothing, a number


def test_the_next_hidden_number_is_one_step_further():
    rules = get_machine("scene").rules
    codes = [rules.encode_object(Person(3, "r", "y", identity)) for identity in range(3)]
    assert np.diff(codes).tolist() == [rules.identity_step] * 2


@pytest.mark.parametrize("name, text", DIALOGUES)
def test_worlds_look_the_same_if_and_only_if_they_are_equal(name: str, text: str):
    """Some are equal but for what nobody sees: who came back is somebody else."""
    domain, rules = get_domain(name), get_machine(name).rules
    worlds = [domain.parse_world(text)]
    programs = [*DIALOGUES[name, text], *COMING_BACK.get(name, ())]
    for program in programs:
        worlds += [
            state.world for state in trace(domain, worlds[0], parse_program(domain, program))
        ]
    seen = rules.visible(tf.constant(rules.encode_worlds(worlds))).numpy().tolist()
    for one, looks in zip(worlds, seen):
        assert [other == looks for other in seen] == [other == one for other in worlds]


@pytest.mark.parametrize("people, number", [("", 0), ("r_", 1), ("r_ gp", 2)])
def test_a_decoded_stage_goes_on_counting_behind_all_of_its_people(people: str, number: int):
    stage = [*people.split(), *["__"] * 10][:10]
    world = get_domain("scene").parse_world(" ".join(f"{i}:{p}" for i, p in enumerate(stage, 1)))
    rules = get_machine("scene").rules
    decoded = rules.decode_world(rules.encode_world(world))
    assert decoded == world
    assert rules.next_identity(decoded) == rules.next_identity(world) == number
    after_others = rules.decode_world(rules.encode_world(world), next_identity=7)
    assert rules.next_identity(after_others) == 7
