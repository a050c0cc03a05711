"""Word vectors and parsers small enough for quick tests."""

from __future__ import annotations

from typing import Callable

import numpy as np
import pytest

from lang2program_tf.language import get_domain
from lang2program_tf.model import Parser

NUM_WORDS = 40


@pytest.fixture(scope="session")
def word_vectors() -> np.ndarray:
    return np.random.default_rng(7).normal(-0.01, 0.5, [NUM_WORDS, 100]).astype(np.float32)


@pytest.fixture
def make_parser(word_vectors) -> Callable[..., Parser]:
    """Makes a parser whose biases are not zero, so that tests see them."""

    def make(domain: str = "scene", history=("tokens", "stack"), **options) -> Parser:
        parser = Parser(get_domain(domain), word_vectors=word_vectors, history=history, **options)
        random = np.random.default_rng(11)
        for variable in parser.trainable_variables:
            if variable.name.endswith("bias:0"):
                variable.assign_add(random.normal(0, 0.3, variable.shape).astype(np.float32))
        return parser

    return make
