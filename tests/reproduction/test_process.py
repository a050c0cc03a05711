from __future__ import annotations

from pathlib import Path

from lang2program_tf.reproduction.process import Process

SLEEP = "import time; time.sleep(60)"


def start(folder: Path, code: str, **environment: str) -> Process:
    log = str(folder / "log")
    return Process(["-c", code], log=log, cwd=str(folder), environment=environment)


def test_what_it_says_is_appended_to_its_log(tmp_path: Path):
    code = "import os, sys; print(os.environ['WORD']); print(os.getcwd(), file=sys.stderr)"
    assert start(tmp_path, code, WORD="first").wait() == 0
    assert start(tmp_path, code, WORD="second").wait() == 0
    lines = (tmp_path / "log").read_text().splitlines()
    assert sorted(lines) == sorted(["first", "second", *[str(tmp_path)] * 2])


def test_it_has_a_session_of_its_own_so_that_a_terminals_ctrl_c_spares_it(tmp_path: Path):
    start(tmp_path, "import os; print(os.getsid(0) == os.getpid())").wait()
    assert (tmp_path / "log").read_text() == "True\n"


def test_it_can_be_told_to_stop(tmp_path: Path):
    process = start(tmp_path, SLEEP)
    assert process.poll() is None
    process.terminate()
    assert process.wait() == -15 == process.poll()
