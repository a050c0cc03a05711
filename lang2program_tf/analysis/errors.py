"""What goes wrong: kinds of wrong steps, and whether search or ranking is to blame."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from lang2program_tf.analysis.changes import NOTHING, change_between
from lang2program_tf.analysis.steps import Step
from lang2program_tf.language import Domain
from lang2program_tf.learning.evaluation import Prediction

NO_PROGRAM = "no program"


class ErrorGroup(NamedTuple):
    """Wrong steps of one kind.

    Attributes:
        gold: the kind of change that the data set has.
        predicted: what happens instead.
        steps: the steps, those of the most probable programs first.
    """

    gold: str
    predicted: str
    steps: tuple[Step, ...]


class Failures(NamedTuple):
    """Wrong predictions by who is to blame.

    Attributes:
        failed: all of them.
        ranking: the search found a program that leads to the target, but prefers another.
        search: it found programs, none of which leads to the target.
        no_program: it found no program.
    """

    failed: int
    ranking: int
    search: int
    no_program: int


def error_groups(domain: Domain, steps: Sequence[Step]) -> list[ErrorGroup]:
    """The steps that lose an interaction, in groups, the largest first."""
    groups: dict[tuple[str, str], list[Step]] = defaultdict(list)
    for step in steps:
        if step.lost:
            gold = change_between(domain, step.before, step.target).kind
            groups[gold, _predicted(domain, step)].append(step)
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    return [
        ErrorGroup(*kinds, tuple(sorted(members, key=lambda s: -s.prediction.log_prob)))
        for kinds, members in ordered
    ]


def _predicted(domain: Domain, step: Step) -> str:
    """What a wrong step does: its action, and what differs if the action is the right one."""
    if step.world is None:
        return NO_PROGRAM
    wanted = change_between(domain, step.before, step.target)
    made = change_between(domain, step.before, step.world)
    if made.kind == NOTHING:
        return f"{step.action} without effect"
    if made.kind != wanted.kind:
        return str(step.action)
    return f"{step.action}, other {' and '.join(wanted.differing_roles(made))}"


def failures(predictions: Sequence[Prediction]) -> Failures:
    """Counts wrong predictions."""
    wrong = [p for p in predictions if not p.correct]
    ranking = sum(p.num_rewarded > 0 for p in wrong)
    no_program = sum(not p.program for p in wrong)
    return Failures(len(wrong), ranking, len(wrong) - ranking - no_program, no_program)


def step_json(step: Step) -> dict[str, Any]:
    """A step as one JSON object."""
    return {
        "id": step.prediction.example.id,
        "position": step.position,
        "earlier": list(step.earlier),
        "world": str(step.before),
        "utterance": step.utterance,
        "predicted": step.command.infix if step.command else None,
        "predicted_world": str(step.world) if step.world is not None else None,
        "target_world": str(step.target),
        "log_prob": step.prediction.log_prob if step.command else None,
        "rewarded_in_beam": step.prediction.num_rewarded > 0,
    }
