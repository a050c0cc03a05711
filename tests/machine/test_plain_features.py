"""Prefixes as rows of tables."""

from __future__ import annotations

import numpy as np
import pytest

from lang2program_tf.language import get_domain
from lang2program_tf.language.alchemy import Beaker
from lang2program_tf.language.scene import Person
from lang2program_tf.language.values import Color, ObjectList
from lang2program_tf.machine.plain_features import plain_stack_features, plain_tokens_features
from lang2program_tf.machine.primitives import attribute_rows, color_row, number_row


def test_only_the_last_four_tokens_count_and_the_latest_is_rightmost():
    found = plain_tokens_features([[], [5], [1, 2, 3, 4, 5, 6]])
    np.testing.assert_array_equal(found, [[-1] * 4, [-1, -1, -1, 5], [3, 4, 5, 6]])


def test_the_top_of_the_stack_is_the_rightmost_slot():
    found = plain_stack_features(get_domain("scene"), [[4, Color("g")]])
    np.testing.assert_array_equal(found.primitive, [[-1, number_row(4), color_row("g")]])
    assert not found.is_object.numpy().any()
    assert (found.attributes.numpy() == -1).all()


def test_a_lone_object_is_embedded_like_a_list_of_one():
    person = Person(3, "r", "e", 0)
    found = plain_stack_features(get_domain("scene"), [[person], [ObjectList([person])]])
    np.testing.assert_array_equal(found.attributes[0], found.attributes[1])
    np.testing.assert_array_equal(found.attributes[0, 2, :, 0], attribute_rows(person))
    np.testing.assert_array_equal(found.is_object, [[False, False, True]] * 2)


def test_objects_after_the_seventh_are_left_out():
    people = [Person(i, "r", "b", i) for i in range(1, 10)]
    found = plain_stack_features(get_domain("scene"), [[ObjectList(people)]])
    positions = [number_row(i) for i in range(1, 8)]
    np.testing.assert_array_equal(found.attributes[0, 2, 0], positions)


def test_an_empty_list_is_an_object_slot_without_objects():
    found = plain_stack_features(get_domain("tangrams"), [[ObjectList()]])
    assert found.attributes.shape == (1, 3, 2, 7)
    assert found.is_object.numpy().tolist() == [[False, False, True]]
    assert (found.attributes.numpy() == -1).all() and (found.primitive.numpy() == -1).all()


def test_a_stack_of_four_values_is_refused():
    with pytest.raises(ValueError, match=r"stacks\[1\] holds 4 values"):
        plain_stack_features(get_domain("alchemy"), [[1], [1, 2, 3, Beaker(1, "g")]])
