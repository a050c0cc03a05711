"""All parts of an analysis together."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from lang2program_tf.analysis import breakdown
from lang2program_tf.analysis.breakdown import Breakdown, Tally
from lang2program_tf.analysis.calibration import Bin, calibration, expected_calibration_error
from lang2program_tf.analysis.causes import Causes, causes
from lang2program_tf.analysis.errors import (
    ErrorGroup,
    Failures,
    error_groups,
    failures,
    step_json,
)
from lang2program_tf.analysis.steps import reached_steps, whole_interactions
from lang2program_tf.analysis.unknown_words import UnknownWords, unknown_words
from lang2program_tf.corpus.tokenizers import Tokenizer
from lang2program_tf.language import Domain
from lang2program_tf.learning.evaluation import Measure, Prediction, by_utterances, measure


class Analysis(NamedTuple):
    """What is known of a parser's mistakes.

    Attributes:
        domain: of the parser.
        interactions: of whole interactions: how many are right.
        lengths: accuracy on the examples of each number of utterances.
        steps: all steps that begin in the right world.
        position: these by the place of their utterance.
        action: these by the action that the data set's worlds show.
        sentence: these by how the sentence refers.
        command: these by how the predicted command refers.
        causes: why interactions are lost.
        errors: the steps that lose an interaction, in groups.
        failures: wrong predictions for each number of utterances by who is to blame.
        words: unknown words in right and wrong steps.
        bins: all examples by the probability of their answer.
        by_worlds: whether an answer is a world, with the probability of all programs found that
            lead there; else it is a single program.
    """

    domain: Domain
    interactions: Measure
    lengths: dict[int, Measure]
    steps: Tally
    position: Breakdown
    action: Breakdown
    sentence: Breakdown
    command: Breakdown
    causes: Causes
    errors: list[ErrorGroup]
    failures: dict[int, Failures]
    words: UnknownWords
    bins: list[Bin]
    by_worlds: bool

    @property
    def answer(self) -> str:
        """What the parser is more or less sure of."""
        return "world" if self.by_worlds else "program"

    @property
    def lost(self) -> int:
        """How many whole interactions fail."""
        return self.interactions.examples - self.interactions.correct

    @property
    def calibration_error(self) -> float:
        """The expected calibration error."""
        return expected_calibration_error(self.bins)


def analyze(
    domain: Domain,
    predictions: Sequence[Prediction],
    *,
    vocabulary: Collection[str],
    tokenizer: Tokenizer,
    by_worlds: bool = False,
) -> Analysis:
    """Takes predictions apart.

    Args:
        domain: of the parser.
        predictions: of all prefixes of some lines.
        vocabulary: the words that the parser knows.
        tokenizer: makes its words of utterances.
        by_worlds: whether the probabilities of predictions are those of worlds.
    """
    steps = reached_steps(domain, predictions)
    lengths = by_utterances(predictions)
    return Analysis(
        domain=domain,
        interactions=measure(whole_interactions(predictions)),
        lengths=lengths,
        steps=breakdown.tally(steps),
        position=breakdown.by_position(steps),
        action=breakdown.by_action(domain, steps),
        sentence=breakdown.by_sentence(steps),
        command=breakdown.by_command(steps),
        causes=causes(domain, steps, predictions, vocabulary=vocabulary, tokenizer=tokenizer),
        errors=error_groups(domain, steps),
        failures={
            length: failures([p for p in predictions if len(p.example.utterances) == length])
            for length in lengths
        },
        words=unknown_words(steps, vocabulary, tokenizer=tokenizer, max_words=domain.max_words),
        bins=calibration(predictions),
        by_worlds=by_worlds,
    )


def to_json(analysis: Analysis) -> dict[str, Any]:
    """The analysis as one JSON object, with every step that loses an interaction."""
    breakdowns = {
        name: {key: one.to_json() for key, one in found.items()}
        for name, found in (
            ("position", analysis.position),
            ("action", analysis.action),
            ("sentence", analysis.sentence),
            ("command", analysis.command),
        )
    }
    return {
        "domain": analysis.domain.name,
        "examples": {str(n): measured.examples for n, measured in analysis.lengths.items()},
        "accuracy": {str(n): measured.accuracy for n, measured in analysis.lengths.items()},
        "interactions": analysis.interactions.examples,
        "lost": analysis.lost,
        "steps": analysis.steps.to_json(),
        **{f"by_{name}": found for name, found in breakdowns.items()},
        "causes": {name: count._asdict() for name, count in analysis.causes.items()},
        "errors": [
            {
                "gold": group.gold,
                "predicted": group.predicted,
                "count": len(group.steps),
                "steps": [step_json(step) for step in group.steps],
            }
            for group in analysis.errors
        ],
        "failures": {str(n): counts._asdict() for n, counts in analysis.failures.items()},
        "unknown_words": {
            "right": analysis.words.right._asdict(),
            "wrong": analysis.words.wrong._asdict(),
            "frequent": analysis.words.frequent,
        },
        "calibration": {
            "probability_of": analysis.answer,
            "expected_error": analysis.calibration_error,
            "bins": [group.to_json() for group in analysis.bins],
        },
    }
