"""Small parsers and examples to learn from, and train steps that can be looked into."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from lang2program_tf.learning.optimizers import OriginalAdam
from lang2program_tf.learning.step_metrics import StepMetrics
from lang2program_tf.learning.train_step import TrainStep
from lang2program_tf.machine import get_machine
from lang2program_tf.search import BeamSearch, SearchTree
from tests.search.reference import Example
from tests.search.toys import programs_of, run, tensors_of, toy_examples, toy_parser, words_of

SEED = tf.constant([5, 6])
QUERY_WIDTH = 12  # of the toys


class Recorder(OriginalAdam):
    """Keeps what it is given, and changes nothing.

    Attributes:
        gradients: by variable.
        squares: by table.
        in_slices: whether there were more than `most_cases` cases.
    """

    def __init__(self, *, most_cases: int = 5000) -> None:
        super().__init__(0.001, epsilon=1e-8, most_cases=most_cases)
        self.in_slices = False
        self.gradients: dict[str, np.ndarray] = {}
        self.squares: dict[str, np.ndarray] = {}

    def apply_gradients(self, grads_and_vars: Any, **options: Any) -> None:
        self.gradients = {
            _name(variable): gradient.numpy() for gradient, variable in grads_and_vars
        }
        self.squares = {
            _name(reference.deref()): squares.numpy()
            for reference, squares in self._squares.items()
        }
        self.in_slices = bool(self._in_slices)


# Domains and histories, and seeds of random parsers that find enough programs to learn from.
PARSERS = {
    ("alchemy", ("stack",)): 42,
    ("scene", ("tokens",)): 5,
    ("scene", ("stack",)): 48,
    ("tangrams", ("tokens", "stack")): 38,
}


def small_search(
    domain: str, history: Sequence[str], *, seed: int | None = None, **options: Any
) -> BeamSearch:
    """A search with a small random parser."""
    parser = toy_parser(domain, history, seed=PARSERS[domain, history] if seed is None else seed)
    return BeamSearch(get_machine(domain), parser, **{"beam_size": 16, **options})


def found_by(search: BeamSearch, examples: Sequence[Example]) -> SearchTree:
    """What a train step on these examples finds."""
    tensors = tensors_of(search.machine, examples)
    return run(search, words_of(examples), tensors, seed=SEED, keep_prefixes=True)


class Remembered:
    """A search that is over: it gives what was found, at once."""

    def __init__(self, search: BeamSearch, tree: SearchTree) -> None:
        self.machine = search.machine
        self.parser = search.parser
        self._tree = tree

    def explore(self, *_: Any, **__: Any) -> SearchTree:
        return self._tree


def solvable_examples(search: BeamSearch) -> list[Example]:
    """Examples of one and two utterances, whose targets many of the programs found lead to."""
    examples = toy_examples(search.machine.rules.domain.name)[:2]
    found = programs_of(search.machine, found_by(search, examples))
    return [
        example._replace(target=Counter(p.world for p in programs).most_common(1)[0][0])
        for example, programs in zip(examples, found)
    ]


def take_step(step: TrainStep, examples: Sequence[Example], **options: Any) -> StepMetrics:
    """One step of learning, eagerly."""
    options = {"seed": SEED, "step": tf.constant(0, tf.int64), **options}
    return step.run(words_of(examples), tensors_of(step.search.machine, examples), **options)


def _name(variable: tf.Variable) -> str:
    return variable.name.split(":")[0]
