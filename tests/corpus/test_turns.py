from __future__ import annotations

import pytest
from hypothesis import given, settings

from lang2program_tf.corpus.scone import Line
from lang2program_tf.corpus.turns import read_dialogues, turns, with_commands
from lang2program_tf.errors import UserError
from lang2program_tf.language import (
    UNKNOWN_COMMAND,
    Kind,
    State,
    commands_between,
    get_domain,
    perform,
)
from lang2program_tf.language.scene import Person
from tests.language.examples import stage
from tests.language.strategies import walks


def line(*worlds: str | None) -> Line:
    return Line("a", worlds, tuple(f"sentence {n}" for n in range(1, len(worlds))))


def dialogue(domain: str, *worlds: str):
    return read_dialogues([line(*worlds)], domain=domain)[0]


def identities(world) -> list[int]:
    return [person.identity for person in world.objects]


def test_a_turn_has_all_sentences_so_far_and_the_worlds_around_the_last():
    first, second = turns([line("1:2 2:0", "1:0", "1:0 2:4")], domain="tangrams")
    assert (first.id, first.utterances) == ("a:1", ("sentence 1",))
    assert (first.world, first.target) == ("1:2 2:0", "1:0")
    assert first.start == State(first.start.world)
    assert (second.id, second.utterances) == ("a:2", ("sentence 1", "sentence 2"))
    assert (second.world, second.target, second.first_world) == ("1:0", "1:0 2:4", "1:2 2:0")
    assert str(second.start.world) == "1:0"
    assert [command.action for command in second.start.history] == ["remove"]
    assert second.start.stack == ()


def test_where_several_commands_fit_the_seed_chooses():
    lines = [line("1:2 2:0", "1:0 2:2", "1:0")._replace(id=str(number)) for number in range(40)]

    def firsts(seed: int) -> list[str]:
        examples = turns(lines, domain="tangrams", seed=seed)
        return [e.start.history[0].arguments[0].shape for e in examples if e.start.history]

    assert set(firsts(0)) == {"0", "2"}
    assert firsts(0) == firsts(0) != firsts(1)


def test_turns_can_be_given_other_commands_so_far():
    lines = [
        line("1:2 2:0", "1:0 2:2", "1:0", "1:2 2:3 3:4", "1:2 2:3"),
        line("1:2 2:0", "1:0 2:2", "1:0"),
    ]
    examples = turns(lines, domain="tangrams")
    dialogues = read_dialogues(lines, domain="tangrams")
    for choices in ([0, 0, 0, 0, 1, 0], [1, 0, 0, 0, 0, 0]):
        expected = (*dialogues[0].examples(choices[:4]), *dialogues[1].examples(choices[4:]))
        assert with_commands(get_domain("tangrams"), examples, choices) == expected


def test_one_may_choose_among_the_candidates():
    found = dialogue("tangrams", "1:2 2:0", "1:0 2:2", "1:0")
    (_, other), (_, same) = (found.examples(choices) for choices in ([0, 0], [1, 0]))
    assert found.candidates[0] == (other.start.history[0], same.start.history[0])


def test_a_command_that_nobody_knows_leaves_the_given_world_and_history_goes_on():
    found = dialogue("tangrams", "1:2 2:0 3:1", "1:1", "1:1 2:4", "1:4")
    examples = found.examples(found.draw(0))
    assert found.candidates[0] == ()
    assert examples[1].start.history == (UNKNOWN_COMMAND,)
    assert examples[1].world == "1:1"
    assert [command.action for command in examples[2].start.history] == ["unknown", "add"]


def test_people_keep_their_numbers_as_they_move():
    found = dialogue(
        "scene",
        stage(_1="r_", _3="g_"),
        stage(_3="g_", _5="r_"),
        stage(_3="g_", _5="r_", _7="y_"),
        stage(_3="g_", _5="r_"),
    )
    assert [identities(world) for world in found.worlds] == [[0, 1], [1, 0], [1, 0, 2], [1, 0]]
    assert found.history([0, 0, 0])[2].arguments == (Person(7, "y", "e", 2),)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        # Who stands where he stood and looks as he looked is the same person.
        ({"_1": "r_", "_2": "g_"}, {"_2": "g_", "_3": "y_"}, [1, 2]),
        # Two moved at once: known by their looks.
        ({"_1": "r_", "_2": "g_"}, {"_8": "g_", "_9": "r_"}, [1, 0]),
        # A shirt says more than a hat, a hat more than nothing.
        ({"_1": "ro", "_2": "go"}, {"_4": "rp", "_5": "bo"}, [0, 1]),
        # Of two who look alike the nearer.
        ({"_1": "r_", "_9": "r_"}, {"_2": "r_", "_4": "r_", "_8": "r_"}, [0, 2, 1]),
        ({"_1": "r_"}, {"_1": "yo", "_2": "go"}, [1, 2]),
    ],
)
def test_after_an_unknown_command_people_are_recognised(before, after, expected):
    found = dialogue("scene", stage(**before), stage(**after))
    assert found.candidates == ((),)
    assert identities(found.worlds[1]) == expected
    assert found.worlds[1].next_identity == max(*expected, len(before) - 1) + 1


@settings(max_examples=50, deadline=None)
@given(walks())
def test_dialogues_give_back_the_states_of_the_program_that_made_them(walk):
    done = [walk.states[0]] + [
        after
        for token, after in zip(walk.tokens, walk.states[1:])
        if token.kind in (Kind.ACTION, Kind.PREV_ACTION)
    ]
    if len(done) < 2:
        return
    found = dialogue(walk.domain.name, *(str(state.world) for state in done))
    commands = done[-1].history
    choices = [candidates.index(c) for candidates, c in zip(found.candidates, commands)]
    examples = found.examples(choices)
    for example, state in zip(examples, done):
        assert example.start.history == state.history
        assert example.start.world.objects == state.world.objects


@settings(max_examples=50, deadline=None)
@given(walks())
def test_whichever_candidate_is_performed_the_people_are_the_same(walk):
    for before, after in zip(walk.states, walk.states[1:]):
        found = commands_between(walk.domain, before.world, after.world)
        ends = [perform(walk.domain, State(before.world), command).world for command in found]
        assert all(end.objects == ends[0].objects for end in ends)


def test_a_world_that_nobody_knows_is_named():
    with pytest.raises(UserError, match=r"line 1 \(a\), column 4: the world is unknown"):
        turns([line("1:2", None, "1:2")], domain="tangrams")
