"""The words of an imported model: which word each row of its table stands for."""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lang2program_tf.corpus.data_dir import glove_file
from lang2program_tf.corpus.glove import read_glove
from lang2program_tf.corpus.words import SPECIAL_WORDS, WordSource, WordVectors
from lang2program_tf.errors import UserError
from lang2program_tf.parity.original_weights import read_npz

_TABLE = "word_embeds"


def word_rows(path: Path) -> NDArray[Any]:
    """The table `word_embeds` of an `.npz`."""
    arrays = read_npz(path)
    if _TABLE not in arrays:
        raise UserError(f"{path} holds no {_TABLE}")
    return arrays[_TABLE]


def name_rows(vectors: NDArray[Any], vocabulary: Path | None) -> WordVectors:
    """Gives the rows of a table their words.

    Args:
        vectors: [V, D], unknown and padding first.
        vocabulary: a JSON list of V words, or a GloVe file whose first words these are, which must
            have these vectors; the one in the data folder if None.

    Raises:
        UserError: the words are not those of the rows.
    """
    path = vocabulary or glove_file()
    is_list = {".json", ".gz"}.issuperset(path.suffixes[-1:]) and ".json" in path.suffixes
    words = _read_list(path) if is_list else _first_words(vectors, path)
    source = WordSource(str(path), None, genuine=len(words) - len(SPECIAL_WORDS))
    try:
        return WordVectors(words, vectors=vectors, source=source)
    except ValueError as error:
        raise UserError(f"the words of {path} are not those of {_TABLE}: {error}") from error


def _read_list(path: Path) -> tuple[str, ...]:
    try:
        data = path.read_bytes()
        words = json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror or error}") from error
    except (ValueError, EOFError, zlib.error) as error:
        raise UserError(f"{path}: truncated or not JSON ({error})") from error
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise UserError(f"{path} does not hold a list of words")
    return tuple(words)


def _first_words(vectors: NDArray[Any], path: Path) -> tuple[str, ...]:
    """The first words of a GloVe file, which must have these vectors."""
    special = len(SPECIAL_WORDS)
    count = len(vectors) - special
    words, genuine = read_glove(path, limit=count)
    if len(words) < count:
        raise UserError(f"{path} has {len(words)} words, and {_TABLE} {count} rows for words")
    wrong = np.flatnonzero((vectors[special:] != genuine).any(axis=1))
    if wrong.size:
        first = int(wrong[0])
        raise UserError(
            f"row {first + special} of {_TABLE} is not the vector of {words[first]!r}, word "
            f"{first + 1} of {path}; name the words of the rows with --word_vocab"
        )
    return (*SPECIAL_WORDS, *words)
