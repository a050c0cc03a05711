from __future__ import annotations

import os
from pathlib import Path

import pytest

from lang2program_dev.benchmarks.against import Measured, WorkerProcess, summary
from lang2program_tf.errors import UserError
from lang2program_tf.tensorflow_defaults import set_tensorflow_defaults, users_environment

MEASURED = Measured("train", Path("run"), [], [], batch_size=8)


def turn(*seconds: float, examples: object = 0) -> dict[str, object]:
    return {"seconds": seconds, "examples": examples, "amounts": {"solved": 0.5}, "peak_mb": 7.0}


def test_the_ratio_is_the_median_over_turns_so_that_a_noisy_one_does_not_matter():
    this = [turn(1, 2), turn(1, 1), turn(2, 3), turn(100, 100)]
    found = summary({"this": this, "against": [turn(2, 4), turn(2, 2), turn(5, 5), turn(1, 1)]})
    assert found["ratio"] == {"median": 0.5, "quartiles": [0.5, pytest.approx(25.375)]}
    assert found["ms"] == {"this": 2000.0, "against": 2000.0}
    assert found["amounts"] == {"solved": {"this": 0.5, "against": 0.5}}


def test_other_examples_are_noticed():
    same = {"this": [turn(1, examples=[1, 2])], "against": [turn(1, examples=[1, 2])]}
    assert summary(same)["same_examples"]
    same["against"] = [turn(1, examples=[1, 3])]
    assert not summary(same)["same_examples"]


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
