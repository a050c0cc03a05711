"""Summaries of predictions for people and for scripts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lang2program_tf.corpus.embedded.spuriousness import spurious_share
from lang2program_tf.language import Domain
from lang2program_tf.learning.evaluation import Measure, Prediction, by_utterances, measure


def summary_table(predictions: Sequence[Prediction]) -> str:
    """Accuracy with its 95 % interval and hit, by number of utterances."""
    rows = [(str(n), of) for n, of in by_utterances(predictions).items()]
    rows.append(("all", measure(predictions)))
    head = (
        f"{'utterances':>10}  {'examples':>8}  {'accuracy':>8}  {'95 % interval':>15}  {'hit':>6}"
    )
    return "\n".join([head, *(_row(name, of) for name, of in rows)])


def _row(name: str, of: Measure) -> str:
    low, high = of.interval
    interval = f"{low:.3f} to {high:.3f}"
    hit = of.hit / max(of.examples, 1)
    return f"{name:>10}  {of.examples:>8}  {of.accuracy:>8.3f}  {interval:>15}  {hit:>6.3f}"


def summary_json(domain: Domain, predictions: Sequence[Prediction]) -> dict[str, Any]:
    """The same as one JSON object; with gold programs also spuriousness."""
    lengths = by_utterances(predictions)
    summary: dict[str, Any] = {
        "domain": domain.name,
        "examples": {str(n): of.examples for n, of in lengths.items()},
        "accuracy": {str(n): of.accuracy for n, of in lengths.items()},
        "interval": {str(n): of.interval for n, of in lengths.items()},
        "hit": {str(n): of.hit / of.examples for n, of in lengths.items()},
        "accuracy_all": measure(predictions).accuracy,
    }
    with_gold = [p for p in predictions if p.example.gold_programs and p.correct]
    if with_gold:
        spurious = spurious_share(
            domain.name, [p.example for p in with_gold], [p.program for p in with_gold]
        )
        summary["spurious"] = spurious._asdict()
    return summary
