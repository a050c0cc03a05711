"""Runs a script in a process of its own, in which XLA writes down what it compiles."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_DUMP = "--xla_dump_to="


def output_of(script: Path, folder: Path) -> str:
    """What the script prints; `folder` gets what is compiled."""
    root = Path(__file__).parents[1]
    environment = {
        **os.environ,
        "PYTHONPATH": str(root),
        "XLA_FLAGS": f"{_DUMP}{folder} --xla_dump_hlo_as_text",
    }
    done = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        env=environment,
        cwd=root,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def num_compiled_loops(folder: Path | None = None) -> int:
    """How many searches were compiled so far; in such a script, without `folder`, by itself."""
    if folder is None:
        folder = Path(os.environ["XLA_FLAGS"].split(_DUMP)[1].split()[0])
    return len({path.name.split(".")[0] for path in folder.glob("module_*loop*.txt")})
