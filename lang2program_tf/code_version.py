"""Which code this is: what a run keeps, so that its numbers can be had again."""

from __future__ import annotations

import functools
import subprocess
from pathlib import Path

from lang2program_tf import __version__

_CHECKOUT = Path(__file__).parents[1]
_PARTS = ("lang2program_tf", "gin")  # what numbers depend on


@functools.cache
def code_version() -> str:
    """The commit, with a `+` if files differ from it; outside of a checkout the package's version.

    It is asked for once: a process goes on with the code that it began with.
    """
    if (_CHECKOUT / ".git").exists():
        try:
            commit = _git("rev-parse", "--short=10", "HEAD")
            return commit + ("+" if _git("status", "--porcelain", "--", *_PARTS) else "")
        except (OSError, subprocess.CalledProcessError):
            pass  # no git, or no commit yet
    return f"version {__version__}"


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(_CHECKOUT), *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout.strip()
