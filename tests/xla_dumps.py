"""What XLA compiles in a script: it writes that down, and the files are counted."""

from __future__ import annotations

import os
from pathlib import Path

_DUMP = "--xla_dump_to="


def flags(folder: Path) -> str:
    """XLA_FLAGS for a process that writes what it compiles to `folder`."""
    return f"{_DUMP}{folder} --xla_dump_hlo_as_text"


def num_compiled_loops(folder: Path | None = None) -> int:
    """How many searches were compiled so far; in such a process, without `folder`, by itself."""
    if folder is None:
        folder = Path(os.environ["XLA_FLAGS"].split(_DUMP)[1].split()[0])
    return len({path.name.split(".")[0] for path in folder.glob("module_*loop*.txt")})
