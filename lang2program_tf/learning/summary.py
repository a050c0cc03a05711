"""Summaries of predictions for people and for scripts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lang2program_tf.corpus.embedded.spuriousness import spurious_share
from lang2program_tf.language import Domain
from lang2program_tf.learning.evaluation import Measure, Prediction, by_utterances, measure
from lang2program_tf.text_tables import text_table

_HEAD = ("utterances", "examples", "accuracy", "95 % interval", "hit")


def summary_table(predictions: Sequence[Prediction]) -> str:
    """Accuracy with its 95 % interval and hit, by number of utterances."""
    lengths = by_utterances(predictions)
    lines = [_cells(str(length), measured) for length, measured in lengths.items()]
    lines.append(_cells("all", measure(predictions)))
    return text_table([_HEAD, *lines], left=0)


def _cells(name: str, measured: Measure) -> tuple[str, ...]:
    low, high = measured.interval
    hit = measured.hit / max(measured.examples, 1)
    accuracy = f"{measured.accuracy:.3f}"
    return name, str(measured.examples), accuracy, f"{low:.3f} to {high:.3f}", f"{hit:.3f}"


def summary_json(domain: Domain, predictions: Sequence[Prediction]) -> dict[str, Any]:
    """The same as one JSON object; with gold programs also spuriousness."""
    lengths = by_utterances(predictions)
    summary: dict[str, Any] = {
        "domain": domain.name,
        "examples": {str(n): measured.examples for n, measured in lengths.items()},
        "accuracy": {str(n): measured.accuracy for n, measured in lengths.items()},
        "interval": {str(n): measured.interval for n, measured in lengths.items()},
        "hit": {str(n): measured.hit / measured.examples for n, measured in lengths.items()},
        "accuracy_all": measure(predictions).accuracy,
    }
    with_gold = [p for p in predictions if p.example.gold_programs and p.correct]
    if with_gold:
        spurious = spurious_share(
            domain.name, [p.example for p in with_gold], [p.program for p in with_gold]
        )
        summary["spurious"] = spurious._asdict()
    return summary
