from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from pathlib import Path

import pytest

from lang2program_tf.learning.run_folder import RESULT, RunFolder
from lang2program_tf.reproduction.cells import Run
from lang2program_tf.reproduction.queue import Job, Queue, State
from tests.reproduction.examples import PAPER


class Script:
    """A process that says nothing for some polls, and then ends as it was told to.

    An `end` of None is one that never comes by itself.
    """

    def __init__(self, log: Path, *, end: int | None, polls: int = 2, says: str = "") -> None:
        self.log, self.end, self.polls, self.says = log, end, polls, says
        self.terminated = 0

    def poll(self) -> int | None:
        if self.end is None and not self.terminated:
            return None
        self.polls -= 1
        if self.polls > 0:
            return None
        if self.end == 0:
            folder = self.log.with_suffix("")
            folder.mkdir(parents=True, exist_ok=True)
            (folder / RESULT).write_text("{}")
        with open(self.log, "a") as lines:
            lines.write(self.says)
        return 143 if self.end is None else self.end

    def terminate(self) -> None:
        self.terminated += 1


class Scripts:
    """An engine of scripts; its arguments say which."""

    def __init__(self, **scripts: dict) -> None:
        self.scripts = scripts
        self.started: dict[str, Script] = {}

    def start(self, arguments: Sequence[str], *, log: Path) -> Script:
        self.started[arguments[0]] = Script(log, **self.scripts[arguments[0]])
        return self.started[arguments[0]]

    def close(self) -> None: ...


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: None)


def jobs_of(engine: Scripts, folder: Path) -> dict[str, Job]:
    return {
        name: Job(Run(PAPER, seed), RunFolder(folder / name), [name])
        for seed, name in enumerate(engine.scripts)
    }


def run(engine: Scripts, jobs: dict[str, Job], limit: int = 1, tick=lambda: None):
    seen: list[tuple[str, str]] = []
    ended_by = Queue(list(jobs.values()), engine=engine, limit=limit).run(
        changed=lambda job: seen.append((job.arguments[0], job.state.value)), tick=tick
    )
    return ended_by, seen


def test_jobs_begin_in_their_order_one_after_the_other(tmp_path: Path):
    engine = Scripts(a={"end": 0}, b={"end": 0})
    ended_by, seen = run(engine, jobs_of(engine, tmp_path))
    assert ended_by is None
    assert seen == [("a", "running"), ("a", "done"), ("b", "running"), ("b", "done")]


def test_no_more_run_at_a_time_than_the_limit_and_no_fewer(tmp_path: Path):
    engine = Scripts(**{name: {"end": 0, "polls": 3} for name in "abcde"})
    jobs, counts = jobs_of(engine, tmp_path), []
    run(
        engine,
        jobs,
        limit=2,
        tick=lambda: counts.append(sum(job.state is State.RUNNING for job in jobs.values())),
    )
    assert counts[:4] == [2, 2, 2, 2] and max(counts) == 2
    assert all(job.state is State.DONE for job in jobs.values())


@pytest.mark.parametrize(
    ("script", "error"),
    [
        ({"end": 2, "says": "step 1\nerror: it broke\n- more of it\n"}, "error: it broke"),
        ({"end": 1, "says": "Traceback\nValueError: x\n\n"}, "ValueError: x"),
        ({"end": 3}, "exit code 3"),
        ({"end": -9, "says": "step 7\n"}, "killed by SIGKILL"),
    ],
)
def test_a_failure_gives_the_last_error_of_its_own_log_and_the_queue_goes_on(
    tmp_path: Path, script: dict, error: str
):
    engine = Scripts(bad=script, good={"end": 0})
    jobs = jobs_of(engine, tmp_path)
    jobs["bad"].log.write_text("error: of an earlier attempt\n")
    run(engine, jobs)
    assert (jobs["bad"].state, jobs["bad"].error) == (State.FAILED, error)
    assert jobs["good"].state is State.DONE


def test_an_end_without_a_result_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    engine = Scripts(a={"end": 0})
    jobs = jobs_of(engine, tmp_path)
    monkeypatch.setattr(RunFolder, "result", lambda self: None)
    run(engine, jobs)
    assert (jobs["a"].state, jobs["a"].error) == (State.FAILED, "ended without a result")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_those_that_run_once_and_begins_no_other(
    tmp_path: Path, number: signal.Signals
):
    engine = Scripts(a={"end": None, "polls": 5}, b={"end": 0, "polls": 3}, c={"end": 0})
    jobs = jobs_of(engine, tmp_path)
    ticks: list[int] = []

    def tick() -> None:
        ticks.append(1)
        if len(ticks) == 1:
            os.kill(os.getpid(), number)

    ended_by, _ = run(engine, jobs, limit=2, tick=tick)
    assert ended_by is number
    assert [job.state.value for job in jobs.values()] == ["stopped", "done", "waiting"]
    assert engine.started["a"].terminated == 1
    assert "c" not in engine.started


def test_an_error_of_the_queue_itself_leaves_no_process_running(tmp_path: Path):
    engine = Scripts(a={"end": None})

    def tick() -> None:
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space left"):
        run(engine, jobs_of(engine, tmp_path), tick=tick)
    assert engine.started["a"].terminated == 1
