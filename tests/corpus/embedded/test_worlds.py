from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from lang2program_tf.corpus.embedded import alchemy_worlds, scene_worlds, tangrams_worlds
from lang2program_tf.corpus.embedded.generator import GRAMMARS
from lang2program_tf.corpus.scone import read_lines
from lang2program_tf.language import World, get_domain
from lang2program_tf.language.scene import COLORS

DOMAINS = ("alchemy", "scene", "tangrams")


def shares(values: Iterable[object]) -> dict[object, float]:
    counts = Counter(values)
    return {value: count / sum(counts.values()) for value, count in counts.items()}


def assert_like(measured: dict, constants: dict, tolerance: float) -> None:
    for value in {*measured, *constants}:
        assert measured.get(value, 0) == pytest.approx(constants.get(value, 0), abs=tolerance)


def draws(domain: str, kind: str, count: int = 4000) -> list[World]:
    rng = random.Random(1)
    return [getattr(GRAMMARS[domain].worlds, kind)(rng) for _ in range(count)]


@pytest.fixture(scope="module")
def real(data_dir: Path):
    """The real worlds of a training file: (first worlds, all worlds)."""

    def read(domain: str) -> tuple[list[World], list[World]]:
        path = data_dir / "scone" / f"{domain}-train.tsv"
        if not path.exists():
            pytest.skip(f"no {path}")
        parse = get_domain(domain).parse_world
        lines = [[parse(world) for world in line.worlds] for line in read_lines(path, domain)]
        return [line[0] for line in lines], [world for line in lines for world in line]

    return read


@pytest.mark.parametrize("kind", ["first", "any"])
@pytest.mark.parametrize("domain", DOMAINS)
def test_a_world_reads_back_as_itself(domain, kind):
    for world in draws(domain, kind, 200):
        assert get_domain(domain).parse_world(str(world)) == world


@pytest.mark.parametrize("domain", DOMAINS)
def test_the_same_seed_draws_the_same_worlds(domain):
    assert draws(domain, "any", 50) == draws(domain, "any", 50)


def empty(world: World) -> int:
    return sum(not beaker.units for beaker in world.objects)


def amounts(worlds: Iterable[World]) -> dict:
    return shares(len(b.units) for world in worlds for b in world.objects if b.units)


def kinds(worlds: Iterable[World]) -> dict:
    return shares(b.color or "mixed" for world in worlds for b in world.objects if b.units)


def pure(total: float) -> dict:
    return {color: total / len(alchemy_worlds.PURE_COLORS) for color in alchemy_worlds.PURE_COLORS}


def check_alchemy(first: list[World], everywhere: list[World], tolerance: float) -> None:
    assert_like(shares(map(empty, first)), alchemy_worlds.EMPTY_AT_START, tolerance)
    assert_like(amounts(first), dict.fromkeys((1, 2, 3, 4), 0.25), tolerance)
    assert_like(kinds(first), pure(1.0), tolerance)
    assert_like(shares(map(empty, everywhere)), alchemy_worlds.EMPTY, tolerance)
    assert_like(amounts(everywhere), alchemy_worlds.AMOUNT, tolerance)
    rest = {"b": alchemy_worlds.BROWN, "mixed": alchemy_worlds.MIXED}
    assert_like(kinds(everywhere), {**pure(1 - sum(rest.values())), **rest}, tolerance)


def check_scene(first: list[World], everywhere: list[World], tolerance: float) -> None:
    assert {len(world.objects) for world in first} == {scene_worlds.PEOPLE_AT_START}
    even = dict.fromkeys(COLORS, 1 / 6)
    assert_like(shares(p.shirt for world in first for p in world.objects), even, tolerance)
    assert_like(shares(p.hat for world in first for p in world.objects), even, tolerance)
    stage = dict.fromkeys(range(1, 11), 0.1)
    assert_like(shares(p.position for world in first for p in world.objects), stage, tolerance)
    assert_like(shares(len(world.objects) for world in everywhere), scene_worlds.PEOPLE, tolerance)
    hats = shares(p.hat != "e" for world in everywhere for p in world.objects)
    assert hats[True] == pytest.approx(scene_worlds.HAT, abs=tolerance)
    positions = shares(p.position for world in everywhere for p in world.objects)
    assert_like(positions, scene_worlds.POSITION, tolerance)


def check_tangrams(first: list[World], everywhere: list[World], tolerance: float) -> None:
    assert len(set(first)) == 120
    lengths = shares(len(world.objects) for world in everywhere)
    assert_like(lengths, tangrams_worlds.LENGTH, tolerance)


CHECKS = {"alchemy": check_alchemy, "scene": check_scene, "tangrams": check_tangrams}


@pytest.mark.parametrize("domain", DOMAINS)
def test_worlds_are_drawn_as_the_constants_say(domain):
    CHECKS[domain](draws(domain, "first"), draws(domain, "any"), tolerance=0.025)


@pytest.mark.parametrize("domain", DOMAINS)
def test_the_constants_are_those_of_the_real_training_file(domain, real):
    first, later = real(domain)
    CHECKS[domain](first, later, tolerance=0.01)
