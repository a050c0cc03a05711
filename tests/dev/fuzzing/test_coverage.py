"""What was reached, what was not, and what cannot be."""

from __future__ import annotations

import numpy as np
import pytest

from lang2program_dev.fuzzing.coverage import Coverage, impossible_outcomes
from lang2program_tf.language import get_domain
from lang2program_tf.machine.state import FAILS, OUTCOMES, PRUNED


@pytest.mark.parametrize(
    "name, token, impossible",
    [
        ("scene", "3", "EFT"),
        ("alchemy", "1/1", "EFT"),
        ("tangrams", "allObjects", "EFT"),
        ("scene", "hasShirtHat", "XFT"),
        ("scene", "leftOf", "XFT"),
        ("tangrams", "index", "XFT"),
        ("scene", "prevArg2", "XFT"),
        ("scene", "prevArg3", "XFTU"),
        ("scene", "create", "XF"),
        ("scene", "move", ""),
        ("scene", "prevAction", "X"),
    ],
)
def test_some_outcomes_are_impossible(name, token, impossible):
    domain = get_domain(name)
    assert set(impossible_outcomes(domain, domain.token(token))) == set(impossible)


def test_counts_add_up():
    coverage = Coverage(get_domain("tangrams"))
    outcomes = np.zeros([3, 14], np.int32)
    outcomes[0, 2] = PRUNED
    coverage.add(outcomes)
    coverage.add(outcomes[:1])
    assert coverage.counts[2].tolist() == [2, 2, 0, 0, 0]
    assert coverage.counts[3].tolist() == [4, 0, 0, 0, 0]


def test_nothing_is_reached_at_first():
    coverage = Coverage(get_domain("scene"))
    unreached = coverage.unreached()
    assert coverage.contradictions() == []
    assert "create:T" in unreached and "create:X" not in unreached
    assert sum(pair.startswith("prevArg3:") for pair in unreached) == 1


def test_what_is_reached_though_held_to_be_impossible_is_a_contradiction():
    domain = get_domain("tangrams")
    coverage = Coverage(domain)
    coverage.add(np.full([1, len(domain.tokens)], FAILS, np.int32))
    numbers = ["-1", "1", "2", "3", "4", "5"]
    assert coverage.contradictions() == [f"{name}:E" for name in [*numbers, "allObjects"]]
    assert "add:E" not in coverage.unreached()


def test_the_table_shows_counts_and_marks_the_impossible():
    coverage = Coverage(get_domain("tangrams"))
    coverage.counts[coverage.domain.token_id(coverage.domain.token("add")), 0] = 1234
    lines = {line.split()[0]: line.split()[1:] for line in coverage.table().splitlines()}
    assert lines["token"] == list(OUTCOMES)
    assert lines["add"] == ["1,234", "0", "0", "0", "0"]
    assert lines["index"] == ["0", "-", "-", "-", "0"]


def test_every_impossible_outcome_has_a_reason():
    coverage = Coverage(get_domain("scene"))
    reasons = coverage.impossible_table()
    assert "  U of prevArg3: no command has so many arguments" in reasons.splitlines()
    assert "  XF of create: it pops all that a stack can hold" in reasons.splitlines()
