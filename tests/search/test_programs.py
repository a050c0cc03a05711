"""Reading programs out of a search tree, on trees written down by hand."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from lang2program_tf.language import execute
from lang2program_tf.machine import MachineState, get_machine
from lang2program_tf.machine.encode import encode_states
from lang2program_tf.search import SearchTree, best_programs

MACHINE = get_machine("tangrams")
ADD, REMOVE, SWAP, PREV_ACTION = MACHINE.action_tokens.tolist()
ITERATIONS, BEAM_SIZE = 3, 2
WORLD = [5, 4, 3, 2, 1]

# Of both examples: iteration 0 makes (10) and (11) out of the empty prefix, iteration 1 makes
# (11, 12) and (10, 13) out of these, in this order.
PARENT = [[0, 0], [1, 0], [0, 0]]
TOKEN = [[10, 11], [12, 13], [0, 0]]


def tree_of(*examples: dict[tuple[int, int, int], float], rewarded=()) -> SearchTree:
    """The tree of examples given as {(iteration, prefix, action): log-probability}."""
    shape = [ITERATIONS, len(examples), BEAM_SIZE]
    complete = np.full([*shape, MACHINE.num_actions], -np.inf, np.float32)
    rewards = np.zeros(complete.shape, bool)
    for row, example in enumerate(examples):
        for (iteration, prefix, action), log_prob in example.items():
            complete[iteration, row, prefix, action] = log_prob
            rewards[iteration, row, prefix, action] = (iteration, prefix, action) in rewarded
    return SearchTree(
        parent=tf.constant([[row] * len(examples) for row in PARENT]),
        token=tf.constant([[row] * len(examples) for row in TOKEN]),
        score=tf.zeros(shape),
        utterance=tf.zeros(shape, tf.int32),
        world=tf.broadcast_to(WORLD, [*shape, len(WORLD)]),
        complete=tf.constant(complete),
        rewarded=tf.constant(rewards),
        edits=tf.zeros([*complete.shape, 3], tf.int32),
        prefixes=None,
    )


def read(tree: SearchTree, count: int, row: int = 0) -> list[list[int]]:
    """The tokens of the best programs, without what stands behind their ends."""
    best = best_programs(MACHINE, tree, count)
    return [
        tokens[:length]
        for tokens, length in zip(best.tokens[row].numpy().tolist(), best.length[row].numpy())
    ]


def test_a_program_is_the_way_from_the_empty_prefix_and_an_action():
    tree = tree_of({(0, 0, 1): -1.0, (1, 1, 0): -2.0, (2, 0, 2): -3.0, (2, 1, 3): -4.0})
    assert read(tree, 4) == [
        [REMOVE],
        [11, ADD],
        [11, 12, SWAP],
        [10, 13, PREV_ACTION],
    ]


def test_more_probable_programs_come_first():
    tree = tree_of({(0, 0, 1): -3.0, (1, 1, 0): -1.0, (2, 0, 2): -2.0})
    assert read(tree, 3) == [[11, ADD], [11, 12, SWAP], [REMOVE]]
    np.testing.assert_array_equal(best_programs(MACHINE, tree, 3).log_prob, [[-1, -2, -3]])


@pytest.mark.parametrize(
    "places",
    [
        [(0, 0, 2), (1, 0, 1), (2, 0, 0)],  # by iteration, whatever the action
        [(1, 0, 3), (1, 1, 0)],  # then by prefix
        [(1, 1, 0), (1, 1, 1), (1, 1, 3)],  # then by action
    ],
)
def test_ties_stand_in_the_order_of_discovery(places):
    tree = tree_of({place: -1.0 for place in places})
    alone = [read(tree_of({place: -1.0}), 1)[0] for place in places]
    assert read(tree, len(places)) == alone


def test_behind_the_end_stands_no_token():
    tree = tree_of({(0, 0, 1): -1.0, (1, 0, 0): -2.0})
    best = best_programs(MACHINE, tree, 2)
    np.testing.assert_array_equal(best.tokens, [[[REMOVE, -1, -1], [10, ADD, -1]]])
    np.testing.assert_array_equal(best.length, [[1, 2]])


def test_a_program_keeps_its_reward():
    tree = tree_of({(0, 0, 1): -1.0, (1, 1, 0): -2.0}, rewarded=[(1, 1, 0)])
    np.testing.assert_array_equal(best_programs(MACHINE, tree, 2).rewarded, [[False, True]])


def test_its_world_is_the_one_its_prefix_has_led_to_after_the_action():
    rules = MACHINE.rules
    state = execute(rules.domain, rules.domain.parse_world("1:2 2:1"), ["allObjects", "1", "index"])
    encoded = MachineState(
        *(part[np.newaxis] for part in encode_states(rules, [state], max_utterances=1))
    )
    edits = MACHINE.options(encoded, tf.constant([[1]])).edits[0, 0]  # of each action
    tree = tree_of({(1, 1, 1): -1.0})
    world = tree.world.numpy()
    world[1, 0, 1] = encoded.world[0, 0]
    tree = tree._replace(world=world, edits=tf.broadcast_to(edits, tree.edits.shape))
    best = best_programs(MACHINE, tree, 1)
    np.testing.assert_array_equal(best.tokens[0, 0, :2], [11, REMOVE])
    assert str(rules.decode_world(best.world[0, 0].numpy())) == "1:1"


def test_places_without_a_program_come_last_and_are_empty():
    best = best_programs(MACHINE, tree_of({(1, 0, 0): -2.0}, rewarded=[(1, 0, 0)]), 3)
    np.testing.assert_array_equal(best.length, [[2, 0, 0]])
    np.testing.assert_array_equal(best.log_prob, [[-2, -np.inf, -np.inf]])
    np.testing.assert_array_equal(best.tokens[0, 1:], np.full([2, ITERATIONS], -1))
    np.testing.assert_array_equal(best.rewarded, [[True, False, False]])
    np.testing.assert_array_equal(best.world, [[WORLD, [0] * 5, [0] * 5]])


def test_an_example_without_any_program_has_empty_places_only():
    best = best_programs(MACHINE, tree_of({}, {(0, 0, 1): -1.0}), 2)
    np.testing.assert_array_equal(best.length, [[0, 0], [1, 0]])
    assert np.isneginf(best.log_prob[0]).all()
    assert not best.rewarded[0].numpy().any()


def test_examples_do_not_mix():
    tree = tree_of({(0, 0, 1): -1.0, (1, 0, 1): -5.0}, {(2, 1, 3): -2.0})
    assert read(tree, 2, row=0) == [[REMOVE], [10, REMOVE]]
    assert read(tree, 2, row=1) == [[10, 13, PREV_ACTION], []]


def test_there_are_no_more_places_than_the_tree_has():
    best = best_programs(MACHINE, tree_of({(0, 0, 1): -1.0}), tf.constant(1000))
    assert best.tokens.shape == [1, ITERATIONS * BEAM_SIZE * MACHINE.num_actions, ITERATIONS]


def test_counts_are_of_programs_and_of_rewarded_ones():
    tree = tree_of({(0, 0, 1): -1.0, (1, 1, 0): -2.0, (1, 1, 3): -9.0}, {}, rewarded=[(1, 1, 3)])
    np.testing.assert_array_equal(tree.num_complete, [3, 0])
    np.testing.assert_array_equal(tree.num_rewarded, [1, 0])
