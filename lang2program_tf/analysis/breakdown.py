"""How many steps of each class are right."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from lang2program_tf.analysis.changes import change_between
from lang2program_tf.analysis.references import command_references, sentence_references
from lang2program_tf.analysis.steps import Step
from lang2program_tf.language import Domain
from lang2program_tf.learning.evaluation import wilson_interval


class Tally(NamedTuple):
    """Counts of steps.

    Attributes:
        steps: how many.
        right: those that lead to the right world.
        lost: those that lose their interaction.
    """

    steps: int
    right: int
    lost: int

    @property
    def accuracy(self) -> float:
        """The share that is right."""
        return self.right / self.steps if self.steps else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """95 % confidence interval of the accuracy."""
        return wilson_interval(self.right, self.steps)

    def to_json(self) -> dict[str, Any]:
        """The tally as one JSON object."""
        return {**self._asdict(), "accuracy": self.accuracy, "interval": self.interval}


Breakdown = dict[str, Tally]


def tally(steps: Sequence[Step]) -> Tally:
    """Counts steps."""
    return Tally(len(steps), sum(s.right for s in steps), sum(s.lost for s in steps))


def by_position(steps: Sequence[Step]) -> Breakdown:
    """Steps by the place of their utterance, in the order of places."""
    found = _by_class(steps, lambda step: [str(step.position)])
    return {place: found[place] for place in sorted(found, key=int)}


def by_action(domain: Domain, steps: Sequence[Step]) -> Breakdown:
    """Steps by what the data set's worlds show to have happened, the most lost first."""
    return _most_lost_first(
        _by_class(steps, lambda step: [change_between(domain, step.before, step.target).kind])
    )


def by_sentence(steps: Sequence[Step]) -> Breakdown:
    """Steps by how the sentence refers, the most lost first; a step may be in several classes."""
    return _most_lost_first(_by_class(steps, lambda step: sentence_references(step.utterance)))


def by_command(steps: Sequence[Step]) -> Breakdown:
    """Steps by how the predicted command refers; a step may be in several classes."""
    return _most_lost_first(_by_class(steps, lambda step: command_references(step.command)))


def _by_class(steps: Sequence[Step], classes: Callable[[Step], Iterable[str]]) -> Breakdown:
    members: dict[str, list[Step]] = defaultdict(list)
    for step in steps:
        for name in classes(step):
            members[name].append(step)
    return {name: tally(members[name]) for name in members}


def _most_lost_first(found: Breakdown) -> Breakdown:
    return dict(sorted(found.items(), key=lambda item: (-item[1].lost, -item[1].steps, item[0])))
