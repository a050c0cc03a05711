"""Walks go far, and by every strategy."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from lang2program_dev.fuzzing.walks import MAX_UTTERANCES, Strategy, Walker
from lang2program_tf.language import DOMAINS, continuations, execute, get_domain

pytestmark = pytest.mark.slow


def _walk(name: str, *, rounds: int, num_walks: int = 30) -> list:
    domain = get_domain(name)
    walker = Walker(domain, Random(0))
    walks = [walker.start() for _ in range(num_walks)]
    seen = []
    for _ in range(rounds):
        seen += walks
        walks = [
            walker.follow(
                walk,
                walker.choose(
                    walk, continuations(domain, walk.state, num_utterances=walk.num_utterances)
                ),
            )
            for walk in walks
        ]
    return seen


@pytest.mark.parametrize("name", sorted(DOMAINS))
def test_a_walk_s_program_leads_to_its_state(name):
    for walk in _walk(name, rounds=40):
        state = execute(get_domain(name), walk.world, walk.tokens)
        assert str(state.world) == str(walk.state.world)
        assert state[1:] == walk.state[1:]
        assert state.utterance < walk.num_utterances


@pytest.mark.parametrize("name", sorted(DOMAINS))
def test_walks_see_histories_of_every_length_by_every_strategy(name):
    seen = Counter((walk.state.utterance, walk.strategy) for walk in _walk(name, rounds=200))
    assert set(seen) == {(n, strategy) for n in range(MAX_UTTERANCES) for strategy in Strategy}


@pytest.mark.parametrize("name", sorted(DOMAINS))
def test_some_walks_go_on_with_what_prev_action_left(name):
    assert any(
        walk.tokens and walk.tokens[-1].name == "prevAction" and walk.state.stack
        for walk in _walk(name, rounds=400)
    )
