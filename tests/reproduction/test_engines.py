from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from lang2program_tf.errors import UserError
from lang2program_tf.reproduction.engines import LocalEngine, open_engine, run_environment

THREADS = "import os; print(os.environ['TF_NUM_INTEROP_THREADS'])"


def output(engine: LocalEngine, code: str, log: Path) -> str:
    process = engine.start(["-c", code], log=log)
    assert process.wait() == 0
    return log.read_text()


@pytest.mark.parametrize(("cores", "jobs", "threads"), [(8, 2, "4"), (8, 3, "2"), (2, 4, "1")])
def test_runs_share_the_cores(tmp_path: Path, monkeypatch, cores: int, jobs: int, threads: str):
    monkeypatch.delenv("TF_NUM_INTEROP_THREADS", raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(cores)), raising=False)
    assert output(LocalEngine(jobs=jobs), THREADS, tmp_path / "log") == f"{threads}\n"


def test_what_the_user_has_set_stays(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TF_NUM_INTEROP_THREADS", "7")
    monkeypatch.setenv("TF_NUM_INTRAOP_THREADS", "3")
    monkeypatch.setenv("LANG2PROGRAM_DATA", "/data")
    assert run_environment(threads=2) == {
        "TF_NUM_INTEROP_THREADS": "7",
        "TF_NUM_INTRAOP_THREADS": "3",
        "LANG2PROGRAM_DATA": "/data",
    }


def test_without_ray_a_line_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "ray", None)  # an import of it fails
    monkeypatch.delitem(sys.modules, "lang2program_tf.reproduction.ray_engine", raising=False)
    with pytest.raises(UserError, match=r"pip install 'lang2program_tf\[ray\]'"):
        open_engine("ray", jobs=1)


def test_local_is_the_engine_that_starts_processes_here(tmp_path: Path):
    engine = open_engine("local", jobs=1)
    process = engine.start(["-c", "import os; print(os.getppid())"], log=tmp_path / "log")
    while process.poll() is None:
        time.sleep(0.01)
    engine.close()
    assert (tmp_path / "log").read_text() == f"{os.getpid()}\n"
