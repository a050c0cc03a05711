"""Checkouts of this project: this one, and others that are timed against it."""

from __future__ import annotations

from pathlib import Path

import lang2program_tf
from lang2program_tf.errors import UserError

THIS_CHECKOUT = Path(lang2program_tf.__file__).resolve().parent.parent


def check_checkout(folder: Path) -> None:
    """Raises a UserError if a folder is none."""
    if not (folder / "lang2program_tf" / "__init__.py").is_file():
        raise UserError(f"{folder} is no checkout of this project: it has no lang2program_tf")
