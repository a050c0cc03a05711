from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lang2program_tf.analysis.changes import Change, change_between
from lang2program_tf.language import Domain, ExecutionError, Kind, World, execute, get_domain
from tests.language.examples import beakers, stage
from tests.language.strategies import Walk, domains, walks, worlds

HATS = stage(_3="ry", _5="g_", _9="b_")
ROW = "1:3 2:0 3:4"


def change(domain: str, before: str, after: str) -> Change:
    language = get_domain(domain)
    return change_between(language, language.parse_world(before), language.parse_world(after))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"_2": "gg", "_4": "r"}, {"_4": "rgg"}, Change("pour", {"source": 2, "target": 4})),
        ({"_2": "gg"}, {"_1": "gg"}, Change("pour", {"source": 2, "target": 1})),
        ({"_2": "ggg"}, {"_2": "g"}, Change("drain", {"beaker": 2, "amount": 2})),
        ({"_2": "gr"}, {}, Change("drain", {"beaker": 2, "amount": 2})),
        ({"_7": "gr"}, {"_7": "bb"}, Change("mix", {"beaker": 7})),
        ({"_7": "bbb"}, {"_7": "bb"}, Change("drain", {"beaker": 7, "amount": 1})),
        ({"_7": "gr"}, {"_7": "gr"}, Change("nothing")),
        # A person can pour a mixture upside down; the language has no such action.
        ({"_1": "yg", "_4": "y"}, {"_4": "ygy"}, Change("other")),
        ({"_1": "r"}, {"_1": "rr"}, Change("other")),
    ],
)
def test_beakers_show_what_was_done_to_them(before, after, expected):
    assert change("alchemy", beakers(**before), beakers(**after)) == expected


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (
            stage(_1="o_", _3="ry", _5="g_", _9="b_"),
            Change("create", {"place": 1, "shirt": "o", "hat": "e"}),
        ),
        (stage(_3="ry", _9="b_"), Change("leave", {"person": 5})),
        (stage(_3="ry", _6="g_", _9="b_"), Change("move", {"person": 5, "place": 6})),
        (stage(_3="r_", _5="gy", _9="b_"), Change("swapHats", {"people": (3, 5)})),
        (HATS, Change("nothing")),
        (stage(_3="g_", _5="ry", _9="b_"), Change("other")),  # they swap places
        (stage(_3="ry", _5="g_", _8="bg"), Change("other")),
    ],
)
def test_a_stage_shows_what_was_done_on_it(after, expected):
    assert change("scene", HATS, after) == expected


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ("1:3 2:1 3:0 4:4", Change("add", {"place": 2, "piece": "0:1"})),
        ("1:3 2:4", Change("remove", {"piece": 2})),
        ("1:4 2:0 3:3", Change("swap", {"pieces": (1, 3)})),
        (ROW, Change("nothing")),
        ("1:0 2:4 3:3", Change("other")),  # each has moved by one
        ("1:3 2:0 3:1", Change("other")),  # one replaces another
    ],
)
def test_a_row_shows_what_was_done_to_it(after, expected):
    assert change("tangrams", ROW, after) == expected


@settings(deadline=None)
@given(walk=walks())
def test_the_change_that_a_command_makes_has_the_name_of_its_action(walk: Walk):
    for before, after in _commands_of(walk):
        kind = change_between(walk.domain, before.world, after.world).kind
        assert kind == ("nothing" if before.world == after.world else after.history[-1].action)


@settings(deadline=None, max_examples=30)
@given(data=st.data(), domain=domains)
def test_two_actions_that_lead_to_different_worlds_are_different_changes(data, domain: Domain):
    before = data.draw(worlds(domain))
    afters = set(_afters(domain, before))
    changes = [change_between(domain, before, after) for after in afters]
    for one, other in itertools.combinations(changes, 2):
        assert one.kind != other.kind or one.differing_roles(other)


def _commands_of(walk: Walk) -> Iterator[tuple]:
    for before, after in zip(walk.states, walk.states[1:]):
        if after.utterance > before.utterance:
            yield before, after


def _afters(domain: Domain, world: World) -> Iterator[World]:
    """The worlds that one command can lead to, with objects by index."""
    objects = [f"allObjects {i} index" for i in range(1, len(world.objects) + 1)]
    numbers = [token.name for token in domain.tokens if token.name.isdecimal()]
    colors = [token.name for token in domain.tokens if token.kind is Kind.COLOR][:3]
    arguments = {
        "create": [numbers, colors, colors],
        "move": [objects, numbers],
        "drain": [objects, numbers],
    }
    for action in domain.action_tokens:
        for chosen in itertools.product(*arguments.get(action.name, [objects] * action.arity)):
            with contextlib.suppress(ExecutionError):
                yield execute(domain, world, [*" ".join(chosen).split(), action.name]).world
