"""The executors agree on random programs; a bug would be found and shrunk."""

from __future__ import annotations

import numpy as np
import pytest

from lang2program_dev.fuzzing.fuzz import Budget, fuzz
from lang2program_tf.language import DOMAINS
from lang2program_tf.machine import get_machine
from tests.dev.fuzzing.broken_machines import BROKEN, BROKEN_IN_CROWDS

STEPS = 20_000


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(DOMAINS))
def test_the_executors_agree_on_20000_token_steps_that_reach_every_possible_outcome(name):
    report = fuzz(get_machine(name), budget=Budget(steps=STEPS), seed=0, batch=256)
    assert report.failures == []
    assert report.only_in_batch == []
    assert report.differences == 0
    assert report.steps >= STEPS
    assert report.coverage.unreached() == []
    assert report.coverage.contradictions() == []
    assert set(report.histories) == {0, 1, 2, 3, 4}


@pytest.mark.slow
@pytest.mark.parametrize("bug", sorted(BROKEN))
def test_a_bug_is_found_and_shrunk_to_a_small_case(bug):
    machine, token = BROKEN[bug]
    report = fuzz(machine, budget=Budget(steps=STEPS), seed=1, batch=128)
    assert report.differences > 0
    case = report.failures[0].case
    assert case.program[-1].name == token
    assert len(case.program) <= 7
    assert case.num_utterances <= 2
    assert len(str(case.world).replace("_", "")) <= len("1: 2: 3: 4: 5: 6: 7: 8: 9: 10:") + 2


@pytest.mark.slow
def test_a_difference_that_needs_company_is_reported_as_such():
    report = fuzz(BROKEN_IN_CROWDS, budget=Budget(steps=100), seed=0, batch=64)
    assert report.differences > 0
    assert report.failures == []
    assert report.only_in_batch[0].parts == ("outcome",)


@pytest.mark.slow
def test_a_seed_gives_the_same_run_again():
    first, again, other = (
        fuzz(get_machine("tangrams"), budget=Budget(steps=500), seed=seed, batch=32)
        for seed in (3, 3, 4)
    )
    np.testing.assert_array_equal(first.coverage.counts, again.coverage.counts)
    assert (first.steps, first.walks, first.histories) == (
        again.steps,
        again.walks,
        again.histories,
    )
    assert (first.coverage.counts != other.coverage.counts).any()


@pytest.mark.slow
def test_a_run_ends_when_its_time_is_over():
    report = fuzz(get_machine("tangrams"), budget=Budget(seconds=0.5), seed=0, batch=8)
    assert report.seconds >= 0.5
    assert report.steps > 0


@pytest.mark.parametrize("budget", [{}, {"steps": 1, "seconds": 1.0}])
def test_a_budget_is_of_steps_or_of_time(budget):
    with pytest.raises(ValueError, match="one must be given"):
        Budget(**budget)
