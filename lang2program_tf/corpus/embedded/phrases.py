"""Patterns of English: `[throw out*3|dump] {beaker}` is a weighted choice of words, and a slot."""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Union

_WEIGHT = re.compile(r"\*(\d+)$")
# "a orange hat", but "a one" and "a unit" are well.
_A_BEFORE_VOWEL = re.compile(r"\ba(?= (?!one\b)[aeio])")

ORDINALS = {
    1: "[first*4|1st]",
    2: "[second*4|2nd]",
    3: "[third*4|3rd]",
    4: "[fourth*4|4th]",
    5: "[fifth*4|5th]",
    6: "[sixth*4|6th]",
    7: "[seventh*4|7th]",
}
NUMBERS = {
    1: "[one*3|1]",
    2: "[two*3|2]",
    3: "[three*3|3]",
    4: "[four*3|4]",
    5: "[five*3|5]",
    6: "[six*3|6]",
    7: "[seven*3|7]",
    8: "[eight*3|8]",
    9: "[nine*3|9]",
    10: "[ten*3|10]",
}
AGAIN = "[again*4|once more|once again|one more time|another time]"
_OPENING = "[*60|first*3|to begin|to start with|first of all]"
_GOING_ON = (
    "[*70|then*10|then,|next*4|next,|now*5|after that|afterwards|and then|and|after this|"
    "subsequently|following this|okay]"
)
_ENDING = "[*35|finally*3|finally,|lastly|at last|in the end|to finish|then*4|now*2|next]"


class _Slot(NamedTuple):
    """A place to be filled."""

    name: str


class _Choice(NamedTuple):
    """Alternatives and their weights."""

    alternatives: tuple[_Sequence, ...]
    weights: tuple[int, ...]


_Part = Union[str, _Slot, _Choice]
_Sequence = tuple[_Part, ...]


@functools.cache
def _parse(pattern: str) -> _Sequence:
    parts, rest = _parse_sequence(pattern, 0)
    if rest != len(pattern):
        raise ValueError(f"pattern has a ] or | too many at {rest}: {pattern!r}")
    return parts


def _parse_sequence(pattern: str, start: int) -> tuple[_Sequence, int]:
    """Reads up to an unmatched `|` or `]`; gives the parts and where it stopped."""
    parts: list[_Part] = []
    position = start
    while position < len(pattern) and pattern[position] not in "|]":
        if pattern[position] == "[":
            choice, position = _parse_choice(pattern, position + 1)
            parts.append(choice)
        elif pattern[position] == "{":
            end = pattern.index("}", position)
            parts.append(_Slot(pattern[position + 1 : end]))
            position = end + 1
        else:
            end = position
            while end < len(pattern) and pattern[end] not in "[]{|":
                end += 1
            parts.append(pattern[position:end])
            position = end
    return tuple(parts), position


def _parse_choice(pattern: str, position: int) -> tuple[_Choice, int]:
    alternatives, weights = [], []
    while True:
        parts, position = _parse_sequence(pattern, position)
        weight = 1
        if parts and isinstance(parts[-1], str) and (found := _WEIGHT.search(parts[-1])):
            weight = int(found.group(1))
            parts = (*parts[:-1], parts[-1][: found.start()])
        alternatives.append(parts)
        weights.append(weight)
        if position == len(pattern):
            raise ValueError(f"pattern has a [ without ]: {pattern!r}")
        position += 1
        if pattern[position - 1] == "]":
            return _Choice(tuple(alternatives), tuple(weights)), position


def say(rng: random.Random, pattern: str, slots: Mapping[str, str]) -> str:
    """One of the texts that a pattern stands for; slots hold patterns themselves."""
    words: list[str] = []
    _say(rng, _parse(pattern), slots, words)
    return _A_BEFORE_VOWEL.sub("an", " ".join("".join(words).split()))


def _say(rng: random.Random, parts: _Sequence, slots: Mapping[str, str], words: list[str]) -> None:
    for part in parts:
        if isinstance(part, str):
            words.append(part)
        elif isinstance(part, _Slot):
            _say(rng, _parse(slots[part.name]), slots, words)
        else:
            chosen = rng.choices(part.alternatives, weights=part.weights)[0]
            _say(rng, chosen, slots, words)


def connective(turn: int, num_turns: int) -> str:
    """A pattern for the little words with which utterance `turn` (from 0) may begin."""
    if turn == 0:
        return _OPENING
    return _ENDING if turn == num_turns - 1 else _GOING_ON


class Phrase(NamedTuple):
    """A way to say something, and what it means.

    Attributes:
        pattern: of the words; its slots are filled by whoever says it.
        tokens: the program tokens that mean the same.
        weight: how often it is said, compared with other ways.
    """

    pattern: str
    tokens: tuple[str, ...]
    weight: float = 1.0


def choose(rng: random.Random, phrases: Sequence[Phrase]) -> Phrase:
    """One of the phrases, by weight."""
    return rng.choices(phrases, weights=[phrase.weight for phrase in phrases])[0]
