"""What is a near-tie, and what is a difference."""

from __future__ import annotations

import numpy as np
import pytest

from lang2program_tf.language import State, get_domain
from lang2program_tf.parity import ranked_programs
from lang2program_tf.parity.beam_records import BEAM_SIZE, FoundBeam
from lang2program_tf.parity.comparison import Comparison
from lang2program_tf.parity.path_scores import Path
from lang2program_tf.parity.ranked_programs import TOLERANCE, RankedPrograms

HALF = TOLERANCE.absolute / 2
# A full beam of prefixes of two tokens whose last score is −40; beside it ends another program.
LAST = ("1", str(BEAM_SIZE - 1))
LIVE = {("1", str(i)): -1.0 - i for i in range(BEAM_SIZE - 1)} | {LAST: -40.0}
FALLEN = ("2", "2")


@pytest.fixture
def our_scores(monkeypatch) -> dict:
    """The log-probabilities of each token that our parser gives to programs."""
    scores: dict = {}

    def score_paths(parser, domain, record, paths, *, words):
        state = State(get_domain("tangrams").parse_world("1:0"))
        return [
            Path(np.array(scores[path], np.float32), state) if path in scores else None
            for path in paths
        ]

    monkeypatch.setattr(ranked_programs, "score_paths", score_paths)
    return scores


def compare(recorded, found, live=({("1",): -0.5, ("2",): -0.6}, LIVE)):
    comparison = Comparison("beams", "toy", tolerance=TOLERANCE)
    beam = FoundBeam(num_complete=[], programs=[], live=list(live))
    ranked = RankedPrograms(
        comparison, {}, beam, parser=None, domain=get_domain("tangrams"), words=None
    )
    ranked.compare(list(recorded.items()), found, "iteration 2")
    return comparison, ranked


def test_equal_lists_have_neither_near_ties_nor_differences():
    comparison, ranked = compare(LIVE, LIVE)
    assert (comparison.differences, comparison.near_ties) == (0, 0)
    assert comparison.values > BEAM_SIZE
    assert not ranked.diverged


def test_programs_of_nearly_equal_score_may_change_places():
    comparison, ranked = compare({"a": -1.0, "b": -1.0 - HALF}, {"b": -1.0, "a": -1.0})
    assert (comparison.differences, comparison.near_ties) == (0, 2)
    assert not ranked.diverged


def test_other_programs_may_not():
    comparison, _ = compare({"a": -1.0, "b": -1.1}, {"b": -1.1, "a": -1.0})
    assert comparison.differences == 2


def test_a_score_beyond_the_tolerance_is_a_difference():
    comparison, _ = compare({"a": -1.0}, {"a": -1.0 - 3 * HALF})
    assert comparison.differences == 1


def recorded_with_fallen(score=-40.0):
    recorded = dict(LIVE)
    del recorded[LAST]
    return recorded | {FALLEN: score}


def test_a_prefix_that_just_fell_off_the_beam_is_a_near_tie(our_scores):
    our_scores[FALLEN] = [-20.0, -20.0 - HALF]
    comparison, ranked = compare(recorded_with_fallen(), LIVE)
    assert (comparison.differences, comparison.near_ties) == (0, 1)
    assert ranked.diverged


def test_a_prefix_that_should_have_stayed_is_a_difference(our_scores):
    our_scores[FALLEN] = [-20.0, -19.0]
    comparison, _ = compare(recorded_with_fallen(-39.0), LIVE)
    assert comparison.differences > 0


def test_a_prefix_with_another_score_than_recorded_is_a_difference(our_scores):
    our_scores[FALLEN] = [-20.0, -20.5]
    comparison, _ = compare(recorded_with_fallen(), LIVE)
    assert comparison.differences == 1


def test_a_prefix_that_does_not_run_is_a_difference(our_scores):
    comparison, _ = compare(recorded_with_fallen(), LIVE)
    assert comparison.differences == 1


def test_nothing_falls_off_a_beam_that_is_not_full(our_scores):
    our_scores[FALLEN] = [-20.0, -20.0]
    found = {program: score for program, score in list(LIVE.items())[1:]}
    recorded = recorded_with_fallen()
    del recorded["1", "0"]
    comparison, _ = compare(recorded, found, live=({}, found))
    assert comparison.differences > 0


def test_after_a_near_tie_numbers_of_programs_may_differ(our_scores):
    our_scores[FALLEN] = [-20.0, -20.0]
    comparison, ranked = compare(recorded_with_fallen(), LIVE)
    ranked.count(3, 4, "n_terminated")
    assert (comparison.differences, comparison.near_ties) == (0, 2)


def test_without_one_they_may_not():
    comparison, ranked = compare(LIVE, LIVE)
    ranked.count(3, 4, "n_terminated")
    assert comparison.differences == 1
