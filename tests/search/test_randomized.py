"""Randomized selection: the definition drawn one by one, and frequencies."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as some

from lang2program_tf.search.randomized import Draws, RandomizedOriginal, RandomizedPaper
from lang2program_tf.search.selection import Candidates
from tests.search.reference import one_by_one


def pool_of(scores):
    """Candidates of one prefix an example, with scores [B, N]."""
    scores = tf.constant(scores, tf.float32)[:, tf.newaxis]
    return Candidates(
        scores=scores,
        log_probs=scores,
        terminal=tf.zeros([scores.shape[0], 1, 0]),
        action_tokens=tf.zeros([0], tf.int32),
    )


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(
    rule=some.sampled_from([RandomizedPaper, RandomizedOriginal]),
    size=some.integers(1, 14),
    beam=some.integers(1, 10),
    seed=some.integers(0, 10**6),
    epsilon=some.sampled_from([0.0, 0.15, 0.5, 0.9, 1.0]),
)
def test_merging_two_orders_equals_drawing_one_by_one(rule, size, beam, seed, epsilon):
    random = np.random.default_rng(seed)
    rows = 8
    scores = random.permuted(np.tile(np.arange(size), (rows, 1)), axis=1).astype(np.float32)
    keys = random.permuted(np.tile(np.arange(size), (rows, 1)), axis=1).astype(np.float32)
    coins = random.random((rows, min(beam, size))) < epsilon
    choice = rule(epsilon=epsilon).choose(
        pool_of(scores), Draws(coins, keys), beam_size=coins.shape[1]
    )
    assert choice.alive.numpy().all()
    for row in range(rows):
        expected = one_by_one(rule, scores[row], coins[row], keys[row])
        assert choice.index[row].numpy().tolist() == expected


@pytest.mark.parametrize("rule", [RandomizedPaper, RandomizedOriginal])
def test_continuations_that_may_not_live_are_never_chosen(rule):
    scores = np.array([[-np.inf, 2.0, -np.inf, 1.0], [-np.inf] * 4], np.float32)
    coins = np.ones([2, 3], bool)
    keys = np.array([[0.0, 3.0, 1.0, 2.0]] * 2, np.float32)
    choice = rule(epsilon=1.0).choose(pool_of(scores), Draws(coins, keys), beam_size=coins.shape[1])
    chosen = choice.index[0].numpy()[choice.alive[0].numpy()]
    assert sorted(chosen) == [1, 3]
    assert not choice.alive[1].numpy().any()


@pytest.mark.parametrize("rule", [RandomizedPaper, RandomizedOriginal])
def test_inclusion_frequencies_match_the_definition(rule):
    """Chi-square test of how often each rank is chosen, against draws one by one."""
    size, beam, epsilon, rows = 12, 5, 0.3, 20_000
    scores = -np.tile(np.arange(size, dtype=np.float32), (rows, 1))
    selection = rule(epsilon=epsilon)
    candidates = pool_of(scores)
    choice = selection.select(
        candidates, beam_size=beam, seed=tf.constant([3, 4]), step=tf.constant(0, tf.int64)
    )
    found = np.bincount(choice.index.numpy().ravel(), minlength=size)

    random = np.random.default_rng(5)
    expected = np.zeros(size)
    for _ in range(rows):
        keys = random.random(size)
        expected[one_by_one(rule, scores[0], random.random(beam) < epsilon, keys)] += 1
    # Both are samples: the variance of a difference of two counts is at most their sum.
    statistic = np.sum((found - expected) ** 2 / (found + expected))
    assert found.sum() == expected.sum() == rows * beam
    assert statistic < 31.3  # 99.9 % quantile of chi-square with 11 degrees of freedom


def test_epsilon_may_be_a_schedule():
    rule = RandomizedPaper(epsilon=lambda step: 1.0 - tf.cast(step, tf.float32))
    candidates = pool_of(-np.arange(100, dtype=np.float32)[np.newaxis])
    seed = tf.constant([1, 2])
    greedy = rule.select(candidates, beam_size=5, seed=seed, step=tf.constant(1, tf.int64))
    random = rule.select(candidates, beam_size=5, seed=seed, step=tf.constant(0, tf.int64))
    assert greedy.index[0].numpy().tolist() == [0, 1, 2, 3, 4]
    assert random.index[0].numpy().tolist() != [0, 1, 2, 3, 4]
