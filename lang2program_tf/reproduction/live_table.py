"""What a person sees of a queue: a table that is redrawn in place, or plain lines."""

from __future__ import annotations

import shutil
import time
from collections import Counter
from collections.abc import Sequence
from typing import Protocol, TextIO

from lang2program_tf.reproduction.queue import Job, State
from lang2program_tf.reproduction.status import Status, read_status
from lang2program_tf.text_tables import text_table

_REDRAW_SECONDS = 2.0
_SUMMARY_SECONDS = 60.0
# What matters most stands first: a terminal may be too small for all.
_ORDER = (State.RUNNING, State.FAILED, State.STOPPED, State.WAITING, State.DONE)
_HEAD = ("run", "state", "step", "steps/s", "dev", "at most left")


class View(Protocol):
    """Shows a queue."""

    def changed(self, job: Job) -> None:
        """Shows that a job has another state."""

    def tick(self) -> None:
        """Shows how far the jobs are, if it is time."""

    def close(self) -> None:
        """Shows the end."""


def open_view(jobs: Sequence[Job], stream: TextIO) -> View:
    """A live table on a terminal, plain lines elsewhere."""
    return LiveTable(jobs, stream) if stream.isatty() else PlainLines(jobs, stream)


class PlainLines:
    """A line for each change of a job's state, and a summary each minute."""

    def __init__(self, jobs: Sequence[Job], stream: TextIO) -> None:
        self._jobs = jobs
        self._stream = stream
        self._next = time.monotonic() + _SUMMARY_SECONDS

    def changed(self, job: Job) -> None:
        """See View."""
        self._say(_change(job))

    def tick(self) -> None:
        """See View."""
        if time.monotonic() >= self._next:
            self._next += _SUMMARY_SECONDS
            self._say(summary(self._jobs))

    def close(self) -> None:
        """See View."""
        self._say(summary(self._jobs))

    def _say(self, line: str) -> None:
        print(line, file=self._stream, flush=True)


class LiveTable:
    """A table that is redrawn in place; what failed is said above it."""

    def __init__(self, jobs: Sequence[Job], stream: TextIO) -> None:
        self._jobs = jobs
        self._stream = stream
        self._drawn = 0
        self._next = 0.0

    def changed(self, job: Job) -> None:
        """See View."""
        if job.state is State.FAILED:
            self._stream.write(f"{self._erase()}{_change(job)}\n")
        self._draw()

    def tick(self) -> None:
        """See View."""
        if time.monotonic() >= self._next:
            self._draw()

    def close(self) -> None:
        """See View."""
        self._draw()

    def _draw(self) -> None:
        self._next = time.monotonic() + _REDRAW_SECONDS
        size = shutil.get_terminal_size()
        lines = render(self._jobs, width=size.columns - 1, height=size.lines - 1)
        self._stream.write(self._erase() + "".join(f"{line}\n" for line in lines))
        self._stream.flush()
        self._drawn = len(lines)

    def _erase(self) -> str:
        """Goes to where the table began, and clears what is below."""
        erase = f"\x1b[{self._drawn}F\x1b[J" if self._drawn else ""
        self._drawn = 0
        return erase


def render(jobs: Sequence[Job], *, width: int, height: int) -> list[str]:
    """The table as lines of at most `width` characters, at most `height` of them."""
    ordered = sorted(jobs, key=lambda job: _ORDER.index(job.state))
    room = max(1, height - 3)
    shown = [_row(job, _status(job)) for job in ordered[:room]]
    lines = text_table([_HEAD, *shown], left=2).splitlines()
    if len(ordered) > room:
        lines.append(f"… and {len(ordered) - room} more")
    return [line[:width] for line in [*lines, summary(jobs)]]


def summary(jobs: Sequence[Job]) -> str:
    """How many jobs are in which state, and where those that run are."""
    states = Counter(job.state for job in jobs)
    counts = ", ".join(f"{states[state]} {state.value}" for state in State if states[state])
    running = [job for job in jobs if job.state is State.RUNNING]
    where = [f"{_name(job)} step {_or_unknown(_status(job).step, 'd')}" for job in running]
    return "; ".join([f"{len(jobs)} runs: {counts}", *where])


def _status(job: Job) -> Status:
    """A job that waits may have a folder, but it is not read: there may be hundreds."""
    return Status() if job.state is State.WAITING else read_status(job.folder)


def _row(job: Job, status: Status) -> tuple[str, ...]:
    end = "" if job.max_steps is None or job.state is State.DONE else f"/{job.max_steps}"
    left = ""
    if job.state is State.RUNNING and status.step and status.rate and job.max_steps:
        left = _duration((job.max_steps - status.step) / status.rate)
    return (
        _name(job),
        job.state.value,
        _or_unknown(status.step, "d") + end,
        _or_unknown(status.rate, ".1f"),
        _or_unknown(status.accuracy, ".3f"),
        left,
    )


def _change(job: Job) -> str:
    parts = [f"{_name(job)}: {job.state.value}"]
    if job.state is State.FAILED:
        parts += [job.error, f"see {job.log}"]
    elif job.state is State.DONE:
        parts.append(f"dev {_or_unknown(_status(job).accuracy, '.3f')}")
    return "; ".join(parts)


def _name(job: Job) -> str:
    return f"{job.run.cell.domain} {job.run.cell.row} seed {job.run.seed}"


def _or_unknown(value: float | None, form: str) -> str:
    return "–" if value is None else format(value, form)


def _duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"{minutes // 60}:{minutes % 60:02d} h" if minutes >= 60 else f"{minutes} min"
