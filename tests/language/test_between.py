from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lang2program_tf.language import (
    UNKNOWN_COMMAND,
    Command,
    ExecutionError,
    Kind,
    State,
    commands_between,
    get_domain,
    perform,
    step,
)
from tests.language.examples import beakers, stage
from tests.language.strategies import domains, walks, worlds

# A swap of hats that nobody sees may have been between any two of ten people.
MOST = {"alchemy": 2, "scene": 90, "tangrams": 2}


def between(name: str, before: str, after: str) -> list[str]:
    domain = get_domain(name)
    found = commands_between(domain, domain.parse_world(before), domain.parse_world(after))
    return [f"{c.action}({', '.join(str(a) for a in c.arguments)})" for c in found]


@given(walks())
def test_any_command_is_found_again_among_few(walk):
    for before, after in zip(walk.states, walk.states[1:]):
        if after.utterance == before.utterance:
            continue
        found = commands_between(walk.domain, before.world, after.world)
        assert after.history[-1] in found
        assert len(set(found)) == len(found) <= MOST[walk.domain.name]
        if before.world != after.world:
            assert len(found) <= 2


@given(walks())
def test_performing_a_command_again_gives_the_same_state_with_the_same_people(walk):
    for token, before, after in zip(walk.tokens, walk.states, walk.states[1:]):
        if token.kind is Kind.ACTION:
            again = perform(walk.domain, before, after.history[-1])
            assert again.history == after.history
            assert again.world.objects == after.world.objects


@given(st.data(), domains)
def test_every_command_found_leads_from_the_one_world_to_the_other(data, domain):
    world, next_world = data.draw(worlds(domain)), data.draw(worlds(domain))
    for command in commands_between(domain, world, next_world):
        after = perform(domain, State(world), command)
        assert after.world == next_world
        assert after.history == (command,)


@pytest.mark.parametrize(
    "domain, before, after, expected",
    [
        ("alchemy", beakers(_1="gr", _2="y"), beakers(_1="bb", _2="y"), ["mix(1:gr)"]),
        ("alchemy", beakers(_1="gg"), beakers(_1="g"), ["drain(1:gg, 1)"]),
        ("alchemy", beakers(_1="gg", _2="y"), beakers(_2="ygg"), ["pour(1:gg, 2:y)"]),
        ("alchemy", beakers(_1="gg"), beakers(_1="gg"), []),
        ("scene", stage(_1="r_"), stage(), ["leave(1:r_)"]),
        ("scene", stage(_1="r_"), stage(_1="r_", _4="yo"), ["create(4:yo)"]),
        ("scene", stage(_1="r_"), stage(_10="r_"), ["move(1:r_, 10)"]),
        (
            "scene",
            stage(_1="r_", _2="yo"),
            stage(_1="ro", _2="y_"),
            ["swapHats(1:r_, 2:yo)", "swapHats(2:yo, 1:r_)"],
        ),
        ("scene", stage(_1="r_"), stage(_1="y_"), []),
        ("tangrams", "1:2 2:0", "1:0", ["remove(1:2)"]),
        ("tangrams", "1:2 2:0", "1:2 2:4 3:0", ["add(2, 2:4)"]),
        ("tangrams", "1:2 2:0", "1:0 2:2", ["swap(1:2, 2:0)", "swap(2:0, 1:2)"]),
        ("tangrams", "1:2 2:0 3:1", "1:0 2:1 3:2", []),
    ],
)
def test_what_one_sees_tells_the_command(domain, before, after, expected):
    assert between(domain, before, after) == expected


def test_a_swap_of_equal_hats_is_possible_when_nothing_changes():
    world = stage(_1="r_", _2="y_", _3="go")
    assert between("scene", world, world) == ["swapHats(1:r_, 2:y_)", "swapHats(2:y_, 1:r_)"]


def test_nobody_can_perform_or_refer_to_an_unknown_command():
    domain = get_domain("tangrams")
    state = State(domain.parse_world("1:2 2:0"), (UNKNOWN_COMMAND,))
    with pytest.raises(ExecutionError, match="nobody knows what an unknown command does"):
        perform(domain, state, UNKNOWN_COMMAND)
    state = step(domain, state, "1")
    with pytest.raises(ExecutionError, match="nobody knows what that command was"):
        step(domain, state, "prevAction")
    with pytest.raises(ExecutionError, match="unknown has no argument 1"):
        step(domain, state, "prevArg1")


def test_a_command_after_an_unknown_one_is_the_second():
    domain = get_domain("tangrams")
    state = State(domain.parse_world("1:2 2:0"), (UNKNOWN_COMMAND,))
    (command,) = commands_between(domain, state.world, domain.parse_world("1:0"))
    after = perform(domain, state, command)
    assert after.history == (UNKNOWN_COMMAND, Command("remove", state.world.objects[:1]))
