from __future__ import annotations

import os
from pathlib import Path

import pytest

from lang2program_dev.benchmarks.worker_process import Measured, WorkerProcess
from lang2program_tf.errors import UserError
from lang2program_tf.tensorflow_defaults import set_tensorflow_defaults, users_environment

MEASURED = Measured("train", Path("run"), [], [], batch_size=8)


def test_a_folder_that_is_no_checkout_is_refused(tmp_path):
    with pytest.raises(UserError, match="is no checkout"):
        WorkerProcess(tmp_path, MEASURED)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("def set_tensorflow_defaults(): raise RuntimeError('too\\nold')", "RuntimeError: too$"),
        ("import os\nos.write(2, b'lost\\n')\nos._exit(3)", "ended: lost"),
    ],
)
def test_what_goes_wrong_in_a_checkout_is_one_line(tmp_path, code, said):
    package = tmp_path / "lang2program_tf"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "tensorflow_defaults.py").write_text(code)
    with pytest.raises(UserError, match=said) as raised:
        WorkerProcess(tmp_path, MEASURED)
    assert str(tmp_path) in str(raised.value)


def test_a_checkout_sets_its_own_defaults_but_not_over_the_users(monkeypatch):
    monkeypatch.delenv("TF_NUM_INTRAOP_THREADS")
    monkeypatch.setenv("TF_CPP_MIN_LOG_LEVEL", "1")
    set_tensorflow_defaults()
    assert "TF_NUM_INTRAOP_THREADS" in os.environ
    assert "TF_NUM_INTRAOP_THREADS" not in users_environment()
    assert users_environment()["TF_CPP_MIN_LOG_LEVEL"] == "1"
