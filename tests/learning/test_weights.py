"""Gradient weights: what each rule says, and that the original says the same."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from lang2program_tf.errors import UserError
from lang2program_tf.learning.schedules import LinearSchedule
from lang2program_tf.learning.weights import Meritocratic, Reinforce, ReinforceOriginal
from lang2program_tf.parity.weight_records import rule_named

# Three programs with reward, one without, and a place without a program.
PROBABILITIES = np.array([0.4, 0.1, 0.3, 0.05, 0.0])
REWARDED = np.array([True, True, False, True, False])


def weigh(rule, probabilities=PROBABILITIES, rewarded=REWARDED, step=0):
    with np.errstate(divide="ignore"):
        log_probs = tf.constant(np.log([probabilities]), tf.float32)
    weights = rule.weigh(log_probs, tf.constant([rewarded]), tf.constant(step, tf.int64))
    return weights.numpy()[0]


def test_mml_shares_the_gradient_by_probability():
    np.testing.assert_allclose(
        weigh(Meritocratic(1)), [0.4 / 0.55, 0.1 / 0.55, 0, 0.05 / 0.55, 0], rtol=1e-6
    )


def test_beta_zero_shares_it_equally():
    np.testing.assert_allclose(weigh(Meritocratic(0)), [1 / 3, 1 / 3, 0, 1 / 3, 0], rtol=1e-6)


def test_beta_between_is_a_power_of_mml():
    powers = np.where(REWARDED, PROBABILITIES**0.25, 0)
    np.testing.assert_allclose(weigh(Meritocratic(0.25)), powers / powers.sum(), rtol=1e-6)


def test_alpha_zero_with_beta_one_is_the_gradient_of_the_expected_reward():
    np.testing.assert_allclose(
        weigh(Meritocratic(1, alpha=0)), np.where(REWARDED, PROBABILITIES, 0), rtol=1e-6
    )


@pytest.mark.parametrize("beta", [0, 0.25, 1])
@pytest.mark.parametrize("alpha", [0, 1])
def test_where_nothing_is_rewarded_all_weights_are_zero(alpha, beta):
    weights = weigh(Meritocratic(beta, alpha=alpha), rewarded=[False] * 5)
    np.testing.assert_array_equal(weights, np.zeros(5))


def test_very_improbable_programs_are_weighed_too():
    log_probs = tf.constant([[-500.0, -501.0]])
    weights = Meritocratic(1).weigh(log_probs, tf.constant([[True, True]]), tf.constant(0))
    np.testing.assert_allclose(weights[0], [1 / (1 + np.exp(-1)), 1 / (1 + np.e)], rtol=1e-5)


def test_beta_may_be_annealed_from_equal_shares_to_mml():
    rule = Meritocratic(LinearSchedule(start=0.0, end=1.0, steps=100))
    for step, beta in ((0, 0.0), (25, 0.25), (100, 1.0), (5000, 1.0)):
        np.testing.assert_allclose(weigh(rule, step=step), weigh(Meritocratic(beta)), rtol=1e-6)


def test_a_negative_beta_is_refused():
    with pytest.raises(ValueError, match="beta=-0.5"):
        Meritocratic(-0.5)


def test_reinforce_gives_every_program_its_reward_less_the_baseline():
    np.testing.assert_allclose(weigh(Reinforce(0.1)), [0.9, 0.9, -0.1, 0.9, 0], rtol=1e-6)


def test_reinforce_as_the_released_code_has_it():
    weights = weigh(ReinforceOriginal(0.01))
    np.testing.assert_allclose(weights, [1, 1, -0.01, 1, 0], rtol=1e-6)


def test_only_rules_that_look_at_probabilities_need_fresh_ones():
    schedule = LinearSchedule(start=0.0, end=1.0, steps=100)
    for rule in (Meritocratic(0.25), Meritocratic(0, alpha=0), Meritocratic(schedule)):
        assert rule.uses_probabilities
    for other in (Meritocratic(0), Reinforce(0.1)):
        assert not other.uses_probabilities


@pytest.mark.parametrize("name", ["mml beta=high", "mml alpha=1", "guess", "mml gamma=1 beta=0"])
def test_a_rule_that_is_not_understood_is_named(name):
    with pytest.raises(UserError, match=name):
        rule_named(name)
