"""docs/worlds.md shows worlds as they are drawn."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lang2program_tf.language import get_domain

PAGE = Path(__file__).parents[2] / "docs" / "worlds.md"
SECTIONS = re.findall(
    r"^## (\w+):.*?^```\n(.*?)\n\n(.*?)\n```", PAGE.read_text("utf-8"), re.M | re.S
)


def test_every_domain_has_its_drawing():
    assert [name for name, _, _ in SECTIONS] == ["alchemy", "scene", "tangrams"]


@pytest.mark.parametrize(("name", "text", "drawing"), SECTIONS)
def test_a_world_is_drawn_as_the_page_shows(name, text, drawing):
    world = get_domain(name).parse_world(text)
    assert str(world) == text
    assert [line.rstrip() for line in world.draw().splitlines()] == drawing.splitlines()
