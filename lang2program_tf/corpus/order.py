"""The order in which the 2017 code held its examples, and the fixed sample it evaluated on."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

_SHUFFLE_SEED = 42
_SAMPLE_SEED = 0
SAMPLE_SIZE = 150

T = TypeVar("T")


def original_order(items: Sequence[T]) -> tuple[T, ...]:
    """The items as the original shuffled them after reading.

    It is the shuffle of Python 2, which draws its numbers another way than Python 3 does.
    """
    uniform = random.Random(_SHUFFLE_SEED).random
    shuffled = list(items)
    for i in range(len(shuffled) - 1, 0, -1):
        j = int(uniform() * (i + 1))
        shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
    return tuple(shuffled)


def evaluation_sample(examples: Sequence[T], *, size: int = SAMPLE_SIZE) -> tuple[T, ...]:
    """The same `size` of the examples each time (all if there are fewer).

    For examples in the original's order it is the original's sample.
    """
    chosen = np.random.RandomState(_SAMPLE_SEED).choice(
        len(examples), min(size, len(examples)), replace=False
    )
    return tuple(examples[i] for i in chosen)
