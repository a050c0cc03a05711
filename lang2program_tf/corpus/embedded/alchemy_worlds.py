"""Random worlds of alchemy, distributed like those of SCONE's file alchemy-train.tsv."""

from __future__ import annotations

import random
from collections.abc import Callable

from lang2program_tf.corpus.embedded.grammar import Shares, Worlds, draw_share
from lang2program_tf.language.alchemy import COLORS, NUM_BEAKERS, AlchemyWorld

# First worlds: number of empty beakers; amounts of the others are even (.244 to .254), and
# so are the five colors (.197 to .203). Nothing is brown or mixed yet.
EMPTY_AT_START: Shares = {0: 0.214, 1: 0.377, 2: 0.279, 3: 0.111, 4: 0.018, 5: 0.001}
# All worlds.
EMPTY: Shares = {
    0: 0.058,
    1: 0.163,
    2: 0.233,
    3: 0.243,
    4: 0.176,
    5: 0.091,
    6: 0.032,
    7: 0.005,
}
AMOUNT: Shares = {1: 0.223, 2: 0.253, 3: 0.302, 4: 0.222}
BROWN = 0.026
MIXED = 0.043
MIXED_AMOUNT: Shares = {2: 0.307, 3: 0.693}
PURE_COLORS = COLORS.replace("b", "")


def _beakers(rng: random.Random, num_empty: int, fill: Callable[[], str]) -> AlchemyWorld:
    empty = rng.sample(range(NUM_BEAKERS), num_empty)
    return AlchemyWorld(tuple("" if i in empty else fill() for i in range(NUM_BEAKERS)))


def _first_world(rng: random.Random) -> AlchemyWorld:
    def fill() -> str:
        return rng.choice(PURE_COLORS) * rng.randint(1, 4)

    return _beakers(rng, draw_share(rng, EMPTY_AT_START), fill)


def _any_world(rng: random.Random) -> AlchemyWorld:
    def fill() -> str:
        kind = rng.random()
        if kind < MIXED:
            amount = draw_share(rng, MIXED_AMOUNT)
            bottom, top = rng.sample(PURE_COLORS, 2)
            below = rng.randint(1, amount - 1)
            return bottom * below + top * (amount - below)
        brown = kind < MIXED + BROWN
        return ("b" if brown else rng.choice(PURE_COLORS)) * draw_share(rng, AMOUNT)

    return _beakers(rng, draw_share(rng, EMPTY), fill)


WORLDS = Worlds(_first_world, _any_world)
