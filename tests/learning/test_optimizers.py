"""Adam with look-ups squared one by one, and averages of weights."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from lang2program_tf.learning.optimizers import (
    OriginalAdam,
    TableSquares,
    adam,
    apply_gradients,
    averaged,
    lookup_rule,
    original_adam,
    sgd,
)

RANDOM = np.random.default_rng(4)
GRADIENTS = RANDOM.normal(size=[5, 3, 4]).astype(np.float32)  # of five steps
START = RANDOM.normal(size=[3, 4]).astype(np.float32)


def learn(optimizer, *, squares=None, cases=0):
    """The values of a table after each of the steps; `squares` from a gradient, if any."""
    table = tf.Variable(START)
    values = []
    for gradient in tf.constant(GRADIENTS):
        given = [] if squares is None else [TableSquares(table, squares(gradient))]
        apply_gradients(optimizer, [(gradient, table)], squares=given, cases=cases)
        values.append(table.numpy())
    return table, np.array(values)


def test_rows_that_are_looked_up_once_are_updated_as_by_plain_adam():
    _, plain = learn(adam())
    _, original = learn(original_adam(), squares=tf.square)
    np.testing.assert_allclose(original, plain, atol=1e-6)


def test_a_variable_that_is_no_table_is_updated_by_plain_adam():
    _, plain = learn(adam())
    _, original = learn(original_adam())
    np.testing.assert_array_equal(original, plain)


def test_look_ups_that_nearly_cancel_make_short_steps_and_agreeing_ones_long_steps():
    # n look-ups of g / n each add up to the gradient g, and their squares to g² / n.
    for count, squares in ((4, lambda g: tf.square(g) / 4), (1 / 9, lambda g: tf.square(g) * 9)):
        table = tf.Variable(START)
        apply_gradients(
            original_adam(),
            [(tf.constant(GRADIENTS[0]), table)],
            squares=[TableSquares(table, squares(tf.constant(GRADIENTS[0])))],
        )
        step = -0.001 * np.sign(GRADIENTS[0]) * np.sqrt(count)
        np.testing.assert_allclose(table.numpy() - START, step, atol=1e-6)


def test_squares_of_one_step_are_not_used_in_the_next():
    optimizer = original_adam()
    table = tf.Variable(START)
    gradient = tf.constant(GRADIENTS[0])
    apply_gradients(
        optimizer, [(gradient, table)], squares=[TableSquares(table, 100 * gradient**2)]
    )
    second = optimizer.get_slot(table, "v").numpy()
    apply_gradients(optimizer, [(gradient, table)])
    expected = 0.999 * second + 0.001 * GRADIENTS[0] ** 2
    np.testing.assert_allclose(optimizer.get_slot(table, "v"), expected, rtol=1e-5)


def test_look_ups_of_more_cases_than_the_original_takes_at_once_are_not_squared_one_by_one():
    def by_look_ups(gradient):
        return 7 * tf.square(gradient)

    _, plain = learn(adam())
    _, at_once = learn(original_adam(), squares=by_look_ups, cases=5000)
    _, in_slices = learn(original_adam(), squares=by_look_ups, cases=5001)
    np.testing.assert_allclose(in_slices, plain, atol=1e-6)
    assert np.abs(at_once - plain).max() > 1e-4


def test_averaging_uses_the_squares_too():
    _, alone = learn(original_adam(), squares=lambda g: 7 * tf.square(g))
    _, wrapped = learn(
        averaged(original_adam(), average_decay=0.5), squares=lambda g: 7 * tf.square(g)
    )
    np.testing.assert_array_equal(wrapped, alone)


def test_averages_lag_behind_the_weights_and_can_take_their_place():
    optimizer = averaged(sgd(0.1), average_decay=0.9)
    table, values = learn(optimizer)
    average = START
    for step, value in enumerate(values):
        decay = min(0.9, (1 + step) / (10 + step))  # young averages forget faster
        average = decay * average + (1 - decay) * value
    assert np.abs(average - values[-1]).max() > 1e-3
    optimizer.assign_average_vars([table])
    np.testing.assert_allclose(table.numpy(), average, atol=1e-6)


@pytest.mark.parametrize(
    "wrap", [lambda optimizer: optimizer, lambda o: averaged(o, average_decay=0.9)]
)
def test_the_look_up_rule_is_found_inside_an_average(wrap):
    assert isinstance(lookup_rule(wrap(original_adam())), OriginalAdam)
    assert lookup_rule(wrap(adam())) is None
    assert lookup_rule(wrap(sgd(0.1))) is None


def test_epsilon_is_the_originals():
    assert adam().epsilon == original_adam().epsilon == 1e-8
