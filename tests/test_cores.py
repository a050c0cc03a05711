"""Every core has work, and none has two."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lang2program_tf import cores


@pytest.fixture
def have(monkeypatch):
    """Pretends that there are so many cores."""

    def have(number: int) -> None:
        monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(number)), raising=False)
        monkeypatch.delenv("TF_NUM_INTEROP_THREADS", raising=False)
        monkeypatch.setattr(cores, "CPU_LIMIT", Path("no limit"))

    return have


def test_a_process_uses_the_cores_it_is_bound_to(have):
    have(6)
    assert cores.num_cores() == 6


@pytest.mark.parametrize(
    ("limit", "number"),
    [("max 100000", 6), ("250000 100000", 2), ("50000 100000", 1), ("900000 100000", 6), ("", 6)],
)
def test_a_container_may_allow_fewer(have, tmp_path, monkeypatch, limit, number):
    have(6)
    file = tmp_path / "cpu.max"
    file.write_text(limit)
    monkeypatch.setattr(cores, "CPU_LIMIT", file)
    assert cores.num_cores() == number


@pytest.mark.parametrize(("threads", "number"), [("2", 2), ("20", 6), ("0", 6), ("x", 6)])
def test_several_processes_may_share_the_cores(have, monkeypatch, threads, number):
    have(6)
    monkeypatch.setenv("TF_NUM_INTEROP_THREADS", threads)
    assert cores.num_cores() == number


@pytest.mark.parametrize("number", [1, 2, 4, 8, 16, 64, 96])
def test_parts_and_threads_fill_the_cores_and_no_more(have, number):
    have(number)
    used = cores.explored_parts(1000) * cores.threads_per_operation()
    assert number / 2 < used <= number


def test_a_part_has_an_example(have):
    have(8)
    assert cores.explored_parts(3) == 3
    assert cores.explored_parts(1) == 1


def test_predictions_have_two_parts_for_each_core_as_far_as_that_makes_sense(have):
    have(2)
    assert cores.predicted_parts() == 4
    have(64)
    assert cores.predicted_parts() == 8
