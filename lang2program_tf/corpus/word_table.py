"""A whole table of words in one file, special rows too: what an imported model brings along."""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lang2program_tf.errors import UserError
from lang2program_tf.files import replacing


class WordTable(NamedTuple):
    """Words and their rows.

    Attributes:
        words: V words, `<unk>` and `<pad>` first.
        vectors: [V, D] float32.
    """

    words: tuple[str, ...]
    vectors: NDArray[np.float32]


def write_word_table(
    path: str | os.PathLike[str], words: Sequence[str], vectors: NDArray[np.float32]
) -> None:
    """Writes V different words and their vectors [V, D] float32."""
    if len(words) != len(vectors) or any("\n" in word for word in words):
        raise ValueError(f"words must be {len(vectors)} words on a line each, got {len(words)}")
    with replacing(Path(path)) as unfinished, unfinished.open("wb") as file:
        text = np.frombuffer("\n".join(words).encode("utf-8"), dtype=np.uint8)
        np.savez_compressed(file, words=text, vectors=vectors)


def read_word_table(path: str | os.PathLike[str]) -> WordTable:
    """Reads what `write_word_table` wrote.

    Raises:
        UserError: the file is missing or damaged.
    """
    try:
        with np.load(path, allow_pickle=False) as arrays:
            words = tuple(arrays["words"].tobytes().decode("utf-8").split("\n"))
            vectors: NDArray[np.float32] = arrays["vectors"]
    except FileNotFoundError:
        raise UserError(f"there is no word table {path}") from None
    except (OSError, EOFError, KeyError, ValueError, zlib.error, zipfile.BadZipFile) as error:
        raise UserError(f"cannot read the word table {path} ({error})") from error
    if vectors.ndim != 2 or vectors.dtype != np.float32 or len(vectors) != len(words):
        raise UserError(
            f"{path} holds {len(words)} words and vectors {vectors.dtype} {vectors.shape}"
        )
    return WordTable(words, vectors)
