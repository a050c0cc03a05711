"""Holds back what TensorFlow's C++ code prints whatever TF_CPP_MIN_LOG_LEVEL says."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

_REMARKS = (b"All log messages before absl::InitializeLog()", b"Compiled cluster using XLA!")
_STDERR = 2


@contextmanager
def without_xla_remarks() -> Iterator[None]:
    """Within it, nothing appears on standard error; at its end all does but two remarks of XLA."""
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
                if not any(remark in line for remark in _REMARKS):
                    os.write(_STDERR, line)
