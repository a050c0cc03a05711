from __future__ import annotations

import pytest

from lang2program_tf.corpus.embedded.load import load_embedded
from lang2program_tf.corpus.embedded.spuriousness import (
    NUM_WORLDS,
    Spuriousness,
    compare_meaning,
    same_meaning,
    spurious_share,
)
from lang2program_tf.corpus.scone import Example

LAST = "allObjects -1 index 1/1 drain"
SEVENTH = "allObjects 7 index 1/1 drain"
RED = "red hasColor 1/1 drain"
EXAMPLE = Example(
    "a",
    world="1:_ 2:_ 3:_ 4:_ 5:g 6:_ 7:r",
    utterances=("throw out the red one",),
    target="1:_ 2:_ 3:_ 4:_ 5:g 6:_ 7:_",
    line=0,
    gold_programs=(tuple(RED.split()),),
)


def test_programs_that_always_agree_mean_the_same():
    comparison = compare_meaning("alchemy", LAST.split(), SEVENTH.split(), seed=0)
    assert comparison == (True, NUM_WORLDS)


@pytest.mark.parametrize("predicted", [LAST, "red hasColor 1 drain", "red hasColor"])
def test_programs_that_disagree_somewhere_do_not(predicted):
    assert not same_meaning("alchemy", RED.split(), predicted.split(), seed=0)


def test_a_prediction_that_fails_where_gold_runs_disagrees():
    assert not same_meaning("alchemy", SEVENTH.split(), RED.split(), seed=0)


def test_a_gold_program_that_never_runs_says_on_how_many_worlds_it_was_tried():
    never = "allObjects 1 index allObjects 1 index pour"
    assert compare_meaning("alchemy", never.split(), RED.split(), seed=0) == (True, 0)


def test_programs_over_several_utterances_are_compared():
    gold = "allObjects 1 index remove 1 -1 prevArg1 add"
    assert same_meaning("tangrams", gold.split(), gold.split(), seed=0)
    other = "allObjects 1 index remove -1 -1 prevArg1 add"
    assert not same_meaning("tangrams", gold.split(), other.split(), seed=0)


def test_a_right_world_by_another_meaning_is_spurious():
    predictions = [RED.split(), LAST.split()]
    assert spurious_share("alchemy", [EXAMPLE] * 2, predictions) == Spuriousness(
        share=0.5, spurious=1, measured=2, few_worlds=0
    )


def test_wrong_worlds_missing_programs_and_missing_gold_are_not_measured():
    examples = [EXAMPLE, EXAMPLE, EXAMPLE._replace(gold_programs=None)]
    predictions = [["green", "hasColor", "1/1", "drain"], None, LAST.split()]
    assert spurious_share("alchemy", examples, predictions) == Spuriousness(0.0, 0, 0, 0)


def test_each_example_needs_a_prediction():
    with pytest.raises(ValueError, match="predictions must be 1, got 0"):
        spurious_share("alchemy", [EXAMPLE], [])


@pytest.mark.parametrize("domain", ["alchemy", "scene", "tangrams"])
def test_gold_programs_are_not_spurious_and_mostly_run_elsewhere(domain):
    examples = load_embedded(domain, split="test", test_lines=5)
    programs = [[token for command in e.gold_programs for token in command] for e in examples]
    assert spurious_share(domain, examples, programs).spurious == 0
    short = [program for e, program in zip(examples, programs) if len(e.utterances) <= 2]
    for program in short:
        assert compare_meaning(domain, program, program, seed=0).num_worlds == NUM_WORLDS
