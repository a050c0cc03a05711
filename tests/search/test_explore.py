"""The search of a batch in parts."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from lang2program_tf.machine import get_machine
from lang2program_tf.search import (
    BatchPart,
    BeamSearch,
    RandomizedOriginal,
    RandomizedPaper,
    Rollouts,
    SearchTree,
)
from tests.search.toys import (
    TOLERANCE,
    assert_same_order,
    beams_of,
    programs_of,
    run,
    tensors_of,
    toy_examples,
    toy_parser,
    words_of,
)

pytestmark = pytest.mark.slow

SEED = tf.constant([3, 4])
STEP = tf.constant(0, tf.int64)


def explore(search: BeamSearch, examples, part: BatchPart | None = None) -> SearchTree:
    tensors = tensors_of(search.machine, examples)
    memory = search.parser.read(words_of(examples), tensors)
    return search.explore(memory, tensors, seed=SEED, step=STEP, part=part)


@pytest.mark.parametrize(
    ("domain", "parser_seed", "size"), [("alchemy", 42, 3), ("scene", 19, 2), ("tangrams", 60, 1)]
)
def test_halves_find_what_a_search_of_all_finds(domain, parser_seed, size):
    """Without chance there is no difference; the first half has other lengths than the second."""
    parser = toy_parser(domain, ("stack",), seed=parser_seed)
    search = BeamSearch(get_machine(domain), parser, beam_size=32)
    examples = toy_examples(domain)[::-1][-size:]
    halves = explore(search, examples)
    whole = run(
        search, words_of(examples), tensors_of(search.machine, examples), keep_prefixes=True
    )
    assert len(halves.parent) == len(whole.parent)
    assert whole.num_complete.numpy().any()
    found, expected = (programs_of(search.machine, tree) for tree in (halves, whole))
    for row in range(size):
        assert_same_order([p[:2] for p in expected[row]], [p[:2] for p in found[row]])
        for beam, expected_beam in zip(beams_of(halves, row), beams_of(whole, row)):
            assert_same_order(expected_beam, beam)
    live = (whole.score > -np.inf)[..., tf.newaxis]
    for part, other in zip(halves.prefixes, whole.prefixes):
        # An iteration's prefixes are those that the one before ended with.
        shape = [*live.shape[:3], *[1] * (len(part.shape) - 3)]
        mask = tf.reshape(live, shape)[:-1]
        np.testing.assert_array_equal(tf.where(mask, part[1:], 0), tf.where(mask, other[1:], 0))


RULES = [
    RandomizedPaper(0.5),
    RandomizedOriginal(0.5),
    Rollouts(0.5),
]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: type(rule).__name__)
def test_with_chance_too_a_part_finds_what_it_finds_in_a_search_of_all(rule):
    search = BeamSearch(get_machine("scene"), toy_parser("scene"), beam_size=8, selection=rule)
    examples = toy_examples("scene")[::-1]
    tensors = tensors_of(search.machine, examples)
    whole = run(search, words_of(examples), tensors, seed=SEED, keep_prefixes=True)
    for places in (range(1, 3), range(0, 3, 2)):
        of_part = [examples[place] for place in places]
        part = BatchPart(places.start, len(examples), tf.constant(3), stride=places.step)
        tree = explore(search, of_part, part)
        iterations = len(tree.score)
        assert iterations > 3
        live = tree.score > -np.inf
        for found, of_all in ((tree.score, whole.score), (tree.complete, whole.complete)):
            expected = tf.gather(of_all[:iterations], places, axis=1)
            np.testing.assert_allclose(found, expected, atol=TOLERANCE)
        tokens = tf.gather(whole.token[:iterations], places, axis=1)
        np.testing.assert_array_equal(tree.token[live], tokens[live])


def test_a_batch_of_any_size_may_be_searched_in_parts_without_keeping_prefixes():
    search = BeamSearch(get_machine("tangrams"), toy_parser("tangrams"), beam_size=8)
    examples = toy_examples("tangrams")
    words, tensors = words_of(examples), tensors_of(search.machine, examples)
    any_size = tf.nest.map_structure(
        lambda part: tf.TensorSpec([None, *part.shape[1:]], part.dtype), (words, tensors)
    )
    graph = tf.function(
        lambda *inputs: run(search, *inputs, parts=2), input_signature=any_size, autograph=False
    )
    found, expected = graph(words, tensors), run(search, words, tensors)
    assert found.prefixes is None
    np.testing.assert_allclose(found.complete, expected.complete, atol=TOLERANCE)
    np.testing.assert_array_equal(found.rewarded, expected.rewarded)


def test_each_place_of_a_batch_has_its_own_draws():
    """The same example twice: the same start, other random continuations."""
    search = BeamSearch(
        get_machine("scene"), toy_parser("scene"), beam_size=8, selection=RandomizedPaper(0.9)
    )
    tree = explore(search, [toy_examples("scene")[1]] * 2)
    assert [*beams_of(tree, 0)] != [*beams_of(tree, 1)]
    again = explore(search, [toy_examples("scene")[1]] * 2)
    np.testing.assert_array_equal(tree.complete, again.complete)
