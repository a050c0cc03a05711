"""Where the processes of a queue run."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from lang2program_tf.cores import num_cores
from lang2program_tf.reproduction.process import Process
from lang2program_tf.tensorflow_defaults import users_environment

# How many operations of a run go side by side; parts of a batch and other threads follow from it.
THREADS = "TF_NUM_INTEROP_THREADS"
_PASSED = (THREADS, "TF_NUM_INTRAOP_THREADS", "LANG2PROGRAM_DATA")


class RunningProcess(Protocol):
    """What a queue needs of a process that it started."""

    def poll(self) -> int | None:
        """The exit code, None while it runs."""

    def terminate(self) -> None:
        """Tells it to save itself and stop."""


class Engine(Protocol):
    """Starts processes, here or elsewhere."""

    def start(self, arguments: Sequence[str], *, log: Path) -> RunningProcess:
        """Starts `python` with arguments, its output appended to a log."""

    def close(self) -> None:
        """Gives back what the engine holds."""


class LocalEngine:
    """Processes on this machine, which share its cores evenly."""

    def __init__(self, *, jobs: int) -> None:
        self._environment = run_environment(threads=num_cores() // jobs)

    def start(self, arguments: Sequence[str], *, log: Path) -> Process:
        """See Engine."""
        return Process(arguments, log=str(log), cwd=os.getcwd(), environment=self._environment)

    def close(self) -> None:
        """See Engine."""


def run_environment(*, threads: int) -> Mapping[str, str]:
    """The variables that matter to a run: those of this process, and a number of threads."""
    given = {name: value for name, value in users_environment().items() if name in _PASSED}
    return {THREADS: str(max(1, threads)), **given}


def open_engine(name: str, *, jobs: int) -> Engine:
    """The engine `local` or `ray`."""
    if name == "local":
        return LocalEngine(jobs=jobs)
    from lang2program_tf.reproduction.ray_engine import RayEngine  # imports Ray

    return RayEngine(jobs=jobs)
