from __future__ import annotations

import pytest

from lang2program_tf.corpus.tokenizers import KnownForms, WhiteSpace, count_seen
from lang2program_tf.corpus.words import WordVectors, load_word_vectors
from lang2program_tf.word_ids import UNKNOWN


@pytest.fixture(scope="module")
def words() -> WordVectors:
    return load_word_vectors()


@pytest.fixture(scope="module")
def forms(words: WordVectors) -> KnownForms:
    return KnownForms(words.vocabulary, seen={"purple": 5, "appears": 4, "shirt": 3})


def test_white_space_leaves_punctuation_where_it_is():
    assert WhiteSpace().read("The man's\that, ") == ["the", "man's", "hat,"]


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("The man in red leaves.", "the man in red leaves"),
        ("then, (now) he moves!?", "then now he moves"),
        ("removed\u0322 it \u2026", "removed it"),
        ("the “red” man", "the red man"),
        ("left,swap", "left swap"),
        ("orange/purple", "orange purple"),
        ("the hat-less man", "the hatless man"),
        ("blue-hatted", "blue hatted"),
        ("second-to-last", "second-to-last"),
        ("un-do", "undo"),
        ("the man's hat", "the man hat"),
        ("the man\u2019s hat, it's", "the man hat it"),
        ("the men' hats", "the men hats"),
        ("they're", "they"),
        ("don't move", "do not move"),
        ("2nd 2s 1/4ths", "2nd 2 1 4th"),
        ("leftmosts", "leftmost"),
        ("pruple shrt, apears", "purple shirt appears"),
        ("PRUPLE", "purple"),
    ],
)
def test_words_are_read_as_people_type_them(forms, typed, read):
    assert forms.read(typed) == read.split()


def test_a_word_with_a_vector_is_a_typo_only_of_a_word_seen_far_more_often(words):
    forms = KnownForms(words.vocabulary, seen={"hat": 401, "cat": 1, "hot": 0})
    assert forms.read("cat hot hst chat") == ["cat", "hat", "hat", "hat"]
    assert forms.slips()["hot"] == "hat"
    assert "cat" not in forms.slips()
    assert KnownForms(words.vocabulary, seen={"hat": 400}).read("hot") == ["hot"]


def test_a_number_is_read_as_its_word_where_only_that_has_a_vector(words):
    few = [i for i, word in enumerate(words.words) if word not in ("2nd", "3")]
    cut = WordVectors(
        tuple(words.words[i] for i in few), vectors=words.vectors[few], source=words.source
    )
    assert KnownForms(cut.vocabulary, seen={}).read("the 2nd 3 1st") == [
        "the",
        "second",
        "three",
        "1st",
    ]


def test_what_no_form_is_known_of_stays_as_it_is(forms, words):
    assert forms.read("the xyzzyx man") == ["the", "xyzzyx", "man"]
    assert words.lookup("xyzzyx") == UNKNOWN


def test_an_utterance_of_punctuation_alone_still_has_a_word(forms):
    assert forms.read("?! ...") == ["?!", "..."]
    assert forms.read("  ") == []


def test_seen_words_are_counted_as_they_are_read_and_unknown_ones_left_out(words):
    found = count_seen(["The man, the hat-less man.", "pruple xyzzyx"], words.vocabulary)
    assert found == {"hatless": 1, "man": 2, "the": 2}
