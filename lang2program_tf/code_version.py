"""Which code this is: what a run keeps, so that its numbers can be had again."""

from __future__ import annotations

import functools
import subprocess
from pathlib import Path

from lang2program_tf import __version__

_PARTS = ("lang2program_tf", "gin")  # what numbers depend on


@functools.cache
def code_version() -> str:
    """The version of the code that runs here.

    It is asked for once: a process goes on with the code that it began with.
    """
    return version_of(Path(__file__).parents[1])


def version_of(folder: Path) -> str:
    """The commit, with a `+` if files differ from it; outside of a checkout the package's version.

    Args:
        folder: which may be a checkout.
    """
    if (folder / ".git").exists():
        try:
            commit = _git(folder, "rev-parse", "--short=10", "HEAD")
            return commit + ("+" if _git(folder, "status", "--porcelain", "--", *_PARTS) else "")
        except (OSError, subprocess.CalledProcessError):
            pass  # no git, or no commit yet
    return f"version {__version__}"


def _git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout.strip()
