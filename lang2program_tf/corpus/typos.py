"""Words that are one slip of the finger away from words seen in training."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

# Of what may be a typo, and of what it may stand for. Two letters are one slip from too much.
TYPED = re.compile(r"[a-z]{2,20}")
MAX_LETTERS = 20
_SEEN = re.compile(r"[a-z]{3,20}")
# Keys of three kinds share one table: a whole word, a word without a letter, and a word with a
# letter left open. No word holds either mark.
WHOLE, OPEN = "=", "?"


class Typos:
    """Finds seen words by keys, so that a typo is found without comparing it with every word.

    A typo lacks a letter, has one too many, a wrong one, or two neighbors in the wrong order.

    Attributes:
        seen: the words that can be meant, the most frequent first.
        ranks: for each key the place in `seen` of the most frequent word that has it.
    """

    def __init__(self, counts: Mapping[str, int]) -> None:
        """`counts` tells how often each word was seen in training."""
        by_count = sorted(counts, key=lambda word: (-counts[word], word))
        self.seen = tuple(word for word in by_count if _SEEN.fullmatch(word))
        self.ranks: dict[str, int] = {}
        for rank, word in enumerate(self.seen):
            for key in _keys_of_seen(word):
                self.ranks.setdefault(key, rank)

    def meant(self, word: str) -> str | None:
        """The most frequent seen word that `word` is a typo of, None if there is none."""
        if not TYPED.fullmatch(word):
            return None
        found = [self.ranks[key] for key in _keys_of_typed(word) if key in self.ranks]
        return self.seen[min(found)] if found else None


def _keys_of_seen(word: str) -> Iterator[str]:
    yield WHOLE + word
    for place in range(len(word)):
        before, after = word[:place], word[place + 1 :]
        yield before + after  # a typo that lacks a letter
        yield before + OPEN + after  # one with a wrong letter


def _keys_of_typed(word: str) -> Iterator[str]:
    yield word
    for place, letter in enumerate(word):
        before, after = word[:place], word[place + 1 :]
        yield before + OPEN + after
        yield WHOLE + before + after
        yield WHOLE + before + after[:1] + letter + after[1:]
