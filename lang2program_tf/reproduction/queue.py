"""Runs jobs as processes, some at a time, until all have ended or the queue is told to stop."""

from __future__ import annotations

import enum
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lang2program_tf.learning.run_folder import RunFolder
from lang2program_tf.learning.stop_signals import stop_signals
from lang2program_tf.reproduction.cells import Run
from lang2program_tf.reproduction.engines import Engine, RunningProcess

_POLL_SECONDS = 0.2
_ERROR_BYTES = 20_000


class State(enum.Enum):
    """How far a job is; the value is the word that people see."""

    WAITING = "waiting"
    RUNNING = "running"
    STOPPED = "stopped"
    FAILED = "failed"
    DONE = "done"


@dataclass
class Job:
    """A run to be trained.

    Attributes:
        run: the run.
        folder: its folder.
        arguments: what follows `python` to train it, or to go on with it.
        max_steps: its last step, if known.
        state: how far it is.
        error: the last error line of a job that failed.
    """

    run: Run
    folder: RunFolder
    arguments: Sequence[str]
    max_steps: int | None = None
    state: State = State.WAITING
    error: str = ""

    @property
    def log(self) -> Path:
        """The file with the output of its processes."""
        return self.folder.path.with_name(f"{self.folder.path.name}.log")


class Queue:
    """Jobs and the processes of those that run."""

    def __init__(self, jobs: Sequence[Job], *, engine: Engine, limit: int) -> None:
        """Binds the jobs.

        Args:
            jobs: in the order in which they begin.
            engine: starts their processes.
            limit: how many run at a time.
        """
        self.jobs = jobs
        self._engine = engine
        self._limit = limit
        self._processes: dict[int, RunningProcess] = {}  # by place in `jobs`
        self._log_sizes: dict[int, int] = {}

    def run(
        self, *, changed: Callable[[Job], None], tick: Callable[[], None]
    ) -> signal.Signals | None:
        """Runs the jobs.

        Args:
            changed: called with each job whose state has changed.
            tick: called several times a second.

        Returns:
            The signal that stopped the queue, None if all jobs have ended.
        """
        with stop_signals() as received:
            try:
                told = False
                while True:
                    self._collect(changed, stopping=bool(received))
                    if not received:
                        self._fill(changed)
                    elif not told:
                        self._terminate()
                        told = True
                    if not self._processes:
                        return received[0] if received else None
                    tick()
                    time.sleep(_POLL_SECONDS)
            except BaseException:
                self._terminate()
                raise

    def _fill(self, changed: Callable[[Job], None]) -> None:
        """Starts jobs while there is room."""
        for place, job in enumerate(self.jobs):
            if len(self._processes) >= self._limit:
                return
            if job.state is State.WAITING:
                job.log.parent.mkdir(parents=True, exist_ok=True)
                self._log_sizes[place] = job.log.stat().st_size if job.log.exists() else 0
                self._processes[place] = self._engine.start(job.arguments, log=job.log)
                job.state = State.RUNNING
                changed(job)

    def _collect(self, changed: Callable[[Job], None], *, stopping: bool) -> None:
        """Notes the jobs that have ended."""
        for place, process in list(self._processes.items()):
            code = process.poll()
            if code is None:
                continue
            del self._processes[place]
            job = self.jobs[place]
            if code == 0 and job.folder.result() is not None:
                job.state = State.DONE
            elif stopping:
                job.state = State.STOPPED
            else:
                job.state = State.FAILED
                job.error = _last_error(job.log, since=self._log_sizes[place], code=code)
            changed(job)

    def _terminate(self) -> None:
        for process in self._processes.values():
            process.terminate()


def _last_error(log: Path, *, since: int, code: int) -> str:
    """The last error that a process has written to its log, else its last words."""
    with open(log, "rb") as output:
        output.seek(max(since, log.stat().st_size - _ERROR_BYTES))
        lines = output.read().decode("utf-8", "replace").split("\n")
    said = [line.strip() for line in lines if line.strip()]
    errors = [line for line in said if line.startswith("error: ")]
    if code < 0:
        return f"killed by {signal.Signals(-code).name}"
    if code == 0:
        return "ended without a result"
    return (errors or said or [f"exit code {code}"])[-1]
