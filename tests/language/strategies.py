"""Random worlds, programs and states of the three domains."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import NamedTuple

from hypothesis import strategies as st

from lang2program_dev.fuzzing.plans import random_command
from lang2program_dev.fuzzing.random_worlds import random_world
from lang2program_tf.language import (
    DOMAINS,
    Domain,
    ExecutionError,
    State,
    Token,
    World,
    step,
)

domains = st.sampled_from(list(DOMAINS.values()))
_randoms = st.randoms(use_true_random=False)


def worlds(domain: Domain) -> st.SearchStrategy[World]:
    """Worlds."""
    return _randoms.map(lambda rng: random_world(domain, rng))


def world_texts(domain: Domain) -> st.SearchStrategy[str]:
    """Worlds in the data set's notation."""
    return worlds(domain).map(str)


def token_sequences(domain: Domain, *, max_size: int = 20) -> st.SearchStrategy[list[Token]]:
    """Any tokens in any order: most of them do not run."""
    return st.lists(st.sampled_from(domain.tokens), max_size=max_size)


class Walk(NamedTuple):
    """A program whose tokens all run.

    Attributes:
        domain: the domain.
        world: the world it starts from.
        tokens: the program.
        states: the state before every token and at the end.
    """

    domain: Domain
    world: World
    tokens: list[Token]
    states: list[State]


@st.composite
def walks(draw: st.DrawFn, *, max_commands: int = 6) -> Walk:
    """Programs that run, of any domain, with history; the last command may lack its action."""
    domain = draw(domains)
    states = [State(draw(worlds(domain)))]
    tokens: list[Token] = []
    for _ in range(max_commands):
        command = random_command(domain, states[-1], draw(_randoms))
        with contextlib.suppress(ExecutionError):
            states += _run(domain, states[-1], command)
            tokens += command
    if draw(st.booleans()):
        for token in random_command(domain, states[-1], draw(_randoms))[:-1]:
            try:
                states.append(step(domain, states[-1], token))
            except ExecutionError:
                break
            tokens.append(token)
    return Walk(domain, states[0].world, tokens, states)


def _run(domain: Domain, state: State, command: Sequence[Token]) -> list[State]:
    states = [state]
    for token in command:
        states.append(step(domain, states[-1], token))
    return states[1:]
