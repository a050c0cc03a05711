from __future__ import annotations

import pytest

from lang2program_tf.analysis.references import command_references, sentence_references
from lang2program_tf.language import get_domain
from lang2program_tf.language.infix import infix_commands


@pytest.mark.parametrize(
    ("sentence", "ways"),
    [
        ("Pour the third beaker into beaker 6", ["place"]),
        ("swap the 1st and 4th figure", ["place"]),
        ("throw out two units of the red one", ["property"]),
        ("drain 2 units", ["none of these"]),
        ("mix it", ["pronoun"]),
        ("delete the figure from step 3 again", ["earlier step"]),
        ("repeat the first step", ["place", "earlier step"]),
        ("the man without a hat leaves", ["property"]),
        ("he moves one space to the right", ["neighbour", "pronoun"]),
        (
            "a man in green, appears on the left of the last one",
            ["place", "property", "neighbour"],
        ),
        ("undo", ["earlier step"]),
        # Only whole words count: "fit" is no "it", "reddish" no "red".
        ("a reddish bit will fit", ["none of these"]),
        ("no one moves", ["none of these"]),
    ],
)
def test_a_sentence_refers_by_its_words(sentence, ways):
    assert list(sentence_references(sentence)) == ways


@pytest.mark.parametrize(
    ("program", "ways"),
    [
        ("red hasShirt leave", ["property"]),
        ("red hasShirt 1 index 3 move", ["index", "property"]),
        ("-1 prevArg1 red hasHat leftOf move", ["property", "leftOf, rightOf", "prevArg"]),
        ("3 red noHat create", ["none of these"]),
        ("red hasShirt -1 prevAction", ["property", "prevAction"]),
    ],
)
def test_a_command_refers_by_its_functions(program, ways):
    (command,) = infix_commands(get_domain("scene"), program.split())
    assert list(command_references(command)) == ways


def test_no_command_refers_to_nothing():
    assert command_references(None) == ("none of these",)
