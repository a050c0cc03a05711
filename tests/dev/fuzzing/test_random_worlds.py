"""Random worlds reach the extremes; simpler worlds are simpler."""

from __future__ import annotations

from random import Random

import pytest

from lang2program_dev.fuzzing.random_worlds import random_world, simpler_worlds
from lang2program_tf.language import DOMAINS, World, get_domain


def _texts(name: str, count: int = 2000) -> set[str]:
    rng = Random(0)
    return {str(random_world(get_domain(name), rng)) for _ in range(count)}


def test_scenes_are_empty_and_full_and_all_between():
    texts = _texts("scene")
    assert {10 - text.count("__") for text in texts} == set(range(11))
    contents = {cell.split(":")[1] for text in texts for cell in text.split()}
    assert contents == {shirt + hat for shirt in "rygopbe" for hat in "rygopb_"} | {"__"}


def test_beakers_are_empty_and_full_and_mixed():
    texts = _texts("alchemy")
    assert "1:_ 2:_ 3:_ 4:_ 5:_ 6:_ 7:_" in texts
    cells = [[cell.split(":")[1] for cell in text.split()] for text in texts]
    assert any(all(len(beaker) == 4 for beaker in world) for world in cells)
    assert any(all(len(set(beaker)) > 1 for beaker in world) for world in cells)
    assert any(all(len(set(beaker)) == 1 for beaker in world) for world in cells)
    assert {letter for world in cells for beaker in world for letter in beaker} == set("rygopb_")


def test_rows_of_tangrams_have_every_length_and_order():
    assert len(_texts("tangrams", 20_000)) == 1 + 5 + 20 + 60 + 120 + 120


@pytest.mark.parametrize("name", sorted(DOMAINS))
def test_simpler_worlds_lead_to_the_emptiest_one(name):
    domain = get_domain(name)

    def size(world: World) -> int:
        return len(str(world).replace("_", ""))

    world = max((random_world(domain, Random(seed)) for seed in range(20)), key=size)
    simpler = list(simpler_worlds(domain, world))
    assert simpler
    while simpler:
        assert all(size(other) < size(world) for other in simpler)
        world = simpler[-1]
        simpler = list(simpler_worlds(domain, world))
    emptiest = {
        "alchemy": "1:_ 2:_ 3:_ 4:_ 5:_ 6:_ 7:_",
        "scene": "1:__ 2:__ 3:__ 4:__ 5:__ 6:__ 7:__ 8:__ 9:__ 10:__",
        "tangrams": "",
    }
    assert str(world) == emptiest[name]
