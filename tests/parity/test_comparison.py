from __future__ import annotations

import numpy as np
import pytest

from lang2program_tf.parity.comparison import Comparison, Tolerance


@pytest.fixture
def comparison() -> Comparison:
    return Comparison("model", "toy", tolerance=Tolerance(1e-3))


def test_nothing_compared_is_not_a_pass(comparison):
    assert not comparison.passed


def test_every_number_counts_and_the_largest_error_is_kept(comparison):
    comparison.close([1.0, 2.0, 3.0], [1.0, 2.0005, 3.0], "a")
    comparison.close(5.0, 5.0001, "b")
    assert comparison.passed
    assert comparison.values == 4
    assert comparison.largest_error == pytest.approx(5e-4)


def test_a_difference_says_where_what_was_expected_and_what_was_got(comparison):
    comparison.close([[1.0, 2.0]], [[1.0, 3.0]], "record 7,", "logits", labels=["red", "leave"])
    assert [str(d) for d in comparison.first] == [
        "record 7, logits [0, leave]: expected 2.0, got 3.0"
    ]
    assert not comparison.passed


@pytest.mark.parametrize(
    ("expected", "found"), [(1.0, np.nan), (np.nan, np.nan), (np.inf, 1.0), (-np.inf, np.inf)]
)
def test_numbers_that_are_not_finite_differ(comparison, expected, found):
    comparison.close(expected, found, "a")
    assert comparison.differences == 1
    assert not comparison.largest_error < 1


def test_the_same_infinity_is_equal(comparison):
    comparison.close([-np.inf], [-np.inf], "a")
    assert comparison.passed


def test_arrays_of_other_shapes_differ(comparison):
    comparison.close([1.0, 2.0], [1.0], "a")
    assert comparison.first[0].found == "shape (1,)"


def test_only_the_first_differences_are_kept_and_all_are_counted(comparison):
    comparison.close(np.zeros(1000), np.ones(1000), "a")
    comparison.same("x", "y", "b")
    assert comparison.differences == 1001
    assert len(comparison.first) == 5


def test_a_tolerance_may_grow_with_the_number():
    comparison = Comparison("beams", "toy", tolerance=Tolerance(1e-4, relative=1e-3))
    assert comparison.close([-100.0, 0.0], [-100.05, 0.00005], "a")
    assert not comparison.close([0.1], [0.1002], "a")


def test_a_tolerance_may_be_a_share_of_the_largest_number():
    comparison = Comparison("gradients", "toy", tolerance=Tolerance(1e-3, of_largest=True))
    assert comparison.close([-100.0, 0.0], [-100.0, 0.05], "a")
    assert not comparison.close([0.1, 0.0], [0.1, 0.05], "a")
