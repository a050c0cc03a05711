from __future__ import annotations

from lang2program_tf.analysis.steps import reached_steps
from lang2program_tf.analysis.unknown_words import UnknownWords, WordCounts, unknown_words
from lang2program_tf.corpus.tokenizers import WhiteSpace
from lang2program_tf.language import get_domain
from tests.analysis.rows import four_lines

TANGRAMS = get_domain("tangrams")
VOCABULARY = frozenset({"remove", "the", "first", "swap", "last", "it"})


def found(**options: int) -> UnknownWords:
    return unknown_words(
        reached_steps(TANGRAMS, four_lines()), VOCABULARY, tokenizer=WhiteSpace(), **options
    )


def test_words_of_right_and_of_wrong_steps_are_counted_apart():
    # Right: "remove the first figure" twice, "swap the last two", "undo it".
    # Wrong: "remove the first figure" twice, "swap the last two".
    assert found(max_words=15) == UnknownWords(
        right=WordCounts(utterances=4, words=14, unknown=4, with_unknown=4, cut=0),
        wrong=WordCounts(utterances=3, words=12, unknown=3, with_unknown=3, cut=0),
        frequent=(("figure", 2), ("two", 1)),
    )


def test_words_that_the_parser_does_not_read_are_not_counted():
    assert found(max_words=3) == UnknownWords(
        right=WordCounts(utterances=4, words=11, unknown=1, with_unknown=1, cut=3),
        wrong=WordCounts(utterances=3, words=9, unknown=0, with_unknown=0, cut=3),
        frequent=(),
    )
