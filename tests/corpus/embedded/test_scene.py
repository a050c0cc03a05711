from __future__ import annotations

from lang2program_tf.corpus.embedded.scene import references


def test_every_way_to_name_a_thing_means_that_thing(situations, meaning):
    for situation in situations("scene"):
        for thing in situation.objects:
            for phrase in references(situation, thing):
                assert meaning("scene", situation, phrase.tokens) == thing, phrase


def test_nobody_is_he_after_someone_left(situations):
    for situation in situations("scene"):
        pronouns = [
            phrase
            for person in situation.objects
            for phrase in references(situation, person)
            if phrase.pattern == "{he}"
        ]
        assert len(pronouns) <= 1
        if situation.last_action in ("", "leave"):
            assert not pronouns


def test_everybody_can_be_named(situations):
    for situation in situations("scene"):
        assert all(references(situation, person) for person in situation.objects)
