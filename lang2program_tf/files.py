"""Writing files and folders so that nothing is ever half-written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from lang2program_tf.errors import UserError


def write_atomically(path: Path, content: str | bytes) -> None:
    """Writes a file so that a reader sees the old content or the new one, never a part.

    Raises:
        UserError: it cannot be written; what was there before stays.
    """
    with replacing(path) as unfinished:
        unfinished.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A path to write to, with the ending of `path`; the file takes its place when the block ends.

    Raises:
        UserError: it cannot be written; what was there before stays.
    """
    unfinished = path.with_name(f".{os.getpid()}.{path.name}")
    try:
        yield unfinished
        put_in_place(unfinished, path)
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}") from error
    finally:
        with suppress(OSError):  # it is in its place, or was never there
            unfinished.unlink()


def put_in_place(unfinished: Path, path: Path) -> None:
    """Renames a file or a folder when all of it is on the disk, so that a crash leaves no part."""
    for written in [*unfinished.rglob("*"), unfinished]:
        _sync(written)
    os.replace(unfinished, path)
    _sync(path.absolute().parent)


def _sync(path: Path) -> None:
    """Waits until a file, or the list of what is in a folder, is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
