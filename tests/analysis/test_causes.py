"""Why interactions are lost."""

from __future__ import annotations

import pytest

from lang2program_tf.analysis.causes import ALONE, CAUSES, EARLIER, NOISE, PRONOUN, WORDS, causes
from lang2program_tf.analysis.steps import reached_steps
from lang2program_tf.corpus.tokenizers import WhiteSpace
from lang2program_tf.language import get_domain
from lang2program_tf.learning.evaluation import Prediction
from tests.analysis.interactions import predictions
from tests.analysis.rows import ROW, WITHOUT_FIRST, four_lines

TANGRAMS = get_domain("tangrams")
KNOWN = frozenset(
    ["remove", "the", "first", "figure", "it", "again", "swap", "last", "two", "undo"]
)


def counted(found: list[Prediction], known: frozenset[str] = KNOWN) -> dict[str, tuple[int, int]]:
    steps = reached_steps(TANGRAMS, found)
    counts = causes(TANGRAMS, steps, found, vocabulary=known, tokenizer=WhiteSpace())
    assert tuple(counts) == CAUSES
    return {cause: (count.steps, count.found) for cause, count in counts.items() if count.steps}


def wrong(utterance: str, target: str, *, num_rewarded: int = 0) -> list[Prediction]:
    """A line of one sentence, for which the last piece is removed."""
    return predictions(
        "tangrams",
        worlds=(ROW, target),
        utterances=(utterance,),
        commands=["allObjects -1 index remove"],
        num_rewarded=num_rewarded,
    )


@pytest.mark.parametrize(
    ("utterance", "target", "cause"),
    [
        ("remove the first figure", WITHOUT_FIRST, ALONE),
        ("remove it", WITHOUT_FIRST, PRONOUN),
        ("remove it again", WITHOUT_FIRST, EARLIER),
        ("obliterate it again", WITHOUT_FIRST, WORDS),
        (" ".join(["the"] * TANGRAMS.max_words + ["first"]), WITHOUT_FIRST, WORDS),
        # Two pieces are gone at once, which nobody can say in one command.
        ("obliterate it again", "1:2", NOISE),
    ],
)
def test_a_lost_step_has_the_first_cause_that_applies(utterance: str, target: str, cause: str):
    assert counted(wrong(utterance, target)) == {cause: (1, 0)}


def test_it_is_told_whether_the_target_was_found():
    found = wrong("remove the first figure", WITHOUT_FIRST, num_rewarded=2)
    assert counted(found) == {ALONE: (1, 1)}


def test_each_lost_interaction_counts_once():
    assert counted(four_lines()) == {ALONE: (3, 1)}
