"""Random worlds of scene, distributed like those of SCONE's file scene-train.tsv."""

from __future__ import annotations

import random

from lang2program_tf.corpus.embedded.grammar import Shares, Worlds, draw_share
from lang2program_tf.language.scene import COLORS, NO_HAT, STAGE_LENGTH, Person, SceneWorld

# Every first world has two people with hats; shirts, hats and positions are even.
PEOPLE_AT_START = 2
# All worlds: the edges are preferred, and whoever comes later has no hat.
PEOPLE: Shares = {0: 0.008, 1: 0.158, 2: 0.507, 3: 0.256, 4: 0.061, 5: 0.010}
HAT = 0.737
POSITION: Shares = {
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


def _first_world(rng: random.Random) -> SceneWorld:
    positions = sorted(rng.sample(range(1, STAGE_LENGTH + 1), PEOPLE_AT_START))
    people = tuple(
        Person(position, rng.choice(COLORS), rng.choice(COLORS), identity)
        for identity, position in enumerate(positions)
    )
    return SceneWorld(people, len(people))


def _any_world(rng: random.Random) -> SceneWorld:
    count = draw_share(rng, PEOPLE)
    positions: set[int] = set()
    while len(positions) < count:
        positions.add(draw_share(rng, POSITION))
    people = []
    for identity, position in enumerate(sorted(positions)):
        shirt, hat = rng.choice(COLORS), rng.choice(COLORS)
        people.append(Person(position, shirt, hat if rng.random() < HAT else NO_HAT, identity))
    return SceneWorld(tuple(people), len(people))


WORLDS = Worlds(_first_world, _any_world)
