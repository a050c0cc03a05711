"""Reads recordings of the original: every file whole, or an error that says where it breaks."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from lang2program_tf.errors import UserError
from lang2program_tf.language import LanguageError

Record = dict[str, Any]
# What a record that lacks a field, or has one of another kind, leads to.
_MALFORMED = (KeyError, IndexError, TypeError, ValueError, AttributeError, LanguageError)


def read_json_lines(path: Path) -> Iterator[Record]:
    """The records of a `.jsonl.gz` file. A missing, truncated or malformed file is an error."""
    number = 0
    try:
        with gzip.open(path, "rt", encoding="ascii") as lines:
            for line in lines:
                number += 1
                yield json.loads(line)
    except FileNotFoundError:
        raise UserError(f"{path}: no such recording") from None
    except (EOFError, OSError, zlib.error) as error:
        raise UserError(f"{path}: truncated or damaged after line {number} ({error})") from error
    except ValueError as error:
        raise UserError(f"{path}, line {number}: not a JSON record ({error})") from error
    if number == 0:
        raise UserError(f"{path}: holds no record")


def read_json(path: Path) -> Any:
    """A JSON file."""
    try:
        return json.loads(path.read_text(encoding="ascii"))
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise UserError(f"{path}: truncated or not JSON ({error})") from error


@contextmanager
def reading(path: Path, place: str) -> Iterator[None]:
    """Within it, an error that a malformed recording leads to names the file and the place."""
    try:
        yield
    except _MALFORMED as error:
        raise UserError(f"{path}, {place}: malformed ({error!r})") from error


def chunks(records: Iterable[Record], size: int) -> Iterator[tuple[int, list[Record]]]:
    """Records in lists of at most `size`, each with the number, from 1, of its first one."""
    remaining = iter(records)
    number = 1
    while chunk := list(islice(remaining, size)):
        yield number, chunk
        number += len(chunk)
