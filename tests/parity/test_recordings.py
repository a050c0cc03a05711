"""Everything that the folder of recordings holds agrees with this project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lang2program_tf.parity.folder import RecordingsFolder
from lang2program_tf.parity.registry import SECTIONS, Check, find_checks

FOLDER = Path(os.environ.get("LANG2PROGRAM_DATA", "")) / "parity"
CHECKS = find_checks(RecordingsFolder(FOLDER)) if FOLDER.is_dir() else []
SLOW = ("executor", "beams", "checkpoint", "weights")


def parameter(check: Check):
    marks = [pytest.mark.slow] if check.section in SLOW else []
    return pytest.param(check, id=f"{check.section} {check.name}", marks=marks)


def test_every_section_is_there(parity_dir):
    assert {check.section for check in CHECKS} == set(SECTIONS)


@pytest.mark.parametrize("check", [parameter(check) for check in CHECKS])
def test_it_equals_the_recording(check):
    if check.section == "dataset" and not (FOLDER.parent / "scone").is_dir():
        pytest.skip("no SCONE beside the recordings")
    comparisons = check.run()
    assert [comparison.problem for comparison in comparisons if comparison.problem] == []
    assert [str(difference) for comparison in comparisons for difference in comparison.first] == []
    assert all(comparison.passed for comparison in comparisons)
