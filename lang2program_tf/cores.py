"""How the cores that this process may use are shared out: parts of a batch, threads, processes."""

from __future__ import annotations

import os
from pathlib import Path

# With more parts than this, each has too little to do.
MOST_PARTS = 8
# A container has its limit there, "QUOTA PERIOD" or "max PERIOD".
CPU_LIMIT = Path("/sys/fs/cgroup/cpu.max")


def num_cores() -> int:
    """How many cores this process may use: those it is bound to, or fewer.

    A container may allow fewer, and so may TF_NUM_INTEROP_THREADS, which whoever starts several
    processes sets.
    """
    if hasattr(os, "sched_getaffinity"):
        cores = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 1
    try:
        quota, period = CPU_LIMIT.read_text(encoding="ascii").split()
        cores = min(cores, int(quota) // int(period))
    except (OSError, ValueError):
        pass  # no container, or one without a limit
    threads = os.environ.get("TF_NUM_INTEROP_THREADS", "")
    if threads.isdecimal() and int(threads) > 0:  # 0: as many as there are cores
        cores = min(cores, int(threads))
    return max(cores, 1)


def explored_parts(examples: int) -> int:
    """In how many parts a batch is searched to learn from it: one for each core."""
    return min(examples, num_cores(), MOST_PARTS)


def predicted_parts() -> int:
    """In how many parts a large batch is predicted: two for each core, as some end early."""
    return min(2 * num_cores(), MOST_PARTS)


def threads_per_operation() -> int:
    """Between how many threads one operation is split.

    A search is thousands of small operations, and to split one costs more than it saves, mostly a
    tenth to a third of the time: the parts of a batch have a core each instead. Only cores that
    they leave over help with what is large.
    """
    return max(1, num_cores() // MOST_PARTS)
