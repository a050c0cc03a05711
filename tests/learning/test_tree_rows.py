"""From programs to edges of the search tree, and back."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from lang2program_tf.learning.gradient import score_decisions
from lang2program_tf.learning.tree_rows import (
    all_edges,
    decisions_at,
    path_log_probs,
    push_up,
    used_rows,
)
from lang2program_tf.log_probs import NEVER
from lang2program_tf.model.parser import Parser
from lang2program_tf.search import SearchTree
from tests.learning import plain_learning
from tests.learning.small_steps import found_by, small_search, solvable_examples
from tests.search.toys import programs_of, words_of

# A tree of one example: two iterations, two prefixes, one action, token 9. The root is continued by
# 4 and 5; the first of these is continued by 6. Programs are "9", "4 9" and "5 9".
NO_WORLDS = tf.zeros([2, 1, 2, 1], tf.int32)
TREE = SearchTree(
    parent=tf.constant([[[0, 0]], [[0, 0]]]),
    token=tf.constant([[[4, 5]], [[6, -1]]]),
    score=tf.constant([[[-1.0, -2.0]], [[-3.0, NEVER]]]),
    utterance=tf.zeros([2, 1, 2], tf.int32),
    world=NO_WORLDS,
    complete=tf.constant([[[-1.5, NEVER]], [[-2.5, -3.5]]])[..., tf.newaxis],
    rewarded=tf.zeros([2, 1, 2, 1], tf.bool),
    edits=NO_WORLDS[..., tf.newaxis],
    prefixes=None,
)
# Its edges: to the prefixes "4", "5", "4 6" and none; then the ends of "", none, "4" and "5".
EDGES = [(0, 4), (0, 5), (2, 6), (2, -1), (0, 9), (1, 9), (2, 9), (3, 9)]


def test_edges_are_the_continuations_and_then_the_ends():
    edges = all_edges(TREE, tf.constant([9]))
    assert list(zip(edges.prefix[0].numpy(), edges.token[0].numpy())) == EDGES


def test_an_edge_gets_the_sum_over_the_programs_through_it():
    numbers = tf.constant([[[1.0, 0.0]], [[10.0, 100.0]]])[..., tf.newaxis]  # [T, B, K, C]
    numbers = tf.stack([numbers, -2 * numbers], axis=-1)
    sums = push_up(TREE, numbers)[0].numpy()
    np.testing.assert_array_equal(sums[:, 0], [10, 100, 0, 0, 1, 0, 10, 100])
    np.testing.assert_array_equal(sums[:, 1], -2 * sums[:, 0])


def test_a_path_gets_the_sum_over_its_edges():
    row = tf.constant([[6, 0, 1, 4, 7]])
    log_prob = tf.constant([[-0.1, -1.0, -2.0, -0.5, -0.25]])
    totals = path_log_probs(TREE, row, log_prob)[:, 0, :, 0]
    np.testing.assert_allclose(totals, [[-0.5, NEVER], [-1.1, -2.25]], rtol=1e-6)


def test_rows_are_as_many_as_the_example_with_most_has():
    used = tf.constant([[False, True, False, True], [False, False, True, False]])
    rows = used_rows(used).numpy()
    assert rows.shape == (2, 2)
    assert list(rows[0]) == [1, 3]
    assert rows[1, 0] == 2
    assert used_rows(tf.zeros([2, 4], tf.bool)).shape == (2, 1)


def test_decisions_need_the_prefixes():
    search = small_search("scene", ("tokens",))
    with pytest.raises(ValueError, match="keep_prefixes"):
        decisions_at(search.machine, TREE, all_edges(TREE, tf.constant([9])), tf.constant([[0]]))


@pytest.mark.slow
@pytest.mark.parametrize("history", [("tokens",), ("stack",)])
def test_rescored_programs_have_seen_the_full_history(history):
    search = small_search("scene", history, independent_utterances=True)
    parser, machine = search.parser, search.machine
    assert isinstance(parser, Parser)
    examples = solvable_examples(search)
    tree = found_by(search, examples)
    edges = all_edges(tree, tf.constant(machine.action_tokens))
    every = tf.tile(tf.range(edges.token.shape[1])[tf.newaxis], [len(examples), 1])
    memory = parser.read(words_of(examples))
    scored = score_decisions(parser, memory, decisions_at(machine, tree, edges, every))
    rescored = tree._replace(complete=path_log_probs(tree, every, scored.log_prob))
    of_search = programs_of(machine, tree)
    for row, (example, programs) in enumerate(zip(examples, programs_of(machine, rescored))):
        cached = {program.tokens: program.log_prob for program in of_search[row]}
        for program in programs:
            cases = plain_learning.replay(machine.rules.domain, example, program.tokens)
            plain, _ = plain_learning.score(parser, machine.rules.domain, cases)
            assert program.log_prob == pytest.approx(float(tf.reduce_sum(plain)), abs=1e-4)
        differ = [abs(program.log_prob - cached[program.tokens]) > 1e-3 for program in programs]
        # Only the second utterance has tokens before it that TOKENS may be kept from seeing.
        assert any(differ) == (history == ("tokens",) and len(example.utterances) > 1)
