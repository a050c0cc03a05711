from __future__ import annotations

import json
from pathlib import Path

import pytest

from lang2program_tf.learning.run_folder import RESULT, RunFolder
from lang2program_tf.reproduction.status import Status, read_status


def test_a_run_that_has_not_begun_is_unknown(tmp_path: Path):
    assert read_status(RunFolder(tmp_path / "nowhere")) == Status(None, None, None)


def test_a_run_under_way_is_where_its_log_ends(tmp_path: Path):
    folder = RunFolder(tmp_path)
    folder.log({"step": 50, "kind": "step", "steps_per_second": 4.0})
    assert read_status(folder) == Status(50, 4.0, None)
    folder.log({"step": 100, "kind": "step", "steps_per_second": 5.0})
    folder.log({"step": 100, "kind": "sample", "accuracy": 0.25})
    folder.log({"step": 100, "kind": "train", "accuracy": 0.75})
    assert read_status(folder) == Status(100, 5.0, 0.25)


def test_a_finished_run_has_its_result(tmp_path: Path):
    result = {"steps": 300, "seconds": 100.0, "accuracy_all": 0.5}
    (tmp_path / RESULT).write_text(json.dumps(result))
    status = read_status(RunFolder(tmp_path))
    assert (status.step, status.accuracy) == (300, 0.5)
    assert status.rate == pytest.approx(3.0)
