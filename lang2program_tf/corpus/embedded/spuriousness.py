"""Spurious programs: those that reach the right world for the wrong reason.

A prediction is spurious if its world is right but its program does not mean what the gold program
means, that is, if it disagrees with it on some of 20 other worlds on which the gold program runs.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from tqdm import tqdm

from lang2program_tf.corpus.embedded.generator import GRAMMARS
from lang2program_tf.corpus.scone import Example
from lang2program_tf.language import Domain, ExecutionError, World, execute, get_domain

NUM_WORLDS = 20
# A gold program of five commands may run on one world of a thousand.
MAX_TRIES = 20_000


class Comparison(NamedTuple):
    """A predicted program next to a gold one.

    Attributes:
        same: whether they agree on all the worlds tried.
        num_worlds: how many that were; fewer than wanted if the gold program seldom runs.
    """

    same: bool
    num_worlds: int


class Spuriousness(NamedTuple):
    """How many of the right predictions are right for the wrong reason.

    Attributes:
        share: spurious / measured; 0 if none was measured.
        spurious: predictions with the right world that do not mean the gold program.
        measured: predictions with the right world, for examples with a gold program.
        few_worlds: how many of these were compared on fewer worlds than wanted.
    """

    share: float
    spurious: int
    measured: int
    few_worlds: int


def compare_meaning(
    domain: str, gold: Sequence[str], predicted: Sequence[str], *, seed: int
) -> Comparison:
    """Compares two programs (names of tokens) on random worlds on which the gold one runs."""
    language = get_domain(domain)
    draw = GRAMMARS[domain].worlds.any
    rng = random.Random(seed)
    found = 0
    for _ in range(MAX_TRIES):
        world = draw(rng)
        wanted = _outcome(language, world, gold)
        if wanted is None:
            continue
        found += 1
        if _outcome(language, world, predicted) != wanted:
            return Comparison(False, found)
        if found == NUM_WORLDS:
            break
    return Comparison(True, found)


def same_meaning(domain: str, gold: Sequence[str], predicted: Sequence[str], *, seed: int) -> bool:
    """Whether two programs agree on random worlds on which the gold one runs."""
    return compare_meaning(domain, gold, predicted, seed=seed).same


def _outcome(domain: Domain, world: World, program: Sequence[str]) -> World | None:
    try:
        state = execute(domain, world, program)
    except ExecutionError:
        return None
    return None if state.stack else state.world


def spurious_share(
    domain: str,
    examples: Sequence[Example],
    predictions: Sequence[Sequence[str] | None],
    *,
    seed: int = 0,
) -> Spuriousness:
    """Measures spuriousness.

    Args:
        domain: of the examples.
        examples: those without a gold program are left out.
        predictions: for each example the most probable program (names of tokens); None if the
            search found none.
        seed: of the other worlds.
    """
    if len(predictions) != len(examples):
        raise ValueError(f"predictions must be {len(examples)}, got {len(predictions)}")
    language = get_domain(domain)
    spurious = measured = few_worlds = 0
    pairs = tqdm(zip(examples, predictions), "spuriousness", total=len(examples), delay=1)
    for number, (example, program) in enumerate(pairs):
        if program is None or example.gold_programs is None:
            continue
        target = language.parse_world(example.target)
        if _outcome(language, language.parse_world(example.world), program) != target:
            continue
        measured += 1
        gold = tuple(chain.from_iterable(example.gold_programs))
        if gold == tuple(program):
            continue
        same, num_worlds = compare_meaning(domain, gold, program, seed=seed + number)
        spurious += not same
        few_worlds += same and num_worlds < NUM_WORLDS
    return Spuriousness(spurious / measured if measured else 0.0, spurious, measured, few_worlds)
