"""Random worlds of the three domains, and worlds that are simpler than a given one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from lang2program_tf.language import Domain, World, alchemy, scene, tangrams
from lang2program_tf.language.domain import parse_cells

_EMPTY_BEAKER = "_"
_EMPTY_PLACE = "__"
_NO_HAT = "_"
_SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)


def random_world(domain: Domain, rng: Random) -> World:
    """Any world of the domain, with those that look like the data set's among the likely ones.

    Whole worlds are drawn sparse or full, one-colored or motley, so that extremes (nobody on stage,
    seven full beakers) come up as often as what lies between.
    """
    return domain.parse_world(_join(_DRAWS[domain.name](rng)))


def simpler_worlds(domain: Domain, world: World) -> Iterator[World]:
    """Worlds with one object, unit or hat less."""
    cells = parse_cells(str(world), str(world))
    for place, content in enumerate(cells):
        for simpler in _SIMPLER[domain.name](content):
            yield domain.parse_world(_join([*cells[:place], *simpler, *cells[place + 1 :]]))


def _join(contents: Sequence[str]) -> str:
    return " ".join(f"{position}:{content}" for position, content in enumerate(contents, start=1))


def _draw_alchemy(rng: Random) -> list[str]:
    palette = rng.sample(alchemy.COLORS, rng.randint(1, len(alchemy.COLORS)))
    filled, motley = rng.choice(_SHARES), rng.choice(_SHARES)
    least = rng.randint(1, alchemy.CAPACITY)

    def beaker() -> str:
        if rng.random() >= filled:
            return _EMPTY_BEAKER
        amount = rng.randint(least, alchemy.CAPACITY)
        if rng.random() < motley:
            return "".join(rng.choices(palette, k=amount))
        return rng.choice(palette) * amount

    return [beaker() for _ in range(alchemy.NUM_BEAKERS)]


def _draw_scene(rng: Random) -> list[str]:
    # A shirt `e` comes only from creating somebody with noHat for a shirt.
    shirts = rng.sample(scene.COLORS + scene.NO_HAT, rng.randint(1, len(scene.COLORS) + 1))
    hats = rng.sample(scene.COLORS, rng.randint(1, len(scene.COLORS)))
    occupied, hatted = rng.choice(_SHARES), rng.choice(_SHARES)

    def place() -> str:
        if rng.random() >= occupied:
            return _EMPTY_PLACE
        return rng.choice(shirts) + (rng.choice(hats) if rng.random() < hatted else _NO_HAT)

    return [place() for _ in range(scene.STAGE_LENGTH)]


def _draw_tangrams(rng: Random) -> list[str]:
    return rng.sample(tangrams.SHAPES, rng.randint(0, len(tangrams.SHAPES)))


def _simpler_beaker(content: str) -> Iterator[list[str]]:
    if content != _EMPTY_BEAKER:
        yield [_EMPTY_BEAKER]
    if len(content) > 1:
        yield from ([content[:unit] + content[unit + 1 :]] for unit in range(len(content)))


def _simpler_place(content: str) -> Iterator[list[str]]:
    if content != _EMPTY_PLACE:
        yield [_EMPTY_PLACE]
        if content[1] != _NO_HAT:
            yield [content[0] + _NO_HAT]


def _no_piece(content: str) -> Iterator[list[str]]:
    del content
    yield []


_DRAWS = {"alchemy": _draw_alchemy, "scene": _draw_scene, "tangrams": _draw_tangrams}
_SIMPLER = {"alchemy": _simpler_beaker, "scene": _simpler_place, "tangrams": _no_piece}
