"""The tables that the original draws with fixed seeds, beside its recorded initial weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import gin
from lang2program_tf.gin_files import load_gin
from lang2program_tf.learning.learner import Learner
from lang2program_tf.parity.imported_words import word_rows
from lang2program_tf.parity.original_weights import read_npz


@pytest.fixture(autouse=True)
def settings() -> Iterator[None]:
    yield
    gin.clear_config()


@pytest.mark.parametrize("domain", ["alchemy", "scene", "tangrams"])
def test_rows_of_the_paper_start_with_the_originals_tables_bit_for_bit(
    domain: str, parity_file: Callable[[str], Path]
):
    original = read_npz(parity_file(f"weights.{domain}.stack.npz"))
    special = word_rows(parity_file("word_embeds.npz"))[:2]
    load_gin([f"paper/{domain}_stack.gin"], ["Learner.seed = 7"])
    learner = Learner()
    tokens = learner.parser.token_embeddings.numpy()[list(learner.task.domain.embedding_order)]
    np.testing.assert_array_equal(tokens, original["static_pred_embeds"])
    primitives = learner.parser.primitive_embeddings.numpy()
    np.testing.assert_array_equal(primitives, original["primitive_embeds"])
    np.testing.assert_array_equal(learner.task.words.vectors[:2], special)
