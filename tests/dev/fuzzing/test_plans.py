"""Planned commands are well-formed, and many of them run."""

from __future__ import annotations

from random import Random

import pytest

from lang2program_dev.fuzzing.plans import random_command
from lang2program_dev.fuzzing.random_worlds import random_world
from lang2program_tf.language import DOMAINS, ExecutionError, Kind, State, execute, get_domain, step

RUN_BEFORE = {
    "alchemy": ("1:gg 2:_ 3:gy 4:yr 5:_ 6:r 7:_", "red hasColor 1 drain allObjects 4 index mix"),
    "scene": (
        "1:r_ 2:__ 3:gp 4:__ 5:__ 6:__ 7:__ 8:__ 9:b_ 10:__",
        "red hasShirt 5 move blue hasShirt leave",
    ),
    "tangrams": (
        "1:2 2:0 3:4",
        "allObjects 1 index allObjects 2 index swap allObjects 3 index remove",
    ),
}


@pytest.mark.parametrize("name", sorted(DOMAINS))
def test_a_command_ends_with_its_only_action(name):
    domain, rng = get_domain(name), Random(0)
    for _ in range(200):
        command = random_command(domain, State(random_world(domain, rng)), rng)
        acting = [token.kind in (Kind.ACTION, Kind.PREV_ACTION) for token in command]
        assert acting == [False] * (len(command) - 1) + [True]


@pytest.mark.parametrize("name", sorted(DOMAINS))
def test_with_a_history_commands_recall_it_and_all_actions_run(name):
    domain, rng = get_domain(name), Random(0)
    world, program = RUN_BEFORE[name]
    before = execute(domain, domain.parse_world(world), program.split())
    performed, repeated, left_over = set(), 0, 0
    for _ in range(2000):
        state, command = before, random_command(domain, before, rng)
        try:
            for token in command:
                state = step(domain, state, token)
        except ExecutionError:
            continue
        performed.add(state.history[-1].action)
        repeated += command[-1].kind is Kind.PREV_ACTION
        left_over += bool(state.stack)
    assert performed == {token.name for token in domain.action_tokens}
    assert repeated > 20
    assert left_over > 20


@pytest.mark.parametrize("name", sorted(DOMAINS))
def test_a_history_may_be_longer_than_numbers_reach(name):
    domain, rng = get_domain(name), Random(0)
    world, program = RUN_BEFORE[name]
    before = execute(domain, domain.parse_world(world), program.split())
    long = before._replace(history=before.history * 6)
    for _ in range(200):
        assert random_command(domain, long, rng)
