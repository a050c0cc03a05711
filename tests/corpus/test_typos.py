from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as some

from lang2program_tf.corpus.typos import Typos

TYPOS = Typos({"purple": 9, "moves": 5, "move": 4, "leave": 3, "red": 2, "in": 80, "2nd": 70})
LETTERS = some.sampled_from(string.ascii_lowercase)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("purpl", "purple"),
        ("urple", "purple"),
        ("purpple", "purple"),
        ("purplex", "purple"),
        ("pruple", "purple"),
        ("purpel", "purple"),
        ("pxrple", "purple"),
        ("rd", "red"),
    ],
)
def test_a_slip_of_one_letter_is_found(typed, meant):
    assert TYPOS.meant(typed) == meant


@pytest.mark.parametrize(
    "typed", ["prple" * 2, "prupel", "urpl", "r", "i", "xn", "3nd", "", "lea-e", "purplé"]
)
def test_what_is_two_slips_away_or_too_short_or_no_word_of_letters_is_not(typed):
    assert TYPOS.meant(typed) is None


def test_of_several_words_the_one_seen_most_is_meant():
    assert TYPOS.meant("movs") == "moves"
    assert Typos({"moves": 4, "move": 5}).meant("movs") == "move"
    assert Typos({"hat": 4, "had": 4}).meant("hax") == "had"


@given(some.sampled_from(["purple", "moves", "leave"]), some.data())
def test_every_slip_in_a_seen_word_finds_a_seen_word_one_slip_away(word, data):
    place = data.draw(some.integers(0, len(word) - 1))
    letter = data.draw(LETTERS)
    slips = [
        word[:place] + word[place + 1 :],
        word[:place] + letter + word[place:],
        word[:place] + letter + word[place + 1 :],
        word[:place] + word[place : place + 2][::-1] + word[place + 2 :],
    ]
    for slip in slips:
        if slip != word:
            assert TYPOS.meant(slip) in {word, "moves", "move"}
