"""Programs that are run again make the tree of a search that finds nothing else."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from lang2program_tf.machine import get_machine
from lang2program_tf.machine.plain_features import plain_tokens_features
from lang2program_tf.search import BeamSearch, best_programs
from lang2program_tf.search.replay import replay
from tests.search.toys import (
    SEEDS,
    beams_of,
    midway_examples,
    programs_of,
    run,
    tensors_of,
    toy_examples,
    toy_parser,
    words_of,
)


@pytest.fixture(scope="module", params=[(d, begin) for d in SEEDS for begin in ("new", "midway")])
def trees(request):
    """The machine, the tree of a search, and the tree of its complete programs run again."""
    domain, begin = request.param
    search = BeamSearch(get_machine(domain), toy_parser(domain), beam_size=16)
    examples = toy_examples(domain)[:2] if begin == "new" else midway_examples(domain)[1:]
    tensors = tensors_of(search.machine, examples)
    found = run(search, words_of(examples), tensors, keep_prefixes=True)
    best = best_programs(search.machine, found, int(max(found.num_complete)))
    return search.machine, found, replay(search.machine, tensors, best.tokens, best.log_prob)


def test_it_holds_the_programs_and_nothing_else(trees):
    machine, found, again = trees
    for expected, programs in zip(programs_of(machine, found), programs_of(machine, again)):
        of_search = {p.tokens: (p.log_prob, p.world) for p in expected}
        assert {p.tokens: (p.log_prob, p.world) for p in programs} == of_search
        assert all(program.rewarded for program in programs)
        assert len(programs) == len(expected)


def test_every_prefix_of_a_program_is_there_once(trees):
    machine, _, again = trees
    for row, programs in enumerate(programs_of(machine, again)):
        prefixes = {p.tokens[:n] for p in programs for n in range(1, len(p.tokens))}
        found = [tokens for beam in beams_of(again, row) for tokens, _ in beam]
        assert len(found) == len(set(found))
        assert set(found) == prefixes


def test_prefixes_have_the_histories_that_the_search_saw(trees):
    _, found, again = trees

    def histories(tree, row):
        """Utterance, world, last tokens and stack of each prefix."""
        result = {}
        starts: list = [[((), 0.0)], *beams_of(tree, row)[:-1]]
        for iteration, beam in enumerate(starts):
            scores = tree.score[iteration - 1, row].numpy() if iteration else np.array([0.0])
            for place, (tokens, _) in zip(np.flatnonzero(scores > -np.inf), beam):
                parts = [tree.utterance, tree.world, *tree.prefixes]
                result[tokens] = [part[iteration, row, place].numpy() for part in parts]
        return result

    for row in range(2):
        expected = histories(found, row)
        for tokens, parts in histories(again, row).items():
            tf.nest.map_structure(np.testing.assert_array_equal, parts, expected[tokens])
            np.testing.assert_array_equal(parts[2], plain_tokens_features([tokens])[0])


def test_examples_without_programs_have_an_empty_tree():
    machine = get_machine("tangrams")
    tensors = tensors_of(machine, toy_examples("tangrams")[:2])
    tree = replay(machine, tensors, tf.fill([2, 3, 7], -1), tf.fill([2, 3], -np.inf))
    assert not np.any(tree.num_complete)
    assert np.all(np.isneginf(tree.score))


@pytest.mark.slow
def test_compiled_it_gives_the_same():
    machine, examples = get_machine("scene"), midway_examples("scene")[1:]
    search = BeamSearch(machine, toy_parser("scene"), beam_size=16)
    tensors = tensors_of(machine, examples)
    found = run(search, words_of(examples), tensors, keep_prefixes=True)
    best = best_programs(machine, found, 8)
    plain = replay(machine, tensors, best.tokens, best.log_prob)
    compiled = replay(machine, tensors, best.tokens, best.log_prob, jit_compile=True)
    tf.nest.map_structure(np.testing.assert_array_equal, compiled, plain)
