from __future__ import annotations

import pytest

import gin
from lang2program_tf.corpus.load import examples_of, is_held_out
from lang2program_tf.corpus.mirror import mirror_image
from lang2program_tf.corpus.scone import Line
from lang2program_tf.corpus.turns import turns
from tests.language.examples import stage


def line(*utterances: str) -> Line:
    worlds = (stage(_1="r_"), stage(_2="r_"), stage(_3="r_"))
    return Line("a", worlds[: len(utterances) + 1], utterances)


def test_who_stands_at_the_left_end_stands_at_the_right_end_in_the_mirror():
    image = mirror_image(Line("a", (stage(_1="r_", _4="yo"), None), ("the man in red moves",)))
    assert image.worlds == (stage(_7="yo", _10="r_"), None)


def test_left_and_right_are_exchanged_in_sentences():
    image = mirror_image(
        line("moves to the far Left", "the rightmost one, left of him, goes right")
    )
    assert image.utterances == (
        "moves to the far right",
        "the leftmost one, right of him, goes left",
    )


def test_the_mirror_image_of_a_mirror_image_is_the_line_itself():
    original = line("he moves one space to the left", "the person to his right leaves")
    assert mirror_image(mirror_image(original))[1:] == original[1:]


@pytest.mark.parametrize(
    "utterance",
    [
        "the first person leaves",
        "the man in the red hat left the stage",
        "he left",
        "then left",
        "he moves right next to the man in red",
    ],
)
def test_a_line_has_no_image_if_a_sentence_may_mean_something_else_there(utterance: str):
    assert mirror_image(line("the man leaves", utterance)) is None


@pytest.mark.parametrize(
    "utterance",
    ["he moves to the right by one", "the man in the hat moves left of him", "just left of her"],
)
def test_directions_are_not_taken_for_anything_else(utterance: str):
    assert mirror_image(line(utterance)) is not None


def test_turns_of_images_follow_those_of_all_lines():
    lines = [line("he moves one to the right"), line("the first man moves")]
    examples = turns(lines, domain="scene", mirror=True)
    assert [(example.id, example.line) for example in examples] == [
        ("a:1", 0),
        ("a:1", 1),
        ("a-mirrored:1", 0),
    ]
    assert (examples[2].world, examples[2].target) == (stage(_10="r_"), stage(_9="r_"))


def test_the_image_of_a_line_that_is_held_out_is_held_out():
    lines = [line("he moves one to the right")._replace(id=f"line {n}") for n in range(40)]
    held = {number for number, one in enumerate(lines) if is_held_out(one, share=0.5)}
    assert 0 < len(held) < 40
    with gin.unlock_config():
        gin.bind_parameter("turns.mirror", True)
    examples = examples_of(lines, domain="scene", split="train", form="turns", holdout=0.5)
    assert {example.line for example in examples} == set(range(40)) - held
    assert len(examples) == 2 * (40 - len(held))


def test_what_has_no_sides_has_no_mirror():
    with pytest.raises(ValueError, match="mirror=True must be False for tangrams"):
        turns([], domain="tangrams", mirror=True)
