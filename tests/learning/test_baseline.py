"""The learned baseline of REINFORCE."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from lang2program_tf.learning.baseline import LogisticBaseline


def learn(
    baseline: LogisticBaseline, query: tf.Tensor, *, rewards: tf.Tensor, counts: tf.Tensor
) -> None:
    gradients = baseline.gradients(query, rewards=rewards, counts=counts)
    baseline.learn(gradients, tf.reduce_sum(counts))


def test_it_expects_half_a_reward_before_it_has_learned_anything():
    baseline = LogisticBaseline(3)
    np.testing.assert_array_equal(baseline.values(tf.ones([2, 4, 3])), np.full([2, 4], 0.5))


def test_it_learns_the_mean_reward():
    baseline = LogisticBaseline(2, learning_rate=0.05)
    query = tf.zeros([1, 3, 2])
    # Through the three decisions go 4, 1 and 5 programs, 3 of the 10 rewarded.
    rewards, counts = tf.constant([[2.0, 0.0, 1.0]]), tf.constant([[4.0, 1.0, 5.0]])
    for _ in range(300):
        learn(baseline, query, rewards=rewards, counts=counts)
    np.testing.assert_allclose(baseline.values(query), np.full([1, 3], 0.3), atol=0.01)


@pytest.mark.slow
def test_it_tells_queries_apart():
    baseline = LogisticBaseline(1, learning_rate=0.05)
    query = tf.constant([[[-1.0], [1.0]]])
    for _ in range(500):
        rewards, counts = tf.constant([[1.0, 8.0]]), tf.constant([[10.0, 10.0]])
        learn(baseline, query, rewards=rewards, counts=counts)
    np.testing.assert_allclose(baseline.values(query), [[0.1, 0.8]], atol=0.02)


def test_decisions_without_programs_teach_nothing():
    baseline = LogisticBaseline(1)
    query = tf.constant([[[5.0], [-5.0]]])
    learn(baseline, query, rewards=tf.zeros([1, 2]), counts=tf.zeros([1, 2]))
    assert float(baseline.bias) == 0
    assert float(baseline.kernel[0]) == 0


def test_the_query_learns_nothing_from_it():
    baseline = LogisticBaseline(2)
    baseline.kernel.assign([1.0, -1.0])
    query = tf.Variable(tf.ones([1, 1, 2]))
    with tf.GradientTape() as tape:
        value = tf.reduce_sum(baseline.values(query))
    assert tape.gradient(value, query) is None
    assert float(value) == pytest.approx(0.5)


def test_its_variables_are_there_before_its_first_step():
    names = {variable.name.split(":")[0] for variable in LogisticBaseline(2).variables}
    assert names == {"kernel", "bias"}
    baseline = LogisticBaseline(2)
    assert len(baseline.optimizer.variables()) == 5  # steps, and two moments of each
