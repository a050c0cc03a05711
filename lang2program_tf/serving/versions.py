"""Numbered folders that appear whole: `EXPORT_DIR/1`, `EXPORT_DIR/2`, … for TF Serving."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from lang2program_tf.errors import UserError
from lang2program_tf.files import put_in_place, write_atomically

_SCRATCH = ".new-"
_LONGEST_EXPORT = 3600.0  # seconds


def versions(export_dir: str | os.PathLike[str]) -> list[int]:
    """The versions in a folder, in rising order; none if there is no such folder."""
    folder = Path(export_dir)
    if not folder.is_dir():
        return []
    return sorted(int(path.name) for path in folder.iterdir() if _is_version(path))


def find_version(export: str | os.PathLike[str]) -> Path:
    """The folder of a SavedModel: `export` itself, or the latest version in it.

    Raises:
        UserError: there is none.
    """
    folder = Path(export)
    if (folder / "saved_model.pb").is_file():
        return folder
    found = versions(folder)
    if not found:
        raise UserError(
            f"there is no exported model in {folder}; make one with `lang2program export`"
        )
    return folder / str(found[-1])


def _is_version(path: Path) -> bool:
    return path.name.isascii() and path.name.isdecimal() and path.is_dir()


class NewVersion:
    """A folder that is being written.

    Attributes:
        folder: where to write.
        published: where it stands when it is complete; None until then.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.published: Path | None = None


@contextmanager
def new_version(export_dir: str | os.PathLike[str]) -> Iterator[NewVersion]:
    """A folder that becomes the next version when the block ends, or never if it fails.

    Raises:
        UserError: nothing can be written there.
    """
    parent = Path(export_dir)
    try:
        parent.mkdir(parents=True, exist_ok=True)
        _remove_leftovers(parent)
        # A server looks at names that are numbers, so it does not see this one.
        scratch = Path(tempfile.mkdtemp(prefix=_SCRATCH, dir=parent))
    except OSError as error:
        raise UserError(
            f"cannot write to {parent} ({error.strerror}); name another folder"
        ) from None
    version = NewVersion(scratch)
    try:
        yield version
        scratch.chmod(0o755)  # a server often runs as another user
        version.published = _publish(scratch, parent)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _remove_leftovers(parent: Path) -> None:
    """Removes what exports that were killed have left; one that still goes on is younger."""
    for path in parent.glob(f"{_SCRATCH}*"):
        with suppress(FileNotFoundError):  # that of another process, which is done with it
            if time.time() - path.stat().st_mtime > _LONGEST_EXPORT:
                shutil.rmtree(path, ignore_errors=True)


def _publish(scratch: Path, parent: Path) -> Path:
    """Gives a folder the next free number; that of two writers each gets its own."""
    number = max(versions(parent), default=0) + 1
    while True:
        target = parent / str(number)
        try:
            put_in_place(scratch, target)
        except OSError as error:
            if error.errno not in (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR):
                raise
            number += 1
        else:
            return target


def write_once(path: Path, text: str) -> None:
    """Writes a file that is whole when it appears; one that is there already stays as it is."""
    if not path.exists():
        write_atomically(path, text)
        path.chmod(0o644)  # a server often runs as another user
