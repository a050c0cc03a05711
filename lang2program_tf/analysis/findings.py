"""What holds accuracy back most, in sentences and a short table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from lang2program_tf.analysis.breakdown import Tally
from lang2program_tf.analysis.report import Analysis

_SHOWN = 6
_LEAST_EXCESS = 2.0  # fewer interactions than this say nothing
_ABOUT_RIGHT = 0.05  # a mean probability this near to the accuracy


class Obstacle(NamedTuple):
    """A class of steps that loses more interactions than its share.

    Attributes:
        name: of the class, with what it is a class of.
        tally: its counts.
        expected: how many interactions as many steps of any kind lose on average.
    """

    name: str
    tally: Tally
    expected: float

    @property
    def excess(self) -> float:
        """How many it loses beyond its share."""
        return self.tally.lost - self.expected


def obstacles(analysis: Analysis) -> list[Obstacle]:
    """The classes that lose most beyond their share, the worst first."""
    dimensions = {
        "action": analysis.action,
        "sentence": analysis.sentence,
        "utterance": analysis.position,
    }
    rate = analysis.lost / max(analysis.steps.steps, 1)
    found = [
        Obstacle(f"{dimension}: {name}", tally, rate * tally.steps)
        for dimension, breakdown in dimensions.items()
        for name, tally in breakdown.items()
    ]
    notable = [obstacle for obstacle in found if obstacle.excess >= _LEAST_EXCESS]
    return sorted(notable, key=lambda obstacle: -obstacle.excess)[:_SHOWN]


def findings(analysis: Analysis) -> list[str]:
    """Sentences about a parser's mistakes, in Markdown, the first of which sums up."""
    right, total = analysis.interactions.correct, analysis.interactions.examples
    summary = f"{right} of {total} interactions are right to the end ({percent(right, total)})"
    if not analysis.lost:
        return [f"{summary}: nothing is lost."]
    return [f"{summary}; {analysis.lost} are lost.", *_causes(analysis)]


def _causes(analysis: Analysis) -> Iterator[str]:
    worst = obstacles(analysis)
    if worst:
        yield (
            f"Most beyond its share is lost on **{worst[0].name}**: {worst[0].tally.lost} "
            f"interactions, where as many steps of any kind lose {worst[0].expected:.0f}."
        )
    action, tally = next(iter(analysis.action.items()))  # the most lost stands first
    yield (
        f"The action that most is lost on is **{action}**: {tally.lost} of {analysis.lost} "
        f"({percent(tally.lost, analysis.lost)})."
    )
    group = analysis.errors[0]
    yield (
        f"The most frequent mistake: the sentence means `{group.gold}`, predicted is "
        f"`{group.predicted}` ({len(group.steps)}, {percent(len(group.steps), analysis.lost)})."
    )
    yield from (_search_or_ranking(analysis), _unknown(analysis))
    healed = analysis.steps.steps - analysis.steps.right - analysis.lost
    if healed:
        yield f"{healed} wrong steps are made up for later: a right world for a wrong reason."
    yield _confidence(analysis)


def _search_or_ranking(analysis: Analysis) -> str:
    failed = sum(counts.failed for counts in analysis.failures.values())
    ranking = sum(counts.ranking for counts in analysis.failures.values())
    return (
        f"Of {failed} wrong predictions for any number of utterances, {ranking} "
        f"({percent(ranking, failed)}) are ranking errors: {_right_answer(analysis)} was "
        "found, and another is more probable. For the others the search does not find one."
    )


def _right_answer(analysis: Analysis) -> str:
    return "the target" if analysis.by_worlds else "a program that leads to the target"


def _unknown(analysis: Analysis) -> str:
    right, wrong = analysis.words.right, analysis.words.wrong
    with_unknown = right.with_unknown + wrong.with_unknown
    without = right.utterances + wrong.utterances - with_unknown
    if not with_unknown:
        return "Unknown words hold nothing back: there are none."
    return (
        f"{wrong.with_unknown} of {wrong.utterances} wrong steps "
        f"({percent(wrong.with_unknown, wrong.utterances)}) have an unknown word. A step with one "
        f"is right in {percent(right.with_unknown, with_unknown)}, one without in "
        f"{percent(right.utterances - right.with_unknown, without)}."
    )


def _confidence(analysis: Analysis) -> str:
    total = sum(group.examples for group in analysis.bins)
    probability = sum(group.examples * group.probability for group in analysis.bins) / total
    accuracy = sum(group.right for group in analysis.bins) / total
    if abs(probability - accuracy) < _ABOUT_RIGHT:
        verdict = "about as sure as it is right"
    else:
        verdict = "too sure" if probability > accuracy else "too modest"
    return (
        f"The parser is {verdict}: the mean probability of its {analysis.answer}s is "
        f"{probability:.2f}, their accuracy {accuracy:.2f} (expected calibration error "
        f"{analysis.calibration_error:.3f})."
    )


def percent(part: int, whole: int) -> str:
    """A share of a whole, – if there is no whole."""
    return f"{100 * part / whole:.1f} %" if whole else "–"
