"""Measuring times and memory."""

from __future__ import annotations

import resource
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

from tqdm import tqdm

from lang2program_tf.text_tables import text_table


def milliseconds(
    functions: dict[str, Callable[[], Any]], *, repeats: int, warm_up: int = 2
) -> dict[str, float]:
    """The median time of each function in ms.

    The functions take turns, so that what else the machine does falls on all of them alike.
    """
    for function in functions.values():
        for _ in range(warm_up):
            function()
    times: dict[str, list[float]] = {name: [] for name in functions}
    for _ in tqdm(range(repeats), desc="measuring", leave=False):
        for name, function in functions.items():
            start = time.perf_counter()
            function()
            times[name].append(time.perf_counter() - start)
    return {name: 1000 * statistics.median(seconds) for name, seconds in times.items()}


def peak_memory_mb() -> float:
    """The highest resident memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def memory_mb() -> float:
    """The resident memory of this process now."""
    with open("/proc/self/statm", encoding="ascii") as statistics_of_memory:
        pages = int(statistics_of_memory.read().split()[1])
    return pages * resource.getpagesize() / 2**20


def table(rows: Sequence[Sequence[object]], head: Sequence[str]) -> str:
    """Rows as a text table, numbers with one decimal."""
    return text_table([head, *([_text(cell) for cell in row] for row in rows)], left=0)


def _text(cell: object) -> str:
    return f"{cell:.1f}" if isinstance(cell, float) else str(cell)
