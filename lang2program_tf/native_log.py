"""Holds back what TensorFlow's C++ code prints whatever TF_CPP_MIN_LOG_LEVEL says."""

from __future__ import annotations

import importlib.machinery
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType

# What is logged before the log is set up, in the form of absl: notes and warnings, of which none
# matters, and an error of builds for GPUs that is none.
_REMARKS = re.compile(
    rb"WARNING: All log messages before absl::InitializeLog\(\)|[IW]0000 00:00|.*Unable to register"
)
_STDERR = 2


@contextmanager
def without_remarks() -> Iterator[None]:
    """Within it, nothing appears on standard error; at its end all does but remarks of C++."""
    sys.stderr.flush()
    terminal = os.dup(_STDERR)
    with tempfile.TemporaryFile() as held:
        os.dup2(held.fileno(), _STDERR)
        try:
            yield
        finally:
            sys.stderr.flush()
            os.dup2(terminal, _STDERR)
            os.close(terminal)
            held.seek(0)
            for line in held:
                if not _REMARKS.match(line):
                    os.write(_STDERR, line)


def import_tensorflow_quietly() -> None:
    """From now on, whoever first imports TensorFlow does so without its remarks."""
    if "tensorflow" not in sys.modules and not any(
        isinstance(finder, _QuietFinder) for finder in sys.meta_path
    ):
        sys.meta_path.insert(0, _QuietFinder())


class _QuietFinder:
    """Finds TensorFlow, and lets it be loaded by a quiet loader; all else is for other finders."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != "tensorflow":
            return None
        sys.meta_path.remove(self)
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = _QuietLoader(spec.loader.name, spec.loader.path)
        return spec


class _QuietLoader(importlib.machinery.SourceFileLoader):
    def exec_module(self, module: ModuleType) -> None:
        with without_remarks():
            super().exec_module(module)
