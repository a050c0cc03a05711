from __future__ import annotations

import io
import json
import os
from pathlib import Path

import pytest

from lang2program_tf.learning.run_folder import RESULT, RunFolder
from lang2program_tf.reproduction.cells import Run
from lang2program_tf.reproduction.live_table import LiveTable, PlainLines, open_view, render
from lang2program_tf.reproduction.queue import Job, State
from tests.reproduction.examples import OURS, PAPER


@pytest.fixture
def jobs(tmp_path: Path) -> list[Job]:
    """One that waits, one that runs, one that is done and one that failed."""
    waits, runs, done, failed = (
        Job(Run(cell, seed), RunFolder(tmp_path / f"{cell.row}_{seed}"), [], 3000)
        for cell, seed in ((OURS, 0), (PAPER, 0), (PAPER, 1), (OURS, 12))
    )
    for job in (runs, done):
        job.folder.path.mkdir()
    runs.state, done.state, failed.state = State.RUNNING, State.DONE, State.FAILED
    runs.folder.log({"step": 600, "kind": "step", "steps_per_second": 10.0})
    runs.folder.log({"step": 600, "kind": "sample", "accuracy": 0.25})
    result = {"steps": 2500, "seconds": 500.0, "accuracy_all": 0.5}
    (done.folder.path / RESULT).write_text(json.dumps(result))
    failed.error = "error: it broke"
    return [waits, runs, done, failed]


def test_the_table_has_a_row_for_each_run_and_what_runs_stands_first(jobs: list[Job]):
    assert [line.rstrip() for line in render(jobs, width=100, height=24)] == [
        "run                  state        step  steps/s    dev  at most left",
        "scene good seed 0    running  600/3000     10.0  0.250         4 min",
        "alchemy new seed 12  failed     –/3000        –      –",
        "alchemy new seed 0   waiting    –/3000        –      –",
        "scene good seed 1    done         2500      5.0  0.500",
        "4 runs: 1 waiting, 1 running, 1 failed, 1 done; scene good seed 0 step 600",
    ]


def test_a_small_terminal_is_never_overrun(jobs: list[Job]):
    lines = render(jobs * 20, width=40, height=10)
    assert len(lines) == 10 and max(map(len, lines)) == 40
    assert lines[-2] == "… and 73 more"
    assert "running" in lines[1]


def test_hours_are_told_as_hours(jobs: list[Job]):
    jobs[1].max_steps = 60_600
    assert render(jobs, width=100, height=24)[1].endswith(" 1:40 h")


def test_a_terminal_is_redrawn_in_place(jobs: list[Job], monkeypatch: pytest.MonkeyPatch):
    size = os.terminal_size((100, 24))
    monkeypatch.setattr("shutil.get_terminal_size", lambda fallback=None: size)
    stream = io.StringIO()
    view = LiveTable(jobs, stream)
    view.tick()
    view.tick()  # too soon
    view.close()
    first, second = stream.getvalue().split("\x1b[6F\x1b[J")
    assert first == second and first.count("\n") == 6


def test_what_failed_stays_above_the_table(jobs: list[Job], monkeypatch: pytest.MonkeyPatch):
    stream = io.StringIO()
    view = LiveTable(jobs, stream)
    view.changed(jobs[1])
    view.changed(jobs[3])
    view.close()
    _, failure, _ = stream.getvalue().split("\x1b[6F\x1b[J")
    assert failure.startswith(f"alchemy new seed 12: failed; error: it broke; see {jobs[3].log}\n")


def test_elsewhere_there_is_a_line_for_each_change_and_a_summary_each_minute(
    jobs: list[Job], monkeypatch: pytest.MonkeyPatch
):
    now = [1000.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    stream = io.StringIO()
    view = open_view(jobs, stream)
    assert isinstance(view, PlainLines)
    view.changed(jobs[1])
    view.changed(jobs[2])
    for seconds in (1, 58, 2, 1):
        now[0] += seconds
        view.tick()
    assert stream.getvalue().splitlines() == [
        "scene good seed 0: running",
        "scene good seed 1: done; dev 0.500",
        "4 runs: 1 waiting, 1 running, 1 failed, 1 done; scene good seed 0 step 600",
    ]
