"""`executor.pyz`: the language as one file that runs with any Python and nothing else."""

from __future__ import annotations

import zipfile
from pathlib import Path

import lang2program_tf
from lang2program_tf import language

NAME = "executor.pyz"
_SHEBANG = b"#!/usr/bin/env python3\n"
_MAIN = f"""import sys

from lang2program_tf.language.cli import main

sys.exit(main(prog="{NAME}"))
"""
_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the same sources give the same bytes


def write_executor(path: Path) -> None:
    """Writes the executor to `path`."""
    root = Path(lang2program_tf.__file__).parent
    sources = [root / "__init__.py", *sorted(Path(language.__file__).parent.glob("*.py"))]
    with path.open("wb") as file:
        file.write(_SHEBANG)
        with zipfile.ZipFile(file, "w") as bundle:
            for source in sources:
                _add(bundle, source.relative_to(root.parent).as_posix(), source.read_bytes())
            _add(bundle, "__main__.py", _MAIN.encode())
    path.chmod(0o755)


def _add(bundle: zipfile.ZipFile, name: str, content: bytes) -> None:
    info = zipfile.ZipInfo(name, _LONG_AGO)
    info.external_attr = 0o644 << 16
    bundle.writestr(info, content, zipfile.ZIP_DEFLATED)
