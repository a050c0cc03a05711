from __future__ import annotations

import os
import subprocess
import sys

import pytest

from lang2program_tf.native_log import import_tensorflow_quietly, without_remarks


def test_only_the_remarks_are_lost(capfd: pytest.CaptureFixture[str]):
    with without_remarks():
        os.write(2, b"WARNING: All log messages before absl::InitializeLog() is called are ...\n")
        os.write(2, b"I0000 00:00 device_compiler.h:186] Compiled cluster using XLA!  This ...\n")
        print("from Python", file=sys.stderr)
        os.write(2, b"from C++\n")
    print("later", file=sys.stderr)
    lines = capfd.readouterr().err.splitlines()
    assert sorted(lines[:2]) == ["from C++", "from Python"]
    assert lines[2:] == ["later"]


def test_an_error_passes_and_what_was_written_is_shown(capfd: pytest.CaptureFixture[str]):
    with pytest.raises(ZeroDivisionError), without_remarks():
        os.write(2, b"before\n")
        _ = 1 / 0
    assert capfd.readouterr().err == "before\n"


@pytest.mark.slow
def test_tensorflow_is_imported_without_remarks_and_once():
    code = (
        "import sys; from lang2program_tf.native_log import import_tensorflow_quietly\n"
        "import_tensorflow_quietly(); import_tensorflow_quietly()\n"
        "import json, tensorflow as tf, tensorflow.python\n"
        "assert tf.constant(3).numpy() == 3 and tf is sys.modules['tensorflow']\n"
        "assert not any('Quiet' in repr(finder) for finder in sys.meta_path)"
    )
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_nothing_changes_where_tensorflow_is_there_already():
    pytest.importorskip("tensorflow")
    before = list(sys.meta_path)
    import_tensorflow_quietly()
    assert sys.meta_path == before
