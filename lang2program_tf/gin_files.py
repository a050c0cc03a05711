"""Where the gin files are: `gin/` of a checkout, `lang2program_tf/gin/` of an installed wheel."""

from __future__ import annotations

import difflib
from pathlib import Path

from lang2program_tf.errors import UserError

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
