"""Random worlds, distributed like those of SCONE's training files, DOMAIN-train.tsv."""

from __future__ import annotations

import random
from typing import Callable, NamedTuple

from lang2program_tf.language import World
from lang2program_tf.language.alchemy import COLORS, NUM_BEAKERS, AlchemyWorld
from lang2program_tf.language.scene import COLORS as COLORS_OF_CLOTHES
from lang2program_tf.language.scene import NO_HAT, STAGE_LENGTH, Person, SceneWorld
from lang2program_tf.language.tangrams import SHAPES, TangramsWorld

Shares = dict[int, float]

# Alchemy, first worlds: number of empty beakers; amounts of the others are even (.244 to .254), and
# so are the five colors (.197 to .203). Nothing is brown or mixed yet.
ALCHEMY_EMPTY_AT_START: Shares = {0: 0.214, 1: 0.377, 2: 0.279, 3: 0.111, 4: 0.018, 5: 0.001}
# Alchemy, all worlds.
ALCHEMY_EMPTY: Shares = {
    0: 0.058,
    1: 0.163,
    2: 0.233,
    3: 0.243,
    4: 0.176,
    5: 0.091,
    6: 0.032,
    7: 0.005,
}
ALCHEMY_AMOUNT: Shares = {1: 0.223, 2: 0.253, 3: 0.302, 4: 0.222}
ALCHEMY_BROWN = 0.026
ALCHEMY_MIXED = 0.043
ALCHEMY_MIXED_AMOUNT: Shares = {2: 0.307, 3: 0.693}
PURE_COLORS = COLORS.replace("b", "")

# Scene: every first world has two people with hats; shirts, hats and positions are even.
SCENE_PEOPLE_AT_START = 2
# Scene, all worlds: the edges are preferred, and whoever comes later has no hat.
SCENE_PEOPLE: Shares = {0: 0.008, 1: 0.158, 2: 0.507, 3: 0.256, 4: 0.061, 5: 0.010}
SCENE_HAT = 0.737
SCENE_POSITION: Shares = {
    1: 0.145,
    2: 0.100,
    3: 0.089,
    4: 0.080,
    5: 0.075,
    6: 0.079,
    7: 0.084,
    8: 0.092,
    9: 0.106,
    10: 0.149,
}

# Tangrams: every first world is a permutation of all five, each as frequent as another.
TANGRAMS_LENGTH: Shares = {0: 0.001, 1: 0.007, 2: 0.039, 3: 0.131, 4: 0.337, 5: 0.486}


class Worlds(NamedTuple):
    """The worlds of a domain.

    Attributes:
      first: draws a world in which an interaction begins.
      any: draws a world as it is met anywhere in interactions.
    """

    first: Callable[[random.Random], World]
    any: Callable[[random.Random], World]


def _draw(rng: random.Random, shares: Shares) -> int:
    return rng.choices(list(shares), weights=list(shares.values()))[0]


def _beakers(rng: random.Random, num_empty: int, fill: Callable[[], str]) -> AlchemyWorld:
    empty = rng.sample(range(NUM_BEAKERS), num_empty)
    return AlchemyWorld(tuple("" if i in empty else fill() for i in range(NUM_BEAKERS)))


def _first_alchemy(rng: random.Random) -> AlchemyWorld:
    def fill() -> str:
        return rng.choice(PURE_COLORS) * rng.randint(1, 4)

    return _beakers(rng, _draw(rng, ALCHEMY_EMPTY_AT_START), fill)


def _any_alchemy(rng: random.Random) -> AlchemyWorld:
    def fill() -> str:
        kind = rng.random()
        if kind < ALCHEMY_MIXED:
            amount = _draw(rng, ALCHEMY_MIXED_AMOUNT)
            bottom, top = rng.sample(PURE_COLORS, 2)
            below = rng.randint(1, amount - 1)
            return bottom * below + top * (amount - below)
        brown = kind < ALCHEMY_MIXED + ALCHEMY_BROWN
        return ("b" if brown else rng.choice(PURE_COLORS)) * _draw(rng, ALCHEMY_AMOUNT)

    return _beakers(rng, _draw(rng, ALCHEMY_EMPTY), fill)


def _first_scene(rng: random.Random) -> SceneWorld:
    positions = sorted(rng.sample(range(1, STAGE_LENGTH + 1), SCENE_PEOPLE_AT_START))
    people = tuple(
        Person(position, rng.choice(COLORS_OF_CLOTHES), rng.choice(COLORS_OF_CLOTHES), identity)
        for identity, position in enumerate(positions)
    )
    return SceneWorld(people, len(people))


def _any_scene(rng: random.Random) -> SceneWorld:
    count = _draw(rng, SCENE_PEOPLE)
    positions: set[int] = set()
    while len(positions) < count:
        positions.add(_draw(rng, SCENE_POSITION))
    people = []
    for identity, position in enumerate(sorted(positions)):
        shirt, hat = rng.choice(COLORS_OF_CLOTHES), rng.choice(COLORS_OF_CLOTHES)
        people.append(
            Person(position, shirt, hat if rng.random() < SCENE_HAT else NO_HAT, identity)
        )
    return SceneWorld(tuple(people), len(people))


def _first_tangrams(rng: random.Random) -> TangramsWorld:
    return TangramsWorld(tuple(rng.sample(SHAPES, len(SHAPES))))


def _any_tangrams(rng: random.Random) -> TangramsWorld:
    return TangramsWorld(tuple(rng.sample(SHAPES, _draw(rng, TANGRAMS_LENGTH))))


WORLDS: dict[str, Worlds] = {
    "alchemy": Worlds(_first_alchemy, _any_alchemy),
    "scene": Worlds(_first_scene, _any_scene),
    "tangrams": Worlds(_first_tangrams, _any_tangrams),
}
