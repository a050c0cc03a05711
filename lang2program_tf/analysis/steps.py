"""Predictions taken apart into steps: one utterance, and the command that answers it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from lang2program_tf.language import Domain, State, World, trace
from lang2program_tf.language.infix import InfixCommand, infix_commands
from lang2program_tf.learning.evaluation import Prediction

# The world after some utterances of a line, by the line's number and the number of utterances.
GoldWorlds = Mapping[tuple[int, int], World]


class Step(NamedTuple):
    """A step whose world before it is right, so that what goes wrong goes wrong in it.

    Attributes:
        prediction: of the whole interaction.
        position: of its utterance, from 1.
        before: the world before it.
        target: the world that the data set has after it.
        command: the predicted command, None if no program was found.
        action: what the command performs, also if it is a prevAction; None if there is none.
        world: the world after the command, None if there is none.
        lost: whether the interaction fails and no later world of it is right.
    """

    prediction: Prediction
    position: int
    before: World
    target: World
    command: InfixCommand | None
    action: str | None
    world: World | None
    lost: bool

    @property
    def right(self) -> bool:
        """Whether it leads to the world that the data set has."""
        return self.world == self.target

    @property
    def utterance(self) -> str:
        """Its utterance."""
        return self.prediction.example.utterances[self.position - 1]

    @property
    def earlier(self) -> tuple[str, ...]:
        """The utterances before it."""
        return self.prediction.example.utterances[: self.position - 1]


def whole_interactions(predictions: Sequence[Prediction]) -> list[Prediction]:
    """Of each line the prediction with the most utterances, in the order of lines."""
    longest: dict[int, Prediction] = {}
    for prediction in predictions:
        line, length = prediction.example.line, len(prediction.example.utterances)
        if line not in longest or length > len(longest[line].example.utterances):
            longest[line] = prediction
    return [longest[line] for line in sorted(longest)]


def reached_steps(domain: Domain, predictions: Sequence[Prediction]) -> list[Step]:
    """The steps of whole interactions that begin in the right world.

    Args:
        domain: of the predictions.
        predictions: of all prefixes of some lines; the shorter ones tell the worlds on the way.
    """
    gold = {
        (p.example.line, len(p.example.utterances)): domain.parse_world(p.example.target)
        for p in predictions
    }
    return [
        step
        for prediction in whole_interactions(predictions)
        for step in _reached(domain, prediction, gold)
    ]


def _reached(domain: Domain, prediction: Prediction, gold: GoldWorlds) -> Iterator[Step]:
    example = prediction.example
    start = domain.parse_world(example.world)
    length = len(example.utterances)
    targets = [start, *(_gold_world(gold, example.line, n + 1) for n in range(length))]
    if not prediction.program:
        yield Step(prediction, 1, start, targets[1], None, None, None, lost=True)
        return
    commands = infix_commands(domain, prediction.program)
    states = [State(start), *_after_commands(domain, start, prediction.program)]
    right = [state.world == target for state, target in zip(states, targets)]
    last_right = max(n for n in range(length + 1) if right[n])
    for n in range(length):
        if right[n]:
            after = states[n + 1]
            yield Step(
                prediction,
                position=n + 1,
                before=states[n].world,
                target=targets[n + 1],
                command=commands[n],
                action=after.history[-1].action,
                world=after.world,
                lost=n == last_right,
            )


def _gold_world(gold: GoldWorlds, line: int, length: int) -> World:
    if (line, length) not in gold:
        raise ValueError(f"predictions lack the prefix of {length} utterances of line {line}")
    return gold[line, length]


def _after_commands(domain: Domain, world: World, program: Sequence[str]) -> list[State]:
    """The state after each command."""
    states: list[State] = []
    for state in trace(domain, world, program):
        if state.utterance > len(states):
            states.append(state)
    return states
