"""Prediction by worlds in plain Python: one dialogue, one sentence and one world at a time."""

from __future__ import annotations

import math
from typing import NamedTuple

from lang2program_tf.language import Domain, State, World, step
from lang2program_tf.search import WorldSearch
from tests.search import reference
from tests.search.reference import Example, Program


class Reached(NamedTuple):
    """A world to which a dialogue may have come.

    Attributes:
        state: the world, with the commands of the best program.
        log_prob: of the world.
        tokens: the best program.
        agreeing: how many programs of the last sentence lead there.
        path: the world after each sentence that was parsed.
    """

    state: State
    log_prob: float = 0.0
    tokens: tuple[int, ...] = ()
    agreeing: int = 0
    path: tuple[World, ...] = ()


def predict(worlds: WorldSearch, domain: Domain, example: Example) -> list[Reached]:
    """The worlds of one example, the most probable first."""
    live = [Reached(example.beginning)]
    for number in range(example.beginning.utterance, len(example.utterances)):
        known = example._replace(utterances=example.utterances[: number + 1])
        live = _advance(worlds, domain, known, live)
    return live


def _advance(
    worlds: WorldSearch, domain: Domain, example: Example, live: list[Reached]
) -> list[Reached]:
    """The worlds after one more sentence."""
    found: list[tuple[float, Reached, Program]] = []
    for before in live:
        if math.exp(before.log_prob - live[0].log_prob) <= worlds.least_share:
            continue
        result = reference.search(
            worlds.search.parser,
            domain,
            example._replace(start=before.state),
            iterations=worlds.search.iterations_per_utterance,
            rule=reference.classic(worlds.search.beam_size),
        )
        for program in result.best_first[: worlds.num_programs]:
            found.append((before.log_prob + program.log_prob, before, program))
    found.sort(key=lambda each: -each[0])
    by_world: dict[World, list[tuple[float, Reached, Program]]] = {}
    for each in found:
        by_world.setdefault(each[2].world, []).append(each)
    reached = []
    for group in by_world.values():
        best, before, program = group[0]
        total = math.log(sum(math.exp(log_prob) for log_prob, _, _ in group))
        state = before.state
        for token in program.tokens:
            state = step(domain, state, domain.tokens[token])
        reached.append(
            Reached(
                state=State(state.world, state.history),
                log_prob=total if worlds.add_up else best,
                tokens=before.tokens + program.tokens,
                agreeing=len(group),
                path=(*before.path, state.world),
            )
        )
    reached.sort(key=lambda each: -each.log_prob)
    return reached[: worlds.num_worlds]
