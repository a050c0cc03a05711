from __future__ import annotations

import random
from collections import Counter

import pytest

from lang2program_tf.corpus.embedded.phrases import Phrase, choose, connective, say


def texts(pattern: str, **slots: str) -> Counter[str]:
    """400 sayings of a pattern."""
    rng = random.Random(0)
    return Counter(say(rng, pattern, slots) for _ in range(400))


def test_a_pattern_without_choices_says_itself():
    assert set(texts("throw it out")) == {"throw it out"}


def test_every_alternative_is_said_at_times():
    assert set(texts("[mix|stir [it|that]] well")) == {"mix well", "stir it well", "stir that well"}


def test_a_weight_makes_an_alternative_more_frequent():
    said = texts("[often*9|seldom]")
    assert 0.85 < said["often"] / 400 < 0.95


def test_an_empty_alternative_leaves_no_blanks():
    assert set(texts("a [|b] c")) == {"a c", "a b c"}


def test_a_slot_holds_a_pattern():
    assert set(texts("the {noun}", noun="[jar|{size} cup]", size="big")) == {
        "the jar",
        "the big cup",
    }


def test_a_missing_slot_is_an_error():
    with pytest.raises(KeyError, match="noun"):
        texts("the {noun}")


@pytest.mark.parametrize("pattern", ["[a|b", "a]", "a|b"])
def test_unbalanced_brackets_are_an_error(pattern):
    with pytest.raises(ValueError, match="pattern"):
        texts(pattern)


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("a orange hat", "an orange hat"),
        ("a red hat", "a red hat"),
        ("a one", "a one"),
        ("a unit of a item", "a unit of an item"),
        ("extra eggs", "extra eggs"),
    ],
)
def test_a_becomes_an_before_a_vowel(pattern, said):
    assert set(texts(pattern)) == {said}


def test_most_utterances_begin_without_a_connective():
    for turn in range(5):
        said = texts(connective(turn, 5))
        assert 0.5 < said[""] / 400 < 1


def test_a_phrase_is_chosen_by_its_weight():
    rng = random.Random(0)
    never, always = Phrase("never", (), 0.0), Phrase("always", (), 1.0)
    assert {choose(rng, [never, always]) for _ in range(50)} == {always}
