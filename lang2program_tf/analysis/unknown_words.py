"""Words that the parser does not know, where it is right and where it is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from lang2program_tf.analysis.steps import Step
from lang2program_tf.corpus.tokenizers import Tokenizer


class WordCounts(NamedTuple):
    """Counts over some utterances; only words that the parser reads are counted.

    Attributes:
        utterances: how many.
        words: all words, as often as they occur.
        unknown: those that are not in the vocabulary.
        with_unknown: utterances with an unknown word.
        cut: utterances whose end the parser does not read.
    """

    utterances: int
    words: int
    unknown: int
    with_unknown: int
    cut: int


class UnknownWords(NamedTuple):
    """What `unknown_words` finds.

    Attributes:
        right: of the utterances of right steps.
        wrong: of those of wrong steps.
        frequent: the unknown words of wrong steps and how often they occur, most frequent first.
    """

    right: WordCounts
    wrong: WordCounts
    frequent: tuple[tuple[str, int], ...]


def unknown_words(
    steps: Sequence[Step], vocabulary: Collection[str], *, tokenizer: Tokenizer, max_words: int
) -> UnknownWords:
    """Counts unknown words.

    Args:
        steps: whose utterances are read.
        vocabulary: the words that the parser knows.
        tokenizer: makes its words of utterances.
        max_words: where it cuts an utterance.
    """
    right = [tokenizer.read(step.utterance) for step in steps if step.right]
    wrong = [tokenizer.read(step.utterance) for step in steps if not step.right]
    missing = Counter(
        word for words in wrong for word in words[:max_words] if word not in vocabulary
    )
    return UnknownWords(
        right=_count(right, vocabulary, max_words),
        wrong=_count(wrong, vocabulary, max_words),
        frequent=tuple(sorted(missing.items(), key=lambda item: (-item[1], item[0]))),
    )


def _count(
    utterances: Sequence[Sequence[str]], vocabulary: Collection[str], max_words: int
) -> WordCounts:
    read = [words[:max_words] for words in utterances]
    unknown = [sum(word not in vocabulary for word in words) for words in read]
    return WordCounts(
        utterances=len(read),
        words=sum(map(len, read)),
        unknown=sum(unknown),
        with_unknown=sum(count > 0 for count in unknown),
        cut=sum(len(words) > max_words for words in utterances),
    )
