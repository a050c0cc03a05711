from __future__ import annotations

import pytest

from lang2program_dev.benchmarks.against import summary


def turn(*seconds: float, examples: object = 0) -> dict[str, object]:
    return {"seconds": seconds, "examples": examples, "amounts": {"solved": 0.5}, "peak_mb": 7.0}


def test_the_ratio_is_the_median_over_turns_so_that_a_noisy_one_does_not_matter():
    this = [turn(1, 2), turn(1, 1), turn(2, 3), turn(100, 100)]
    found = summary({"this": this, "against": [turn(2, 4), turn(2, 2), turn(5, 5), turn(1, 1)]})
    assert found["ratio"] == {"median": 0.5, "quartiles": [0.5, pytest.approx(25.375)]}
    assert found["ms"] == {"this": 2000.0, "against": 2000.0}
    assert found["amounts"] == {"solved": {"this": 0.5, "against": 0.5}}


def test_other_examples_are_noticed():
    same = {"this": [turn(1, examples=[1, 2])], "against": [turn(1, examples=[1, 2])]}
    assert summary(same)["same_examples"]
    same["against"] = [turn(1, examples=[1, 3])]
    assert not summary(same)["same_examples"]
