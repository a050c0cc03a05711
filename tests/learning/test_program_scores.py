"""The log-probabilities of given programs are those that a search finds them with."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from lang2program_tf.learning.program_scores import program_log_probs
from lang2program_tf.machine import get_machine
from lang2program_tf.search import BeamSearch, best_programs
from tests.search.toys import (
    SEEDS,
    TOLERANCE,
    midway_examples,
    run,
    tensors_of,
    toy_examples,
    toy_parser,
    words_of,
)


@pytest.mark.parametrize("domain", SEEDS)
def test_programs_have_the_log_probabilities_of_the_search_that_found_them(domain: str):
    machine, parser = get_machine(domain), toy_parser(domain)
    examples = [*toy_examples(domain)[:2], midway_examples(domain)[1]]
    words, tensors = words_of(examples), tensors_of(machine, examples)
    tree = run(BeamSearch(machine, parser, beam_size=16), words, tensors)
    best = best_programs(machine, tree, 6)
    found = best.length.numpy() > 0
    assert found.sum() > 3
    scores = program_log_probs(parser, parser.read(words, tensors), machine, tensors, best.tokens)
    np.testing.assert_allclose(scores.numpy()[found], best.log_prob.numpy()[found], atol=TOLERANCE)
    assert not scores.numpy()[~found].any()


def test_where_there_is_no_program_the_score_is_0():
    machine, parser = get_machine("scene"), toy_parser("scene")
    examples = toy_examples("scene")[:1]
    words, tensors = words_of(examples), tensors_of(machine, examples)
    scores = program_log_probs(
        parser, parser.read(words, tensors), machine, tensors, tf.fill([1, 2, 7], -1)
    )
    np.testing.assert_array_equal(scores, [[0, 0]])
