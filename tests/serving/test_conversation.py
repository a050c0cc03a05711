"""Sentences build on each other, and can be taken back."""

from __future__ import annotations

import pytest

from lang2program_tf.language import WorldError
from lang2program_tf.serving import Client
from lang2program_tf.serving.conversation import Conversation
from tests.serving.fake_transport import FakeTransport

WORLD = "1:2 2:1 3:4"
LEFT = ["1:1 2:4", "1:4", ""]


def removes(inputs):
    """Every sentence removes the first piece."""
    (said,) = inputs["utterances"]
    count = sum(map(bool, said))
    return {
        "program": [[" ".join(["allObjects 1 index remove"] * count)]],
        "world": [[LEFT[count - 1]]],
        "worlds": [LEFT[:count] + [""] * (3 - count)],
        "log_prob": [[-0.5]],
        "num_found": [1],
        "error": [""],
    }


def fails(inputs):
    return {**removes(inputs), "program": [[""]], "error": ["too hard"]}


@pytest.fixture
def conversation():
    return Conversation(Client(FakeTransport(answer=removes)), WORLD)


def test_sentences_are_read_together_until_there_are_too_many(conversation):
    turns = [conversation.say(word) for word in ("one", "two", "three", "four")]
    assert [turn.request.utterances for turn in turns] == [
        ("one",),
        ("one", "two"),
        ("one", "two", "three"),
        ("four",),
    ]
    assert [turn.forgot for turn in turns] == [False, False, False, True]
    assert turns[3].request.world == turns[3].before == turns[2].world


def test_undo_takes_back_sentences_and_changes(conversation):
    worlds = [conversation.world]
    conversation.say("one")
    worlds.append(conversation.world)
    conversation.change("1:3")
    assert conversation.world == "1:3"
    for expected in reversed(worlds):
        assert conversation.undo()
        assert conversation.world == expected
    assert not conversation.undo()
    assert conversation.say("two").request.utterances == ("two",)


def test_a_sentence_without_a_program_is_not_remembered():
    hard = Conversation(Client(FakeTransport(answer=fails)), WORLD)
    turn = hard.say("one")
    assert (turn.answer.error, turn.world, hard.world) == ("too hard", WORLD, WORLD)
    assert not hard.undo()


def test_a_world_of_another_domain_is_refused(conversation):
    with pytest.raises(WorldError):
        conversation.change("1:r_ 2:__")
    assert conversation.world == WORLD
