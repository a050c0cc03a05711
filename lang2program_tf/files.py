"""Writing files so that nothing is ever half-written."""

from __future__ import annotations

import os
from pathlib import Path

from lang2program_tf.errors import UserError


def write_atomically(path: Path, content: str | bytes) -> None:
    """Writes a file so that a reader sees the old content or the new one, never a part."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise UserError(f"cannot write {path}: {error.strerror}") from error
