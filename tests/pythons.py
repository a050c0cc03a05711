"""Other interpreters on this machine."""

from __future__ import annotations

import shutil
import subprocess

import pytest


def find_python(version: str) -> str:
    """An interpreter of this version that starts (a version manager's stand-in may not)."""
    path = shutil.which(f"python{version}")
    check = f"import sys; sys.exit('%d.%d' % sys.version_info[:2] != {version!r})"
    if path is None or subprocess.run([path, "-c", check], capture_output=True).returncode:
        pytest.skip(f"no python{version} on PATH")
    return path
