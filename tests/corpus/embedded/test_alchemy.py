from __future__ import annotations

from lang2program_tf.corpus.embedded.alchemy import references


def test_every_way_to_name_a_thing_means_that_thing(situations, meaning):
    for situation in situations("alchemy"):
        for thing in situation.objects:
            for phrase in references(situation, thing):
                assert meaning("alchemy", situation, phrase.tokens) == thing, phrase


def test_a_beaker_can_be_named_by_position_color_and_history(situations):
    used = {
        token
        for situation in situations("alchemy")
        for beaker in situation.objects
        for phrase in references(situation, beaker)
        for token in phrase.tokens
    }
    assert {"allObjects", "hasColor", "index", "-1", "7", "prevArg1", "prevArg2"} <= used


def test_a_color_alone_is_said_only_of_the_only_beaker_of_that_color(situations):
    for situation in situations("alchemy"):
        colors = [beaker.color for beaker in situation.objects]
        for beaker in situation.objects:
            alone = [p for p in references(situation, beaker) if p.tokens[1:] == ("hasColor",)]
            assert bool(alone) == (beaker.color is not None and colors.count(beaker.color) == 1)
