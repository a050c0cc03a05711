"""Utterances as other people would have typed them, to measure what a parser stands."""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Sequence

from lang2program_tf.corpus.scone import Example

_SEED = 0
# Of a word with a typo: a shorter one is often another word after it.
_MIN_LETTERS = 3
_WORDS_PER_COMMA = 4


def perturb(examples: Sequence[Example], kind: str) -> list[Example]:
    """The examples with changed utterances; an utterance is changed alike wherever it stands.

    Args:
        examples: the examples.
        kind: one of `KINDS`: `period` puts a full stop at the end of every utterance, `commas` puts
            a comma behind about one word in four, at least one, `capitals` writes it all in
            capitals, `typo` drops, adds, replaces or swaps a letter of one word, `none` changes
            nothing.
    """
    if kind not in KINDS:
        raise ValueError(f"kind={kind!r} must be one of {', '.join(KINDS)}")
    return [
        example._replace(utterances=tuple(_perturbed(text, kind) for text in example.utterances))
        for example in examples
    ]


def _perturbed(utterance: str, kind: str) -> str:
    # Seeding with a text gives the same numbers on every machine and with every Python.
    return _CHANGES[kind](utterance, random.Random(f"{_SEED} {kind} {utterance}"))


def _period(utterance: str, chance: random.Random) -> str:
    return f"{utterance.rstrip()}."


def _commas(utterance: str, chance: random.Random) -> str:
    words = utterance.split()
    places = range(len(words) - 1)  # none at the end
    count = min(len(places), max(1, len(words) // _WORDS_PER_COMMA))
    for place in chance.sample(places, count):
        words[place] += ","
    return " ".join(words)


def _capitals(utterance: str, chance: random.Random) -> str:
    return utterance.upper()


def _typo(utterance: str, chance: random.Random) -> str:
    words = utterance.split()
    places = [
        place
        for place, word in enumerate(words)
        if len(word) >= _MIN_LETTERS and word.isascii() and word.isalpha()
    ]
    if not places:
        return utterance
    place = chance.choice(places)
    words[place] = _slip(words[place], chance)
    return " ".join(words)


def _slip(word: str, chance: random.Random) -> str:
    """The word with one letter missing, added, wrong, or in its neighbor's place."""
    while True:
        place = chance.randrange(len(word))
        letter = chance.choice(string.ascii_lowercase)
        before, after = word[:place], word[place + 1 :]
        slips = (
            before + after,
            before + letter + word[place:],
            before + letter + after,
            before + after[:1] + word[place] + after[1:],
        )
        slip = chance.choice(slips)
        if slip != word:
            return slip


def _none(utterance: str, chance: random.Random) -> str:
    return utterance


_CHANGES: dict[str, Callable[[str, random.Random], str]] = {
    "none": _none,
    "period": _period,
    "commas": _commas,
    "capitals": _capitals,
    "typo": _typo,
}
KINDS = tuple(_CHANGES)
