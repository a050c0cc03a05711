"""Predictions made by hand: an interaction, and the commands of an imagined parser for it."""

from __future__ import annotations

from collections.abc import Sequence

from lang2program_tf.corpus.scone import Example
from lang2program_tf.language import execute, get_domain
from lang2program_tf.learning.evaluation import Prediction


def predictions(
    domain: str,
    *,
    worlds: Sequence[str],
    utterances: Sequence[str],
    commands: Sequence[str],
    line: int = 0,
    log_prob: float = -1.0,
    num_rewarded: int = 0,
) -> list[Prediction]:
    """The predictions of all prefixes of one line.

    Args:
        domain: its name.
        worlds: M + 1 worlds of the data set.
        utterances: M sentences.
        commands: M commands in postfix; the program of a prefix has the first ones. No commands
            at all are a parser that finds no program.
        line: the number of the line.
        log_prob: of each program.
        num_rewarded: programs that lead to the target but are not the best, of a wrong prediction.
    """
    return [
        _prediction(
            domain,
            Example(f"line-{line}:1-{n}", worlds[0], tuple(utterances[:n]), worlds[n], line),
            " ".join(commands[:n]).split(),
            log_prob=log_prob,
            num_rewarded=num_rewarded,
        )
        for n in range(1, len(utterances) + 1)
    ]


def _prediction(
    domain: str, example: Example, program: list[str], *, log_prob: float, num_rewarded: int
) -> Prediction:
    language = get_domain(domain)
    world = execute(language, language.parse_world(example.world), program).world
    correct = bool(program) and world == language.parse_world(example.target)
    return Prediction(
        example=example,
        program=tuple(program),
        log_prob=log_prob if program else -float("inf"),
        world=str(world) if program else None,
        correct=correct,
        num_complete=3 if program else 0,
        num_rewarded=num_rewarded + correct,
        reward=0.0,
    )
