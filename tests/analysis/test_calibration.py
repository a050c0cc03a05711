from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lang2program_tf.analysis.calibration import (
    calibration,
    calibration_picture,
    expected_calibration_error,
)
from lang2program_tf.corpus.scone import Example
from lang2program_tf.learning.evaluation import Prediction

EXAMPLE = Example("line-1:1-1", "1:0", ("remove it",), "", 0)
outcomes = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=50)


def predicted(probability: float, correct: bool) -> Prediction:
    log_prob = math.log(probability) if probability > 0 else -math.inf
    return Prediction(EXAMPLE, ("x",), log_prob, "", correct, 1, int(correct), 0.0)


def test_predictions_fall_into_ten_bins():
    bins = calibration([predicted(p, p > 0.5) for p in (0.0, 0.04, 0.55, 0.58, 0.91, 1.0)])
    assert [one.examples for one in bins] == [2, 0, 0, 0, 0, 2, 0, 0, 0, 2]
    assert [one.right for one in bins] == [0, 0, 0, 0, 0, 2, 0, 0, 0, 2]
    assert bins[0].probability == pytest.approx(0.02)
    assert (bins[5].low, bins[5].high, bins[5].accuracy) == (0.5, 0.6, 1.0)


def test_the_error_is_the_mean_gap_weighted_by_examples():
    # Three at 0.8 of which two are right, one at 0.3 which is right: (3 · |2/3 − 0.8| + 0.7) / 4.
    bins = calibration([predicted(0.8, right) for right in (True, True, False)])
    assert expected_calibration_error(bins) == pytest.approx(0.8 - 2 / 3)
    both = calibration([*(predicted(0.8, r) for r in (True, True, False)), predicted(0.3, True)])
    assert expected_calibration_error(both) == pytest.approx((3 * (0.8 - 2 / 3) + 0.7) / 4)


@given(outcomes=outcomes)
def test_no_prediction_is_lost_and_each_is_in_its_bin(outcomes):
    bins = calibration([predicted(*outcome) for outcome in outcomes])
    assert sum(one.examples for one in bins) == len(outcomes)
    assert sum(one.right for one in bins) == sum(right for _, right in outcomes)
    for one in bins:
        if one.examples:
            assert one.low - 1e-6 <= one.probability <= one.high + 1e-6
    assert 0 <= expected_calibration_error(bins) <= 1


def test_nothing_has_no_error():
    assert expected_calibration_error(calibration([])) == 0.0


def test_the_picture_is_a_png():
    picture = calibration_picture(calibration([predicted(0.8, True)]), "tangrams")
    assert picture.startswith(b"\x89PNG") and len(picture) > 5000
