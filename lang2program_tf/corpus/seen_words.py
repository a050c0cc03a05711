"""The file of a run, and of an export, with the words that were seen in training."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lang2program_tf.errors import UserError

FILE = "seen_words.tsv"


def seen_words_text(counts: Mapping[str, int]) -> str:
    """What the file holds: on each line a word and how often it occurs."""
    return "".join(f"{word}\t{count}\n" for word, count in counts.items())


def read_seen_words(path: Path, *, remedy: str) -> dict[str, int]:
    """Reads the file.

    Args:
        path: the file.
        remedy: what a user can do if it is missing or damaged.

    Raises:
        UserError: it cannot be read or is damaged.
    """
    try:
        lines = path.read_bytes().decode().split("\n")
        if lines.pop():
            raise ValueError("its last line is cut off")
        return {word: int(count) for word, count in (line.split("\t") for line in lines)}
    except (OSError, ValueError) as error:
        raise UserError(
            f"cannot read the words seen in training from {path} ({error}); {remedy}"
        ) from error
