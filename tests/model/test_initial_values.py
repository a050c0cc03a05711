"""Initial values."""

from __future__ import annotations

import numpy as np

from lang2program_tf.model.initial_values import InitialValues


def test_an_orthogonal_matrix_keeps_lengths_up_to_the_gain():
    matrix = InitialValues(0).orthogonal(64, gain=1.1)
    np.testing.assert_allclose(matrix @ matrix.T, 1.1**2 * np.eye(64), atol=1e-5)


def test_glorot_values_fill_their_range():
    values = InitialValues(0).glorot_uniform(300, 100)
    limit = np.sqrt(6 / 400)
    assert 0.99 * limit < np.abs(values).max() <= limit
    assert abs(values.std() - limit / np.sqrt(3)) < 0.01 * limit


def test_normals_have_the_mean_and_deviation_asked_for():
    values = InitialValues(0).normal(400, 300, mean=-0.5, std=2)
    assert abs(values.mean() + 0.5) < 0.03
    assert abs(values.std() - 2) < 0.03


def test_draws_differ_from_each_other_and_follow_the_seed():
    first, again, other = InitialValues(1), InitialValues(1), InitialValues(2)
    draws = [first.glorot_uniform(8, 8) for _ in range(2)]
    assert not np.array_equal(draws[0], draws[1])
    np.testing.assert_array_equal(draws[0], again.glorot_uniform(8, 8))
    assert not np.array_equal(draws[0], other.glorot_uniform(8, 8))
