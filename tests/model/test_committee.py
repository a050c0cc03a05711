"""Several parsers as one."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from lang2program_tf.machine import get_machine
from lang2program_tf.model.committee import Committee
from lang2program_tf.search import BeamSearch, best_programs
from tests.model.turns import WORDS, context_parser, histories, scores, turns
from tests.search.toys import run, tensors_of, toy_examples, toy_parser, words_of


@pytest.fixture(scope="module")
def parsers():
    return context_parser(seed=3), context_parser(seed=4)


def test_a_parser_twice_is_itself(parsers):
    one = scores(parsers[0])
    twice = scores(Committee([parsers[0], parsers[0]]))
    np.testing.assert_allclose(twice.log_probs, one.log_probs, atol=1e-6)
    np.testing.assert_allclose(twice.attention, one.attention, atol=1e-6)


def test_probabilities_and_attention_are_averaged(parsers):
    first, second = (scores(parser) for parser in parsers)
    both = scores(Committee(parsers))
    mean = (np.exp(first.log_probs) + np.exp(second.log_probs)) / 2
    assert np.abs(np.exp(first.log_probs) - mean).max() > 0.01
    np.testing.assert_allclose(np.exp(both.log_probs), mean, atol=1e-6)
    np.testing.assert_allclose(both.attention, (first.attention + second.attention) / 2, atol=1e-6)


def test_a_search_is_told_the_same_as_those_who_ask_for_scores(parsers):
    committee = Committee(parsers)
    memory = committee.read(tf.constant(WORDS), turns())
    found = committee.log_probs(
        memory,
        committee.begin(memory, 1),
        recent=tf.fill([3, 1, 4], -1),
        utterance=turns().num_commands[:, tf.newaxis],
    )
    np.testing.assert_allclose(found, scores(committee).log_probs[:, :1], atol=2e-6)


def test_a_search_with_a_parser_twice_finds_what_it_finds_with_one():
    machine, toy = get_machine("tangrams"), toy_parser("tangrams")
    examples = toy_examples("tangrams")[:2]
    one, twice = (
        best_programs(
            machine,
            run(
                BeamSearch(machine, parser, beam_size=16),
                words_of(examples),
                tensors_of(machine, examples),
            ),
            3,
        )
        for parser in (toy, Committee([toy, toy]))
    )
    assert (one.length.numpy() > 0).any()
    np.testing.assert_array_equal(twice.tokens, one.tokens)
    np.testing.assert_allclose(twice.log_prob, one.log_prob, atol=1e-5)


def test_examples_can_be_taken_apart(parsers):
    committee = Committee(parsers)
    memory = committee.read(tf.constant(WORDS), turns()).of_examples(slice(1, 2))
    history = tf.nest.map_structure(lambda part: part[1:2], histories())
    found = committee.score(memory, history, tf.fill([1, 3], 1)).log_probs
    np.testing.assert_allclose(found, scores(committee).log_probs[1:2], atol=2e-6)


def test_the_words_are_there_once():
    members = context_parser(seed=3), context_parser(seed=4)
    committee = Committee(members)
    words = [v for v in committee.variables if "word_vectors" in v.name]
    assert len(words) == 1
    assert members[1].encoder.word_vectors is members[0].encoder.word_vectors
    assert len(committee.trainable_variables) == 2 * len(members[0].trainable_variables)


def test_parsers_of_other_words_are_refused():
    other = context_parser()
    other.encoder.word_vectors.assign_add(tf.ones_like(other.encoder.word_vectors))
    with pytest.raises(ValueError, match=r"members\[1\] has other words than members\[0\]"):
        Committee([context_parser(), other])


def test_a_variable_that_is_not_finite_is_named():
    members = context_parser(seed=3), context_parser(seed=4)
    assert Committee(members).first_non_finite_variable() is None
    members[1].decoder.ages.assign(tf.fill(members[1].decoder.ages.shape, np.nan))
    assert "ages" in Committee(members).first_non_finite_variable()
