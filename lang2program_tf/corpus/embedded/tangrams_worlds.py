"""Random worlds of tangrams, distributed like those of SCONE's file tangrams-train.tsv."""

from __future__ import annotations

import random

from lang2program_tf.corpus.embedded.grammar import Shares, Worlds, draw_share
from lang2program_tf.language.tangrams import SHAPES, TangramsWorld

# Every first world is a permutation of all five, each as frequent as another.
LENGTH: Shares = {0: 0.001, 1: 0.007, 2: 0.039, 3: 0.131, 4: 0.337, 5: 0.486}


def _first_world(rng: random.Random) -> TangramsWorld:
    return TangramsWorld(tuple(rng.sample(SHAPES, len(SHAPES))))


def _any_world(rng: random.Random) -> TangramsWorld:
    return TangramsWorld(tuple(rng.sample(SHAPES, draw_share(rng, LENGTH))))


WORLDS = Worlds(_first_world, _any_world)
