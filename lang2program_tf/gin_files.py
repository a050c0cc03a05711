"""Finds and reads gin files: in `gin/` of a checkout, in `lang2program_tf/gin/` of a wheel."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Sequence
from pathlib import Path

import gin
from lang2program_tf.errors import UserError
from lang2program_tf.gin_errors import reading_gin

_PACKAGE = Path(__file__).resolve().parent


def gin_root() -> Path:
    """The folder that holds `domains/`, `learners/`, `paper/` and `released/`."""
    installed = _PACKAGE / "gin"
    return installed if installed.is_dir() else _PACKAGE.parent / "gin"


def find_gin_file(name: str) -> Path:
    """Finds a gin file.

    Args:
        name: a path, or a name relative to `gin_root()` such as `released/scene.gin`.

    Raises:
        UserError: there is no such file.
    """
    for candidate in (Path(name).expanduser(), gin_root() / name):
        if candidate.is_file():
            return candidate
    shipped = sorted(path.relative_to(gin_root()).as_posix() for path in gin_root().rglob("*.gin"))
    near = difflib.get_close_matches(name, shipped, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"shipped files are in {gin_root()}"
    raise UserError(f"no gin file {name!r}; {hint}")


def load_gin(files: Sequence[str], params: Sequence[str]) -> None:
    """Reads gin files and bindings, and nothing else is in force; see `add_gin`."""
    gin.clear_config()
    add_gin(files, params)


def add_gin(files: Sequence[str], params: Sequence[str]) -> None:
    """Reads gin files and bindings on top of those in force; a mistake in them is a UserError.

    Args:
        files: as for `find_gin_file`; a later one overrides those before it.
        params: bindings, which override the files.
    """
    _search_in(str(gin_root()))
    for path in [find_gin_file(name) for name in files]:
        with reading_gin(str(path)):
            gin.parse_config_file(str(path), skip_unknown=False)
    with reading_gin():
        gin.parse_config_files_and_bindings([], list(params), skip_unknown=False)


@functools.cache
def _search_in(folder: str) -> None:
    """Makes gin look for included files in a folder; gin keeps it for the whole process."""
    gin.add_config_file_search_path(folder)
