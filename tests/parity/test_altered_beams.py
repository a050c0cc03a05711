"""A recorded beam or prediction that was altered by one value is caught, whatever it is."""

from __future__ import annotations

import pytest

from lang2program_tf.parity.registry import SECTIONS, find_checks
from tests.parity.altered import SMALL, altered, differences


def test_the_small_copy_agrees_in_every_section(folder):
    checks = find_checks(folder)
    assert {check.section for check in checks} == set(SECTIONS)
    for check in checks:
        assert all(comparison.passed for comparison in check.run()), check.name


def change_program(records):
    tokens = records[0]["top32"][3]["decisions"]
    tokens[1] = "1" if tokens[1] != "1" else "2"


def change_last_program(records):
    tokens = records[0]["top32"][-1]["decisions"]
    tokens[1] = "1" if tokens[1] != "1" else "2"


def change_prefix(records):
    live = records[0]["beam_steps"][2]["unterminated"]
    live[1][0] = live[1][0].replace(live[1][0].split()[0], "5", 1)


def swap_programs(records):
    """Ranks 3 and 6, whose scores are clearly different."""
    top = records[0]["top32"]
    assert top[3]["log_prob"] - top[6]["log_prob"] > SMALL
    top[3], top[6] = top[6], top[3]


def drop_program(records):
    del records[0]["top32"][5]


def change_in_program(field, value):
    return lambda records: records[0]["top32"][2].__setitem__(field, value(records[0]["top32"][2]))


BEAMS = {
    "a token of a program": change_program,
    "a token of the last program": change_last_program,
    "a log-probability": change_in_program("log_prob", lambda p: p["log_prob"] - SMALL),
    "a part of a log-probability": lambda records: records[0]["top32"][2][
        "decision_log_probs"
    ].__setitem__(1, -2.0),
    "a final world": change_in_program("world", lambda p: p["world"] + " "),
    "a reward": change_in_program("correct", lambda p: not p["correct"]),
    "the order of programs": swap_programs,
    "a program that is missing": drop_program,
    "the number of programs": lambda records: records[1].__setitem__(
        "n_terminated", records[1]["n_terminated"] + 1
    ),
    "a live prefix": change_prefix,
    "the score of a live prefix": lambda records: records[0]["beam_steps"][2]["unterminated"][
        0
    ].__setitem__(1, -9.0),
    "the number of programs on the way": lambda records: records[0]["beam_steps"][4].__setitem__(
        "n_terminated", 77
    ),
    "an iteration on the way": lambda records: records[0]["beam_steps"][-1].update(iteration=36),
    "the iterations": lambda records: records[1].__setitem__("batch_num_iterations", 28),
}


@pytest.mark.slow
@pytest.mark.parametrize("change", BEAMS.values(), ids=BEAMS)
def test_a_beam(folder, change):
    with altered(folder.path / "beams.tangrams.stack.step150.jsonl.gz", change):
        assert differences(folder, "beams", "tangrams.stack.step150")


PREDICTIONS = {
    "a token": lambda records: records[0]["prediction"].__setitem__(1, "9"),
    "no program": lambda records: records[0].update(prediction=None),
    "the log-probability": lambda records: records[0].update(log_prob=-6.5),
    "the final world": lambda records: records[0].update(world=records[0]["answer"]),
    "the reward": lambda records: records[0].update(correct=not records[0]["correct"]),
    "the number of programs": lambda records: records[0].update(n_terminated=3),
}


@pytest.mark.slow
@pytest.mark.parametrize("change", PREDICTIONS.values(), ids=PREDICTIONS)
def test_a_prediction(folder, change):
    with altered(folder.path / "checkpoint" / "dev_predictions.jsonl.gz", change):
        assert differences(folder, "checkpoint", "checkpoint")
