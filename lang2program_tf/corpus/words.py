"""Words as rows of a fixed table: GloVe vectors below two special rows (never trained)."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence, Set
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import gin
from lang2program_tf.corpus.data_dir import glove_file
from lang2program_tf.corpus.glove import read_glove
from lang2program_tf.corpus.vector_file import SHIPPED_FILE, read_vector_file
from lang2program_tf.corpus.word_table import read_word_table
from lang2program_tf.errors import UserError
from lang2program_tf.fixed_normal import FixedNormal
from lang2program_tf.word_ids import PADDING, UNKNOWN

SPECIAL_WORDS = ("<unk>", "<pad>")


@dataclasses.dataclass(frozen=True)
class WordSource:
    """Where word vectors came from.

    Attributes:
        file: the file they were read from.
        max_rank: only words of a lower rank in the GloVe file were taken; None if all were.
        genuine: how many words have their own GloVe vector.
        aliases: for each word that borrows a vector, the word it borrows from.
    """

    file: str
    max_rank: int | None
    genuine: int
    aliases: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def __str__(self) -> str:
        cut = "all its words" if self.max_rank is None else f"words of rank below {self.max_rank:,}"
        return (
            f"{self.file} ({cut}): {self.genuine:,} genuine GloVe vectors, {len(self.aliases)} "
            f"words with the vector of another word"
        )


class WordVectors:
    """A vocabulary and its vectors; a word's id is its row.

    Attributes:
        words: V words by id: `<unk>`, `<pad>`, then words by falling frequency.
        vectors: [V, D] float32, read-only.
        source: where they came from.
    """

    def __init__(
        self, words: tuple[str, ...], *, vectors: NDArray[np.float32], source: WordSource
    ) -> None:
        if words[:2] != SPECIAL_WORDS:
            raise ValueError(f"words must begin with {SPECIAL_WORDS}, got {words[:2]}")
        if vectors.dtype != np.float32 or vectors.ndim != 2 or len(vectors) != len(words):
            raise ValueError(
                f"vectors must be float32 [{len(words)}, D], got {vectors.dtype} {vectors.shape}"
            )
        self.words = words
        self.vectors = vectors.view()
        self.vectors.flags.writeable = False
        self.source = source
        # Someone may well type "<pad>"; only batches make padding.
        self._ids = {word: row for row, word in enumerate(words) if row > PADDING}

    def __len__(self) -> int:
        return len(self.words)

    def lookup(self, word: str) -> int:
        """The id of `word`, which is lower case; `UNKNOWN` if it has no row."""
        return self._ids.get(word, UNKNOWN)

    @property
    def vocabulary(self) -> Set[str]:
        """All words but the special ones."""
        return self._ids.keys()

    def encode(self, words: Sequence[str], *, max_words: int) -> list[int]:
        """The ids of the first `max_words` words of an utterance."""
        return [self.lookup(word) for word in words[:max_words]]


def tokenize(utterance: str) -> list[str]:
    """Splits on white space and lower-cases, nothing else: `hat,` is a word of its own."""
    return utterance.lower().split()


@gin.configurable(denylist=["folder"])
def load_word_vectors(
    source: str = "shipped",
    *,
    path: str | os.PathLike[str] | None = None,
    folder: str | os.PathLike[str] | None = None,
    max_rank: int | None = None,
    special_rows: FixedNormal | None = None,
) -> WordVectors:
    """Loads word vectors and draws the two special rows.

    Args:
        source: `shipped` for the file in this package, `glove` for the user's own GloVe file,
            `table` for a file that `write_word_table` wrote, which holds the special rows too.
        path: the GloVe file, which is looked for in the data folder if None, or the table.
        folder: where the path of a table begins if it is relative: the folder of a run, which finds
            its own words wherever it is moved.
        max_rank: take only words of a lower rank in the GloVe file; the original took ranks below
            `ORIGINAL_MAX_RANK`. None for all. A table is taken as it is.
        special_rows: what the two special rows are drawn from; None for draws with the mean and the
            deviation of the vectors.

    Raises:
        UserError: the file is missing or damaged.
    """
    if max_rank is not None and max_rank < 1:
        raise ValueError(f"max_rank must be at least 1, got {max_rank}")
    if source == "shipped":
        if path is not None:
            raise ValueError(f"path is for other sources than 'shipped', got {str(path)!r}")
        return _shipped(max_rank, special_rows)
    if source == "glove":
        return _glove(Path(path) if path else glove_file(), max_rank, special_rows)
    if source == "table":
        if path is None or max_rank is not None:
            raise ValueError(
                f"source 'table' needs path and no max_rank, got path={path}, max_rank={max_rank}"
            )
        return _table(Path(folder or "", path))
    raise ValueError(f"source must be 'shipped', 'glove' or 'table', got {source!r}")


def _shipped(max_rank: int | None, special_rows: FixedNormal | None) -> WordVectors:
    ranked = read_vector_file(SHIPPED_FILE)
    count = len(ranked.words)
    if max_rank is not None:
        count = int(np.searchsorted(ranked.ranks, max_rank))
    words = ranked.words[:count]
    aliases = {word: ranked.aliases[word] for word in words if word in ranked.aliases}
    source = WordSource(str(SHIPPED_FILE), max_rank, count - len(aliases), aliases)
    return _with_special_rows(
        words, ranked.vectors[:count], source=source, special_rows=special_rows
    )


def _glove(path: Path, max_rank: int | None, special_rows: FixedNormal | None) -> WordVectors:
    words, vectors = read_glove(path, limit=max_rank)
    source = WordSource(str(path), max_rank, genuine=len(words))
    return _with_special_rows(words, vectors, source=source, special_rows=special_rows)


def _table(path: Path) -> WordVectors:
    words, vectors = read_word_table(path)
    source = WordSource(str(path), None, genuine=len(words) - len(SPECIAL_WORDS))
    try:
        return WordVectors(words, vectors=vectors, source=source)
    except ValueError as error:
        raise UserError(f"{path}: {error}") from error


def _with_special_rows(
    words: tuple[str, ...],
    vectors: NDArray[np.float32],
    *,
    source: WordSource,
    special_rows: FixedNormal | None,
) -> WordVectors:
    if special_rows is None:
        mean, std = (float(f(vectors, dtype=np.float64)) for f in (np.mean, np.std))
        special_rows = FixedNormal(seed=0, mean=mean, std=std)
    special = special_rows.draw(len(SPECIAL_WORDS), vectors.shape[1])
    return WordVectors(
        SPECIAL_WORDS + words,
        vectors=np.concatenate([special, vectors]),
        source=source,
    )
