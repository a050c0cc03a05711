"""Why interactions are lost: noise of the data, words, context, or the sentence itself."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from lang2program_tf.analysis.references import sentence_references
from lang2program_tf.analysis.steps import Step
from lang2program_tf.corpus.tokenizers import Tokenizer
from lang2program_tf.language import Domain, commands_between
from lang2program_tf.learning.evaluation import Prediction

NOISE, WORDS, EARLIER, PRONOUN, ALONE = (
    "no command",
    "words",
    "earlier step",
    "pronoun",
    "sentence alone",
)
CAUSES = (NOISE, WORDS, EARLIER, PRONOUN, ALONE)


class CauseCount(NamedTuple):
    """Steps that lose an interaction, for one cause.

    Attributes:
        steps: how many.
        found: those whose target is among the answers that were found, another being preferred.
    """

    steps: int
    found: int


Causes = dict[str, CauseCount]


def causes(
    domain: Domain,
    steps: Sequence[Step],
    predictions: Sequence[Prediction],
    *,
    vocabulary: Collection[str],
    tokenizer: Tokenizer,
) -> Causes:
    """Counts the steps that lose an interaction by cause; each has the first that applies.

    Args:
        domain: of the parser.
        steps: that begin in the right world.
        predictions: of all prefixes of their lines.
        vocabulary: the words that the parser knows.
        tokenizer: makes its words of utterances.
    """
    found = {(p.example.line, len(p.example.utterances)) for p in predictions if p.num_rewarded}
    counts = dict.fromkeys(CAUSES, CauseCount(0, 0))
    for step in steps:
        if step.lost:
            words = tokenizer.read(step.utterance)
            is_read = len(words) <= domain.max_words and all(word in vocabulary for word in words)
            cause = _cause(domain, step, is_read=is_read)
            before = counts[cause]
            is_found = (step.prediction.example.line, step.position) in found
            counts[cause] = CauseCount(before.steps + 1, before.found + is_found)
    return counts


def _cause(domain: Domain, step: Step, *, is_read: bool) -> str:
    if not commands_between(domain, step.before, step.target):
        return NOISE
    if not is_read:
        return WORDS
    references = sentence_references(step.utterance)
    return next((cause for cause in (EARLIER, PRONOUN) if cause in references), ALONE)
