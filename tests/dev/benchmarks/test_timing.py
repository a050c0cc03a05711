from __future__ import annotations

import time

import pytest

from lang2program_dev.benchmarks.timing import memory_mb, milliseconds, peak_memory_mb, table


def test_times_are_medians_in_milliseconds_and_functions_take_turns():
    calls: list[str] = []

    def sleeps(name: str, seconds: float):
        def function() -> None:
            calls.append(name)
            time.sleep(seconds)

        return function

    times = milliseconds({"a": sleeps("a", 0.002), "b": sleeps("b", 0.02)}, repeats=3, warm_up=1)
    assert times["a"] == pytest.approx(2, abs=8)
    assert times["b"] == pytest.approx(20, abs=15)
    assert calls == ["a", "b", *["a", "b"] * 3]


def test_memory_is_that_of_this_process():
    before = memory_mb()
    held = bytearray(400 * 2**20)
    # Other memory of the process may be given back meanwhile: once 11 MB were.
    assert memory_mb() - before > 350
    assert peak_memory_mb() >= memory_mb() - 1
    del held


def test_a_table_is_aligned_and_rounds():
    text = table([["search", 1.234], ["x", 10]], ["part", "ms"])
    assert text.splitlines() == ["  part   ms", "search  1.2", "     x   10"]
