"""The word vectors that ship with the package: GloVe's numbers, exact to the last printed digit.

GloVe prints five significant digits. So a number is a sign, digits 10000 … 99999 and a count of
decimals 4 … 10: 18.5 bits of information. Rounding to 16-bit floats would save a quarter of the
size and lose two of the five digits. The three bytes of a number lie in separate planes because the
last compresses well and the others hardly.
"""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lang2program_tf.errors import UserError
from lang2program_tf.files import replacing

SHIPPED_FILE = Path(__file__).resolve().parent / "data" / "shipped_vectors.npz"
_SMALLEST_DIGITS = 10_000
_LARGEST_DIGITS = 99_999
_MOST_DECIMALS = 22  # the last power of ten that a 64-bit float holds exactly


class Alias(NamedTuple):
    """A word that has no vector of its own here and borrows that of another word.

    Attributes:
        source: the word whose vector it is.
        rank: the rank of the alias itself in the GloVe file, from 0.
    """

    source: str
    rank: int


class RankedWords(NamedTuple):
    """Words in the order of their rank in the GloVe file, aliases among them.

    Attributes:
        words: N different words.
        ranks: [N] int32, increasing: a word's line in the GloVe file, from 0.
        vectors: [N, 100] float32.
        aliases: for each word with a borrowed vector, the word that it is borrowed from.
    """

    words: tuple[str, ...]
    ranks: NDArray[np.int32]
    vectors: NDArray[np.float32]
    aliases: dict[str, str]


def encode_decimals(rows: Sequence[Sequence[str]]) -> NDArray[np.uint8]:
    """Packs decimal numbers of at most five significant digits.

    Args:
        rows: [N, D] numbers as text.

    Returns:
        [3, N, D] uint8: low byte and middle byte of the digits less 10000; then their highest bit,
        the sign bit, and six bits with the number of decimals.
    """
    packed = np.array([[_pack(text) for text in row] for row in rows], dtype=np.uint32)
    return np.stack([(packed >> shift & 255).astype(np.uint8) for shift in (0, 8, 16)])


def _pack(text: str) -> int:
    sign, digits, exponent = Decimal(text).as_tuple()
    number = int("".join(map(str, digits)))
    while 0 < number < _SMALLEST_DIGITS:
        number, exponent = number * 10, int(exponent) - 1
    decimals = -int(exponent)
    if not (_SMALLEST_DIGITS <= number <= _LARGEST_DIGITS and 0 <= decimals <= _MOST_DECIMALS):
        raise ValueError(f"text must be a number of at most five digits, not zero, got {text!r}")
    return number - _SMALLEST_DIGITS | sign << 17 | decimals << 18


def decode_decimals(planes: NDArray[np.uint8]) -> NDArray[np.float32]:
    """The inverse of `encode_decimals`.

    Args:
        planes: [3, N, D] uint8.

    Returns:
        [N, D] float32, each the nearest to its decimal number.
    """
    low, middle, high = planes.astype(np.int32)
    digits = (low | middle << 8 | (high & 1) << 16) + _SMALLEST_DIGITS
    # Dividing two exact 64-bit floats rounds once, as reading the text would.
    powers = 10.0 ** np.arange(_MOST_DECIMALS + 1)
    return (np.where(high & 2, -digits, digits) / powers[high >> 2]).astype(np.float32)


def write_vector_file(
    path: str | os.PathLike[str],
    *,
    words: Sequence[str],
    ranks: Sequence[int],
    decimals: Sequence[Sequence[str]],
    aliases: Mapping[str, Alias],
) -> None:
    """Writes a vector file; the same arguments give the same bytes.

    Args:
        path: where to.
        words: N words with vectors of their own.
        ranks: N ranks of these words, increasing.
        decimals: [N, 100] their numbers as GloVe prints them.
        aliases: words that borrow a vector of `words`.
    """
    borrowed = "\n".join(f"{word} {a.source} {a.rank}" for word, a in sorted(aliases.items()))
    with replacing(Path(path)) as unfinished, unfinished.open("wb") as file:
        np.savez_compressed(
            file,
            words=_to_bytes("\n".join(words)),
            ranks=np.asarray(ranks, dtype=np.int32),
            planes=encode_decimals(decimals),
            aliases=_to_bytes(borrowed),
        )


def read_vector_file(path: str | os.PathLike[str] = SHIPPED_FILE) -> RankedWords:
    """Reads what `write_vector_file` wrote.

    Raises:
        UserError: the file is missing or damaged.
    """
    try:
        with np.load(path, allow_pickle=False) as arrays:
            words = _to_text(arrays["words"]).split("\n")
            ranks = arrays["ranks"]
            vectors = decode_decimals(arrays["planes"])
            borrowed = _to_text(arrays["aliases"]).splitlines()
    except (OSError, EOFError, KeyError, ValueError, zlib.error, zipfile.BadZipFile) as error:
        raise UserError(
            f"cannot read the word vectors {path} ({error}); install the package again"
        ) from error
    aliases = {word: Alias(source, int(rank)) for word, source, rank in map(str.split, borrowed)}
    row_of = {word: row for row, word in enumerate(words)}
    sources = np.array([row_of[alias.source] for alias in aliases.values()], dtype=np.intp)
    ranks = np.append(ranks, np.array([a.rank for a in aliases.values()], dtype=np.int32))
    order = np.argsort(ranks)
    names = [*words, *aliases]
    return RankedWords(
        words=tuple(names[row] for row in order),
        ranks=ranks[order],
        vectors=np.concatenate([vectors, vectors[sources]])[order],
        aliases={word: alias.source for word, alias in aliases.items()},
    )


def _to_bytes(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode("utf-8"), dtype=np.uint8)


def _to_text(data: NDArray[np.uint8]) -> str:
    return data.tobytes().decode("utf-8")
