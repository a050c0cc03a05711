from __future__ import annotations

from lang2program_tf.corpus.embedded.tangrams import references


def test_every_way_to_name_a_thing_means_that_thing(situations, meaning):
    for situation in situations("tangrams"):
        for thing in situation.objects:
            for phrase in references(situation, thing):
                assert meaning("tangrams", situation, phrase.tokens) == thing, phrase


def test_the_middle_is_said_only_of_a_full_row(situations):
    for situation in situations("tangrams"):
        for piece in situation.objects:
            middle = any("middle" in p.pattern for p in references(situation, piece))
            assert middle == (len(situation.objects) == 5 and piece.position == 3)
