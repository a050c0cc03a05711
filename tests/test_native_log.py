from __future__ import annotations

import os
import sys

import pytest

from lang2program_tf.native_log import without_xla_remarks


def test_only_the_remarks_are_lost(capfd: pytest.CaptureFixture[str]):
    with without_xla_remarks():
        os.write(2, b"WARNING: All log messages before absl::InitializeLog() is called are ...\n")
        os.write(2, b"I0000 00:00 device_compiler.h:186] Compiled cluster using XLA!  This ...\n")
        print("from Python", file=sys.stderr)
        os.write(2, b"from C++\n")
    print("later", file=sys.stderr)
    lines = capfd.readouterr().err.splitlines()
    assert sorted(lines[:2]) == ["from C++", "from Python"]
    assert lines[2:] == ["later"]


def test_an_error_passes_and_what_was_written_is_shown(capfd: pytest.CaptureFixture[str]):
    with pytest.raises(ZeroDivisionError), without_xla_remarks():
        os.write(2, b"before\n")
        _ = 1 / 0
    assert capfd.readouterr().err == "before\n"
