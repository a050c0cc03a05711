from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from lang2program_tf.corpus.perturb import KINDS, perturb
from lang2program_tf.corpus.scone import Example
from lang2program_tf.corpus.typos import Typos


def perturbed(kind: str, *utterances: str) -> tuple[str, ...]:
    (changed,) = perturb([Example("a", "1:2", utterances, "1:2", 0)], kind)
    assert changed._replace(utterances=utterances) == Example("a", "1:2", utterances, "1:2", 0)
    return changed.utterances


def test_utterances_get_a_full_stop_or_capitals_or_nothing():
    assert perturbed("period", "swap it ", "undo") == ("swap it.", "undo.")
    assert perturbed("capitals", "swap it") == ("SWAP IT",)
    assert perturbed("none", "swap it") == ("swap it",)


@pytest.mark.parametrize(("words", "commas"), [(1, 0), (2, 1), (7, 1), (8, 2), (20, 5)])
def test_commas_stand_behind_words_but_not_at_the_end(words, commas):
    (text,) = perturbed("commas", " ".join(["it"] * words))
    assert text.count(",") == commas
    assert text.replace(",", "").split() == ["it"] * words
    assert not text.endswith(",")


@given(some.lists(some.text("abcdef", min_size=1, max_size=8), min_size=1, max_size=6))
def test_one_word_of_three_letters_or_more_gets_one_slip(words):
    (text,) = perturbed("typo", " ".join(words))
    changed = [(old, new) for old, new in zip(words, text.split()) if old != new]
    assert len(text.split()) == len(words)
    assert len(changed) == any(len(word) >= 3 for word in words)
    for old, new in changed:
        assert Typos({old: 1}).meant(new) == old


def test_digits_and_signs_get_no_typo():
    assert perturbed("typo", "1/3 at 12345 don't") == ("1/3 at 12345 don't",)


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_utterance_is_changed_alike_in_every_example(kind):
    once = perturbed(kind, "swap the first")
    assert perturbed(kind, "undo", "swap the first", "swap the first")[1:] == once * 2


def test_chance_is_the_same_on_every_day():
    assert perturbed("commas", "swap the first") == ("swap, the first",)
    assert perturbed("typo", "swap the first") == ("swap toe first",)


def test_an_unknown_kind_is_named():
    with pytest.raises(ValueError, match="kind='colour' must be one of none, period"):
        perturb([], "colour")
