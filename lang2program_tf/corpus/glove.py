"""Reads word vectors in GloVe's text form: on each line a word and its numbers, one space apart."""

from __future__ import annotations

import array
import contextlib
import gzip
import itertools
import os
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from lang2program_tf.errors import UserError

# The original's vocabulary has 20,000 rows, and two of them are not words.
ORIGINAL_MAX_RANK = 19_998
DIMENSIONS = 100
_MEND = "get a whole copy with `lang2program fetch glove --force`"


class WordRows(NamedTuple):
    """Words with their vectors, most frequent first.

    Attributes:
        words: N different words.
        vectors: [N, 100] float32.
    """

    words: tuple[str, ...]
    vectors: NDArray[np.float32]


def read_glove(
    path: str | os.PathLike[str],
    *,
    limit: int | None = ORIGINAL_MAX_RANK,
) -> WordRows:
    """Reads the first rows of a GloVe file.

    Args:
        path: plain text, `.gz`, or a `.zip` that holds the text file.
        limit: how many rows at most; None for all.

    Raises:
        UserError: there is no such file, or it is damaged; the message names the line.
    """
    if limit is not None and limit < 1:
        raise ValueError(f"limit must be at least 1, got {limit}")
    path = Path(path)
    line_of: dict[str, int] = {}
    numbers = array.array("f")
    try:
        with _open(path) as file:
            rows = tqdm(
                itertools.islice(file, limit), path.name, total=limit, unit=" words", delay=1
            )
            for line, raw in enumerate(rows, start=1):
                word, row = _parse(raw, place=f"{path}, line {line}")
                if line_of.setdefault(word, line) != line:
                    raise UserError(
                        f"{path}, line {line}: the word {word!r} was in line {line_of[word]} "
                        f"already, so the file is not as it was published; {_MEND}"
                    )
                numbers.extend(row)
    except FileNotFoundError:
        raise UserError(f"there is no file {path}; `lang2program fetch glove` gets one") from None
    except (OSError, EOFError, RuntimeError, zlib.error, zipfile.BadZipFile) as error:
        raise UserError(
            f"cannot read {path} past line {len(line_of)} ({error}); {_MEND}"
        ) from error
    if not line_of:
        raise UserError(f"{path} has no words in it; {_MEND}")
    vectors = np.frombuffer(numbers, dtype=np.float32).reshape(-1, DIMENSIONS)
    _check_finite(vectors, path)
    return WordRows(tuple(line_of), vectors)


@contextlib.contextmanager
def _open(path: Path) -> Iterator[Iterable[bytes]]:
    if path.suffix == ".gz":
        with gzip.open(path, "rb") as file:
            yield file
    elif path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive, archive.open(_member(archive)) as file:
            yield file
    else:
        with path.open("rb") as file:
            yield file


def _member(archive: zipfile.ZipFile) -> str:
    """The text file in `archive`; the published one holds a file for each of several widths."""
    names = [name for name in archive.namelist() if not name.startswith("__MACOSX/")]
    texts = [name for name in names if name.endswith(".txt")]
    fitting = [name for name in texts if name.endswith(f".{DIMENSIONS}d.txt")]
    for choice in (fitting, texts):
        if len(choice) == 1:
            return choice[0]
    raise UserError(
        f"{archive.filename} holds {', '.join(names) or 'nothing'}; expected one file "
        f"whose name ends in .{DIMENSIONS}d.txt; {_MEND}"
    )


def _parse(raw: bytes, *, place: str) -> tuple[str, list[float]]:
    try:
        word, *fields = raw.decode("utf-8").rstrip("\r\n").split(" ")
    except UnicodeDecodeError as error:
        raise UserError(
            f"{place}, byte {error.start + 1}: not UTF-8 text, so the file is damaged or is not "
            f"GloVe's text form; {_MEND}"
        ) from None
    if not word:
        raise UserError(f"{place}: begins with no word; {_MEND}")
    if len(fields) != DIMENSIONS:
        cut = "; the file ends there, cut off" if not raw.endswith(b"\n") else ""
        raise UserError(
            f"{place}: {len(fields)} numbers after the word {word[:40]!r} instead of "
            f"{DIMENSIONS}{cut}; {_MEND}, with {DIMENSIONS} dimensions"
        )
    try:
        return word, [float(field) for field in fields]
    except ValueError:
        column = next(i for i, field in enumerate(fields, start=2) if not _is_number(field))
        raise UserError(
            f"{place}, column {column}: {fields[column - 2]!r} is not a number; {_MEND}"
        ) from None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _check_finite(vectors: NDArray[np.float32], path: Path) -> None:
    bad = np.argwhere(~np.isfinite(vectors))
    if bad.size:
        row, column = bad[0]
        raise UserError(
            f"{path}, line {row + 1}, column {column + 2}: not a finite number; {_MEND}"
        )
