from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from lang2program_tf.language import get_domain
from tests.language.examples import beakers, stage
from tests.language.strategies import domains, worlds


def drawn(domain: str, world: str) -> str:
    return get_domain(domain).parse_world(world).draw()


def without_colors(text: str) -> str:
    return re.sub("\x1b\\[[0-9;]*m", "", text)


def trimmed(text: str) -> list[str]:
    return [line.rstrip() for line in text.split("\n")]


def test_alchemy_is_seven_beakers_filled_from_the_bottom():
    assert (
        drawn("alchemy", beakers(_1="ggg", _3="rygo", _7="b"))
        == """
│   │ │   │ │ o │ │   │ │   │ │   │ │   │
│ g │ │   │ │ g │ │   │ │   │ │   │ │   │
│ g │ │   │ │ y │ │   │ │   │ │   │ │   │
│ g │ │   │ │ r │ │   │ │   │ │   │ │ b │
└───┘ └───┘ └───┘ └───┘ └───┘ └───┘ └───┘
  1     2     3     4     5     6     7
""".strip("\n")
    )


def test_scene_is_people_on_ten_positions_with_or_without_a_hat():
    assert (
        drawn("scene", stage(_2="r_", _9="b_", _10="yo"))
        == r"""
                                                       ┌o┐
       (")                                       (")   (")
       /r\                                       /b\   /y\
───── ───── ───── ───── ───── ───── ───── ───── ───── ─────
  1     2     3     4     5     6     7     8     9    10
""".strip("\n")
    )


def test_tangrams_are_five_different_shapes():
    assert (
        drawn("tangrams", "1:2 2:1 3:4 4:0 5:3")
        == r"""
  / \    ┌───┐   \---/     ^       ___
 < 2 >   │ 1 │    >4<     /0\     /3 /
  \ /    └───┘   /---\   /___\   /__/
   1       2       3       4       5
""".strip("\n")
    )


def test_an_empty_row_says_so():
    assert drawn("tangrams", "") == "(an empty row)"


@given(st.data(), domains)
def test_worlds_that_differ_look_different(data, domain):
    first, second = data.draw(worlds(domain)), data.draw(worlds(domain))
    assert (first.draw() == second.draw()) == (first == second)


@given(st.data(), domains)
def test_colors_add_nothing_but_escape_sequences(data, domain):
    world = data.draw(worlds(domain))
    colored = world.draw(ansi=True)
    assert trimmed(without_colors(colored)) == trimmed(world.draw())
    assert all(line.count("\x1b[0m") * 2 == line.count("\x1b[") for line in colored.split("\n"))


def test_b_is_painted_brown_in_alchemy_and_blue_in_scene():
    brown = get_domain("alchemy").parse_world(beakers(_1="b")).draw(ansi=True)
    blue = get_domain("scene").parse_world(stage(_1="b_")).draw(ansi=True)
    assert "\x1b[48;5;94;38;5;15m b \x1b[0m" in brown
    assert "\x1b[48;5;21;38;5;15m/b\\\x1b[0m" in blue
