from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from lang2program_tf.language import (
    UNKNOWN_COMMAND,
    Domain,
    Kind,
    Outcome,
    State,
    Token,
    World,
    continuation,
    get_domain,
    programs_between,
    step,
    to_infix,
)
from lang2program_tf.language.values import ObjectList
from tests.language.examples import beakers, stage
from tests.language.strategies import walks

_REFERENCES = (Kind.INDEX, Kind.PREV_ARG, Kind.PREV_ACTION)


def is_roundabout(state: State, last: Token | None, token: Token) -> bool:
    """Whether the memory leaves a continuation out: a number not written, or a list of one."""
    if token.kind not in _REFERENCES:
        return False
    if last is None or last.kind is not Kind.NUMBER:
        return True
    if token.kind is not Kind.INDEX or len(state.stack) < 2:
        return False
    items = state.stack[-2]
    return isinstance(items, ObjectList) and len(items) == 1


def exhaustive(domain: Domain, start: State, target: World, max_tokens: int) -> set[tuple]:
    """Every program that a search with endless beams finds, as the ids of its tokens."""
    found: set[tuple] = set()
    live: list = [((), start)]
    for length in range(1, max_tokens + 1):
        longer: list = []
        for prefix, state in live:
            last = domain.tokens[prefix[-1]] if prefix else None
            for number, token in enumerate(domain.tokens):
                if is_roundabout(state, last, token):
                    continue
                result = continuation(domain, state, token, num_utterances=start.utterance + 1)
                if result.outcome is Outcome.TERMINATES and result.state.world == target:
                    found.add((*prefix, number))
                elif result.outcome is Outcome.CONTINUES and length < max_tokens:
                    longer.append(((*prefix, number), result.state))
        live = longer
    return found


def count_exhaustively(domain: Domain, start: State, target: World, max_tokens: int) -> list[int]:
    """How many programs of each length a search finds, with equal stacks taken together."""
    counts, live = [], Counter({((), None): 1})
    for _ in range(max_tokens):
        longer: Counter = Counter()
        done = 0
        for (stack, last), ways in live.items():
            state = start._replace(stack=stack)
            for token in domain.tokens:
                if is_roundabout(state, last, token):
                    continue
                result = continuation(domain, state, token, num_utterances=start.utterance + 1)
                if result.outcome is Outcome.TERMINATES:
                    done += ways * (result.state.world == target)
                elif result.outcome is Outcome.CONTINUES:
                    written = token if token.kind is Kind.NUMBER else None
                    longer[result.state.stack, written] += ways
        counts.append(done)
        live = longer
    return counts


def tokens_of(found) -> list[tuple[int, ...]]:
    return [program.tokens for program in found]


@st.composite
def turns(draw: st.DrawFn) -> tuple[Domain, State, World]:
    """A state with history and an empty stack, and the world after one more command."""
    walk = draw(walks(max_commands=4))
    ends = [
        place
        for place, token in enumerate(walk.tokens, start=1)
        if token.kind is Kind.ACTION and not walk.states[place].stack
    ]
    assume(ends)
    target = walk.states[draw(st.sampled_from(ends))]
    starts = [s for s in walk.states if s.utterance == target.utterance - 1 and not s.stack]
    assume(starts)
    return walk.domain, starts[0], target.world


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(turns())
def test_they_are_those_that_exhaustive_search_finds(turn):
    domain, start, target = turn
    max_tokens = {"alchemy": 4, "scene": 3, "tangrams": 5}[domain.name]
    found = tokens_of(programs_between(domain, start, target, max_tokens=max_tokens))
    assert set(found) == exhaustive(domain, start, target, max_tokens)
    assert len(set(found)) == len(found)


@settings(
    max_examples=5, deadline=None, suppress_health_check=[HealthCheck.filter_too_much]
)  # of other domains exhaustive search takes too long
@given(turns())
def test_of_seven_tokens_there_are_as_many_as_exhaustive_search_finds(turn):
    domain, start, target = turn
    assume(domain.name == "tangrams")
    found = Counter(map(len, tokens_of(programs_between(domain, start, target))))
    expected = count_exhaustively(domain, start, target, 7)
    assert [found[length] for length in range(1, 8)] == expected


@given(turns())
def test_every_program_performs_its_command_and_leads_to_the_target(turn):
    domain, start, target = turn
    for program in programs_between(domain, start, target):
        state = start
        for number in program.tokens:
            state = step(domain, state, domain.tokens[number])
        assert state.world == target
        assert state.history == (*start.history, program.command)


def infix(domain: str, before: str, after: str, *history: str) -> list[str]:
    language = get_domain(domain)
    state = State(language.parse_world(before))
    for command in history:
        for token in command.split():
            state = step(language, state, token)
    found = programs_between(language, state, language.parse_world(after))
    return [to_infix(language, [language.tokens[i] for i in tokens]) for tokens, _ in found]


def test_short_programs_come_first():
    assert infix("alchemy", beakers(_1="gg", _7="r"), beakers(_7="r")) == [
        "drain(hasColor(green), 2)",
        "drain(hasColor(green), 1/1)",
        "drain(index(allObjects, 1), 2)",
        "drain(index(allObjects, 1), 1/1)",
    ]


def test_a_list_of_one_needs_no_index_and_is_given_none():
    assert infix("scene", stage(_1="r_"), stage()) == [
        "leave(allObjects)",
        "leave(hasHat(noHat))",
        "leave(hasShirt(red))",
        "leave(hasShirtHat(red, noHat))",
    ]


def test_earlier_commands_are_referred_to_by_action_and_by_arguments():
    found = infix("tangrams", "1:2 2:0 3:1", "1:1", "allObjects 1 index remove")
    assert found == [
        "remove(index(allObjects, 1))",
        "prevAction(index(allObjects, 1), -1)",
        "prevAction(index(allObjects, 1), 1)",
    ]
    back = infix("tangrams", "1:2 2:0", "1:0 2:2", "allObjects 1 index remove")
    assert "add(-1, prevArg1(-1))" in back
    assert "add(2, prevArg1(1))" in back


def test_there_are_none_where_no_command_leads_to_the_target():
    assert infix("tangrams", "1:2 2:0 3:1", "1:1") == []


def test_an_unknown_command_is_not_referred_to():
    domain = get_domain("tangrams")
    start = State(domain.parse_world("1:2 2:0"), (UNKNOWN_COMMAND,))
    found = programs_between(domain, start, domain.parse_world("1:0"))
    names = {domain.tokens[number].name for program in found for number in program.tokens}
    assert names == {"allObjects", "1", "index", "remove"}


def test_a_stack_that_is_not_empty_is_an_error():
    domain = get_domain("tangrams")
    world = domain.parse_world("1:2")
    with pytest.raises(ValueError, match="must have an empty stack"):
        programs_between(domain, State(world, stack=(1,)), world)
