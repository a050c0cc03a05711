"""Rows of the primitive table."""

from __future__ import annotations

import json

import pytest

from lang2program_tf.language.alchemy import Beaker
from lang2program_tf.language.scene import Person
from lang2program_tf.language.tangrams import Tangram
from lang2program_tf.language.values import Color, Fraction, ObjectList
from lang2program_tf.machine import primitives as p


def test_the_rows_are_those_of_the_original(parity_file):
    meta = json.loads(parity_file("model.scene.stack.meta.json").read_text())
    assert list(p.PRIMITIVES) == meta["primitive_vocab"]


def test_runs_of_rows_begin_where_the_constants_say():
    assert [p.color_row(letter) - p.COLOR_BASE for letter in "rygopbe"] == list(range(7))
    assert [p.number_row(number) - p.NUMBER_ZERO for number in range(11)] == list(range(11))
    assert [p.shape_row(shape) - p.SHAPE_BASE for shape in "01234"] == list(range(5))
    assert p.PRIMITIVES[p.number_row(-1)] == -1
    assert p.PRIMITIVES[p.fraction_row("1/1")] == "X1/1"
    assert p.color_row(None) == p.COLOR_NA


def test_numbers_and_shapes_have_different_rows():
    assert p.number_row(3) != p.shape_row("3")


def test_only_numbers_colors_and_fractions_are_primitive():
    assert p.primitive_row(10) == p.NUMBER_ZERO + 10
    assert p.primitive_row(Color("y")) == p.COLOR_BASE + 1
    assert p.primitive_row(Fraction("1/1")) == p.fraction_row("1/1")
    assert p.primitive_row(Person(1, "r", "e", 0)) is None
    assert p.primitive_row(ObjectList()) is None


@pytest.mark.parametrize(
    ("thing", "values"),
    [
        (Beaker(7, "ggg"), (7, "g", 3)),
        (Beaker(2, "gr"), (2, "color-na", 2)),
        (Beaker(1, ""), (1, "color-na", 0)),
        (Person(10, "b", "e", 3), (10, "b", "e")),
        (Person(0, "r", "y", 3), (0, "r", "y")),
        (Tangram(5, "0"), (5, "0")),
    ],
)
def test_an_object_has_a_row_for_every_attribute(thing, values):
    assert tuple(p.PRIMITIVES[row] for row in p.attribute_rows(thing)) == values


def test_a_value_without_a_row_is_named():
    with pytest.raises(ValueError, match="number=11 has no row"):
        p.number_row(11)
