"""How a sentence, or a command, refers to things: by place, by property, by what went before.

Sentences are classed by word lists alone, so that the class of a failure does not depend on what
was predicted. The lists are crude: `that` is taken for a pronoun, whatever it stands for.
"""

from __future__ import annotations

import re

from lang2program_tf.language import Kind
from lang2program_tf.language.infix import InfixCommand

NONE = "none of these"

_ORDINALS = (
    "first|second|third|fourth|forth|fifth|sixth|seventh|eighth|ninth|tenth|"
    r"\d+(?:st|nd|rd|th)|last|final|leftmost|rightmost|(?:left|right) most|middle|center|centre|"
    "end|front|furthest|farthest|far (?:left|right)|extreme|"
    "(?:figure|item|object|beaker)s? (?:one|two|three|four|five)"
)
# A number is a place (`beaker 6`), but not before a unit (`2 units`) or after a step (`step 2`).
_NUMERAL = r"(?<!step )(?<!steps )\d+(?! (?:unit|part|portion|space|step))"
_SENTENCES = {
    "place": rf"(?:{_ORDINALS}|{_NUMERAL})",
    "property": "red|orange|yellow|green|blue|purple|violet|brown|(?:no|without) (?:a )?hat",
    "neighbour": (
        "(?:left|right|side|front) of|next to|beside|between|(?:his|her|its|their) (?:left|right)|"
        "(?:space|step)s? (?:to|towards?)|towards?|closer|near|past|after|before"
    ),
    "pronoun": (
        "it|its|itself|he|his|him|himself|she|her|they|them|their|that|this|those|these|both|each"
    ),
    "earlier step": (
        "again|same|back|undo|redo|repeat|repeats|reverse|previous|previously|earlier|original|"
        rf"initial|initially|steps? (?:\d+|one|two|three|four|five)|(?:{_ORDINALS}) step|removed|"
        "deleted|took|added|swapped|switched|poured|moved|appeared|just|returns?|too|as well|also|"
        "another|other|remaining|remained|rest"
    ),
}
_PATTERNS = {name: re.compile(rf"\b(?:{words})\b") for name, words in _SENTENCES.items()}
_KINDS = {
    "index": Kind.INDEX,
    "property": Kind.PROPERTY,
    "leftOf, rightOf": Kind.RELATION,
    "prevArg": Kind.PREV_ARG,
    "prevAction": Kind.PREV_ACTION,
}


def sentence_references(utterance: str) -> tuple[str, ...]:
    """The ways in which a sentence refers; there may be several."""
    text = " ".join(re.findall(r"\w+", utterance.lower()))
    return tuple(name for name, words in _PATTERNS.items() if words.search(text)) or (NONE,)


def command_references(command: InfixCommand | None) -> tuple[str, ...]:
    """The ways in which a command refers; there may be several."""
    kinds = {token.kind for token in command.tokens} if command else set()
    return tuple(name for name, kind in _KINDS.items() if kind in kinds) or (NONE,)
