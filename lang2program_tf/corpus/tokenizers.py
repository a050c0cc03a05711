"""How an utterance becomes words: as in the original, or as people type them.

`lang2program_tf.serving.graph_tokenizers` does the same in the graph.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from typing import Protocol

from lang2program_tf.corpus.number_words import NUMBER_WORDS
from lang2program_tf.corpus.typos import Typos
from lang2program_tf.corpus.words import tokenize

# What stands between words and is none itself. No class of characters means the same to Python's
# and to TensorFlow's regular expressions, so these are named one by one; no white space is here.
_MARKS = (
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"  # controls
    r"!-/:-@\[-`{-~"  # ASCII
    "\u00a1-\u00bf\u00d7\u00f7\u0300-\u036f"  # Latin, combining accents
    "\u200b-\u2027\u202a-\u202e\u2030-\u205e\u2060-\u206f"  # quotation marks, dashes, dots
    "\u3001-\u303f\ufe00-\ufe0f\ufeff\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
)
# Each is a regular expression and what it is replaced by, in Python and in the graph.
APOSTROPHES = ("[\u2018\u2019\u02bc`\u00b4]", "'")
MARKS_AT_ENDS = (f"^[{_MARKS}]+|[{_MARKS}]+$", "")
HYPHENS = ("-", "")
# In this order: "don't" must not lose what makes it the contrary of "do".
SPLITTING = (("n't$", " not"), ("'(?:s|re|ll|ve|d|m)$", ""), (f"[{_MARKS}]+", " "))
SINGULARS = (("s$", ""), ("es$", ""), ("ies$", "y"))

# How many times more often a word must be seen than one with a vector that is taken for its typo.
_FAR_MORE_OFTEN = 400


class Tokenizer(Protocol):
    """Makes words of utterances."""

    def read(self, utterance: str) -> list[str]:
        """The words of an utterance; one that is not in the vocabulary is an unknown word."""


class WhiteSpace:
    """Splits on white space and lower-cases, as the original does: `hat,` is a word of its own."""

    def read(self, utterance: str) -> list[str]:
        """The words of an utterance."""
        return tokenize(utterance)


class KnownForms:
    """Splits words from punctuation, which it drops, and finds known forms of unknown words.

    A word that has a vector is taken as it is. Else it is read, whichever first makes it known,
    without hyphens (`hat-less`), in parts (`blue-hatted`, `orange/purple`, `man's`), as a number
    (`2nd`), as a plural, or as a typo of a word that was seen in training. Of the many words that
    have vectors some are mere typos here (`lft`): those that are one slip away from a word that
    was seen far more often are read as that word.

    Attributes:
        vocabulary: the words that have a vector.
        seen: how often each known word occurs in the training utterances.
        typos: of these words.
    """

    def __init__(self, vocabulary: Set[str], *, seen: Mapping[str, int]) -> None:
        self.vocabulary = vocabulary
        self.seen = dict(seen)
        self.typos = Typos(self.seen)

    def read(self, utterance: str) -> list[str]:
        """The words of an utterance; of nothing but punctuation, that punctuation."""
        text = _replace(APOSTROPHES, utterance.lower())
        parts = [part for piece in text.split() for part in self._split(piece).split()]
        return [self._form(word) for word in parts or text.split()]

    def _split(self, piece: str) -> str:
        bare = _replace(MARKS_AT_ENDS, piece)
        joined = _replace(HYPHENS, bare)
        for whole in (bare, joined):
            if whole in self.vocabulary:
                return whole
        for rule in SPLITTING:
            bare = _replace(rule, bare)
        return bare

    def _form(self, word: str) -> str:
        if word in self.vocabulary:
            return self._slip(word) or word
        for form in (NUMBER_WORDS.get(word, ""), *(_replace(rule, word) for rule in SINGULARS)):
            if form in self.vocabulary:
                return form
        return self.typos.meant(word) or word

    def slips(self) -> dict[str, str]:
        """The words with vectors that are taken for typos, and the words that they are read as."""
        found = {word: self._slip(word) for word in sorted(self.vocabulary)}
        return {word: meant for word, meant in found.items() if meant}

    def _slip(self, word: str) -> str | None:
        meant = self.typos.meant(word)
        often = _FAR_MORE_OFTEN * (1 + self.seen.get(word, 0))
        return meant if meant and self.seen[meant] > often else None


def count_seen(utterances: Iterable[str], vocabulary: Set[str]) -> dict[str, int]:
    """How often each known word occurs in training utterances, typos aside."""
    tokenizer = KnownForms(vocabulary, seen={})
    found = Counter(word for utterance in utterances for word in tokenizer.read(utterance))
    return {word: found[word] for word in sorted(found) if word in vocabulary}


def _replace(rule: tuple[str, str], text: str) -> str:
    pattern, replacement = rule
    return re.sub(pattern, replacement, text)
