from __future__ import annotations

import json

import numpy as np
import pytest

from lang2program_tf.parity.comparison import Comparison, Tolerance
from lang2program_tf.parity.report import exit_code, report_json, report_text


def comparison(*, differs=False, problem=None, values=3) -> Comparison:
    made = Comparison("model", "toy", tolerance=Tolerance(1e-3))
    made.close(np.zeros(values), np.full(values, 1.0 if differs else 1e-4), "logits")
    made.problem = problem
    return made


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ([{}], 0),
        ([{}, {"differs": True}], 1),
        ([{}, {"problem": "truncated"}], 2),
        ([{"problem": "truncated"}, {"differs": True}], 1),
        ([{}, {"values": 0}], 2),
    ],
)
def test_exit_codes(options, code):
    comparisons = [comparison(**o) for o in options]
    assert exit_code(comparisons) == code
    assert report_json(comparisons)["passed"] == (code == 0)


def test_a_recording_without_values_is_not_a_pass():
    assert "model, toy: not compared: it holds no value" in report_text([comparison(values=0)])


def test_differences_problems_notes_and_near_ties_are_told():
    noted = comparison()
    noted.notes.append("a part is left out")
    noted.near_ties = 4
    text = report_text([noted, comparison(differs=True), comparison(problem="truncated")])
    assert "note: a part is left out" in text
    assert "near-ties: programs" in text
    assert "model, toy: 3 of 3 values differ" in text
    assert "  logits [0]: expected 0.0, got 1.0" in text
    assert "model, toy: not compared: truncated" in text
    assert text.endswith("3 of 9 values differ; 1 recordings could not be compared")


def test_json_stays_json_whatever_the_numbers_are():
    broken = Comparison("model", "toy", tolerance=Tolerance(1e-3))
    broken.close([1.0, 2.0], [np.nan, np.inf], "logits")
    broken.same({"b", "a"}, None, "fields")
    text = json.dumps(report_json([broken]), allow_nan=False)
    (found,) = json.loads(text)["comparisons"]
    assert found["largest_error"] == "nan"
    assert [d["found"] for d in found["first_differences"]] == ["nan", "inf", None]
    assert found["first_differences"][2]["expected"] == ["a", "b"]
