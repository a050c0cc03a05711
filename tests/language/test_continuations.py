"""Which continuations a search keeps: the four rules of spec, by example."""

from __future__ import annotations

import pytest
from hypothesis import given

from lang2program_tf.language import (
    MAX_STACK,
    Outcome,
    State,
    continuation,
    continuations,
    get_domain,
)
from lang2program_tf.language.tokens import Kind
from tests.language.examples import run, stage
from tests.language.strategies import walks

SCENE = get_domain("scene")
WORLD = stage(_1="r_", _4="g_", _5="b_")


def outcome(prefix: str, token: str, *, num_utterances: int) -> Outcome:
    state = run("scene", WORLD, prefix)
    return continuation(SCENE, state, SCENE.token(token), num_utterances=num_utterances).outcome


def test_rule_1_a_token_that_fails_is_dropped():
    assert outcome("yellow", "hasShirt", num_utterances=1) is Outcome.FAILS
    assert outcome("red", "hasShirt", num_utterances=1) is Outcome.CONTINUES


def test_rule_2_a_program_that_ends_with_values_on_the_stack_is_dropped():
    assert outcome("red hasShirt", "leave", num_utterances=1) is Outcome.TERMINATES
    assert outcome("3 red hasShirt", "leave", num_utterances=1) is Outcome.LEFTOVER


def test_rule_2_covers_prev_action():
    prefix = "red hasShirt leave  3 green hasShirt -1"
    assert outcome(prefix, "prevAction", num_utterances=2) is Outcome.LEFTOVER


def test_rule_3_more_than_three_values_on_the_stack_are_dropped():
    assert MAX_STACK == 3
    assert outcome("1 2", "3", num_utterances=1) is Outcome.CONTINUES
    assert outcome("1 2 3", "4", num_utterances=1) is Outcome.PRUNED


def test_rule_3_counts_what_is_there_after_the_token():
    assert outcome("1 2 red", "hasShirt", num_utterances=1) is Outcome.CONTINUES


def test_rule_4_an_action_that_leaves_values_before_the_last_utterance_is_dropped():
    assert outcome("red hasShirt", "leave", num_utterances=2) is Outcome.CONTINUES
    assert outcome("3 red hasShirt", "leave", num_utterances=2) is Outcome.PRUNED


def test_rule_4_does_not_cover_prev_action():
    prefix = "red hasShirt leave  3 green hasShirt -1"
    assert outcome(prefix, "prevAction", num_utterances=3) is Outcome.CONTINUES


def test_a_complete_program_has_no_continuation():
    state = run("scene", WORLD, "red hasShirt leave")
    found = continuations(SCENE, state, num_utterances=1)
    assert {c.outcome for c in found} == {Outcome.PRUNED}
    assert all(c.state is None for c in found)


@pytest.mark.parametrize("outcome", list(Outcome))
def test_what_terminates_or_continues_survives(outcome):
    assert outcome.survives == (outcome.value in "TU")


def test_every_token_is_tried_in_the_order_of_the_domain():
    found = continuations(SCENE, run("scene", WORLD, ""), num_utterances=1)
    assert tuple(c.token for c in found) == SCENE.tokens


def expected(before: State, after: State | None, *, is_own_action: bool, last: bool) -> Outcome:
    """The rules once more, in the order in which the specification states them."""
    if after is None:
        return Outcome.FAILS
    if last and after.utterance > before.utterance:
        return Outcome.LEFTOVER if after.stack else Outcome.TERMINATES
    if len(after.stack) > 3 or (is_own_action and after.stack):
        return Outcome.PRUNED
    return Outcome.CONTINUES


@given(walks())
def test_the_four_rules_hold_from_any_prefix(walk):
    state = walk.states[-1]
    for last in (True, False):
        total = state.utterance + (1 if last else 2)
        for c in continuations(walk.domain, state, num_utterances=total):
            own = c.token.kind is Kind.ACTION
            assert c.outcome is expected(state, c.state, is_own_action=own, last=last)
