"""Runs a script of the tests in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).parents[1]


def output_of(script: Path, **environment: str) -> str:
    """What the script prints, with these variables in its environment."""
    done = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(_ROOT), **environment},
        cwd=_ROOT,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
