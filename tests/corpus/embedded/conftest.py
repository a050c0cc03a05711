"""Situations in which a speaker has to name things."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest

from lang2program_tf.corpus.embedded.generator import GRAMMARS, NUM_UTTERANCES, Interaction
from lang2program_tf.corpus.embedded.grammar import Situation
from lang2program_tf.language import step
from lang2program_tf.language.values import as_object


@pytest.fixture
def situations() -> Callable[[str], Iterator[Situation]]:
    """All the situations of 100 interactions of a domain."""

    def all_of(domain: str) -> Iterator[Situation]:
        rng = random.Random(2)
        for _ in range(100):
            interaction = Interaction(GRAMMARS[domain], rng)
            yield interaction.situation
            for _ in range(NUM_UTTERANCES):
                if interaction.go_on():
                    yield interaction.situation

    return all_of


@pytest.fixture
def meaning() -> Callable[[str, Situation, tuple[str, ...]], object]:
    """What tokens that name one thing mean in a situation."""

    def evaluate(domain: str, situation: Situation, tokens: tuple[str, ...]) -> object:
        state = situation.state
        for token in tokens:
            state = step(GRAMMARS[domain].domain, state, token)
        (value,) = state.stack
        return as_object(value)

    return evaluate
