"""Words in the graph are those of training, whichever tokenizer it had."""

from __future__ import annotations

import functools

import tensorflow as tf
from hypothesis import example, given, settings
from hypothesis import strategies as some

from lang2program_tf.corpus.tokenizers import KnownForms, Tokenizer, WhiteSpace
from lang2program_tf.corpus.words import load_word_vectors
from lang2program_tf.serving.graph_text import WordTable
from lang2program_tf.serving.graph_tokenizers import graph_tokenizer

# Letters added to Unicode in the last years have no lower case in TensorFlow's tables yet.
CHARACTERS = some.characters(max_codepoint=0x2BFF, exclude_categories=["Cs"])
VECTORS = load_word_vectors()
TABLE = WordTable(VECTORS.words)
SEEN = {"the": 900, "man": 50, "purple": 30, "hat": 25, "moves": 20, "move": 19, "hatted": 2}
# Words of every kind that is read in a way of its own.
WORDS = some.one_of(
    some.sampled_from(["the", "man's", "it\u2019s", "don't", "Moves,", "(now)", "removed\u0322"]),
    some.sampled_from(["hat-less", "blue-hatted", "second-to-last", "left,swap", "''", "--"]),
    some.sampled_from(["2nd", "9ths", "10", "flies", "pruple", "puprles", "mvoe", "purplee"]),
    some.sampled_from(["teh", "he"]),
)


KNOWN_FORMS = KnownForms(VECTORS.vocabulary, seen=SEEN)


@functools.cache  # to make its tables takes longer than to read
def in_graph(tokenizer: Tokenizer):
    """The tokenizer as operations."""
    return graph_tokenizer(tokenizer, TABLE)


def both(tokenizer: Tokenizer, texts: list[str]) -> tuple[list[list[str]], list[list[str]]]:
    """The words in Python and in the graph, which has byte 1 for each zero byte."""
    found = in_graph(tokenizer).read(tf.constant(texts))
    words = [[word.decode() for word in row] for row in found.to_list()]
    expected = [tokenizer.read(text) for text in texts]
    return [[word.replace("\0", "\x01") for word in row] for row in expected], words


@settings(deadline=None, max_examples=25)  # many texts at once take no longer than one
@given(some.lists(some.text(CHARACTERS, max_size=30), min_size=10, max_size=30))
@example(["", " ", "The MAN\tin\u3000Red,  leaves ", "a\0b C", "ΑΣ ΑΣΑ", "İstanbul"])
def test_white_space_splits_the_same_words(texts):
    expected, found = both(WhiteSpace(), texts)
    assert found == expected


@settings(deadline=None, max_examples=50)
@given(
    some.lists(
        some.one_of(
            some.text(CHARACTERS, max_size=30),
            some.text("aehmnprtuv29s.,'-/ ", max_size=20),
            some.lists(WORDS, max_size=8).map(" ".join),
        ),
        min_size=10,
        max_size=30,
    )
)
@example(["", " ", "...", "' '", "a\0b C", "The man's hat-less; 2nd!", "ΑΣ, ΑΣΑ", "İstanbul"])
@example(["\0", "a\0", "\0, \0"])
@example(["x" * 30, "xthe", "teh", "th", "hte man", "<pad> <unk>", "purple" * 4, "s es ies"])
def test_known_forms_are_the_same_in_the_graph(texts):
    expected, found = both(KNOWN_FORMS, texts)
    assert found == expected


def test_without_seen_words_nothing_is_a_typo_in_the_graph():
    expected, found = both(KnownForms(VECTORS.vocabulary, seen={}), ["the pruple man", "mvoes."])
    assert found == expected == [["the", "pruple", "man"], ["mvoes"]]


@settings(deadline=None, max_examples=25)
@given(some.lists(some.text("aehmpnrtuolv", min_size=1, max_size=8), min_size=10, max_size=30))
def test_typos_are_found_in_the_graph_as_in_python(words):
    expected, found = both(KNOWN_FORMS, words)
    assert found == expected
