"""A supervisor and workers that only pretend to be some."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lang2program_tf.errors import UserError
from lang2program_tf.learning.cluster import tf_config
from lang2program_tf.learning.supervision import LOST, supervise, wants_supervision

NOBODY = "127.0.0.1:1"
# Counts its lives in a file, and does what it is told for each of them; the last goes on.
WORKER = """
import json, os, pathlib, signal, sys, time
from lang2program_tf.learning.supervision import tell, waiting_since
path = pathlib.Path(sys.argv[1])
lives = json.loads(path.read_text()) if path.exists() else []
path.write_text(json.dumps([*lives, waiting_since()]))
*first, last = sys.argv[2:]
exec(first[len(lives)] if len(lives) < len(first) else last)
"""


def command(path: Path, *lives: str) -> list[str]:
    return [sys.executable, "-c", WORKER, str(path), *lives]


def lives(path: Path) -> list[float]:
    """When each life began to wait."""
    return json.loads(path.read_text())


def lose(step: int) -> str:
    return f"tell('begin', {step}); tell('learned'); sys.exit({LOST})"


@pytest.fixture(autouse=True)
def cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_CONFIG", tf_config([NOBODY, NOBODY], 0))


@pytest.mark.parametrize("code", [0, 1, 2, 143])
def test_the_exit_code_is_that_of_the_worker(code: int, tmp_path: Path):
    assert supervise(command(tmp_path / "lives", f"sys.exit({code})")) == code
    assert len(lives(tmp_path / "lives")) == 1


def test_a_worker_that_loses_another_or_is_killed_starts_again(tmp_path: Path, capfd):
    killed = "os.kill(os.getpid(), signal.SIGKILL)"
    assert supervise(command(tmp_path / "lives", lose(0), killed, "sys.exit(0)")) == 0
    assert len(lives(tmp_path / "lives")) == 3
    first, second = capfd.readouterr().err.splitlines()
    assert first == "starting again from the last checkpoint"
    assert second == "killed by signal 9; starting again from the last checkpoint"


def test_time_without_a_step_counts_from_the_first_loss(tmp_path: Path):
    in_vain = f"tell('begin', 0); sys.exit({LOST})"
    supervise(command(tmp_path / "lives", in_vain, in_vain, lose(0), "sys.exit(0)"))
    first, second, third, fourth = lives(tmp_path / "lives")
    assert first < second == third < fourth


def test_a_failure_after_the_same_step_every_time_ends_in_a_line(tmp_path: Path):
    with pytest.raises(UserError, match="lost 10 times in a row after step 500, the last that is"):
        supervise(command(tmp_path / "lives", lose(0), lose(0), lose(500)))
    assert len(lives(tmp_path / "lives")) == 12


def test_losses_after_other_steps_do_not_count_together(tmp_path: Path):
    steps = [lose(step) for step in range(11)]
    assert supervise(command(tmp_path / "lives", *steps, "sys.exit(0)")) == 0


def test_another_that_vanishes_while_joining_is_waited_for_no_longer_than_asked(tmp_path: Path):
    joining = "tell('joining', 0.5); time.sleep(60)"
    with pytest.raises(UserError, match=f"waited 0 seconds for other workers: worker 1 .{NOBODY}"):
        supervise(command(tmp_path / "lives", joining))
    ended = "tell('joining', 0.5); tell('joined'); time.sleep(1.5)"
    assert supervise(command(tmp_path / "more", ended)) == 0


def supervisor(path: Path, *lives: str) -> subprocess.Popen[bytes]:
    """A process that supervises; returns when its worker is there."""
    start = "import sys; from lang2program_tf.learning.supervision import supervise;"
    process = subprocess.Popen(
        [sys.executable, "-c", f"{start} sys.exit(supervise(sys.argv[1:]))", *command(path, *lives)]
    )
    deadline = time.monotonic() + 60
    while not (path.with_suffix(".pid")).exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return process


HERE = "path.with_suffix('.pid').write_text(str(os.getpid()));"


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_reaches_the_worker_once(sign: signal.Signals, tmp_path: Path):
    noting = "from lang2program_tf.learning.stop_signals import stop_signals\n"
    noting += "with stop_signals() as received:\n    " + HERE + "\n    "
    noting += "while not received: time.sleep(0.01)\n    time.sleep(0.5)\n    "
    process = supervisor(tmp_path / "lives", noting + "sys.exit(100 + len(received))")
    process.send_signal(sign)
    assert process.wait(60) == 101


def test_a_worker_that_is_joining_hears_nothing_and_is_ended(tmp_path: Path):
    deaf = "signal.signal(signal.SIGTERM, signal.SIG_IGN); tell('joining', 60); time.sleep(0.5);"
    process = supervisor(tmp_path / "lives", f"{deaf} {HERE} time.sleep(60)")
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 128 + signal.SIGKILL


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a worker may outlive it")
def test_a_worker_does_not_outlive_its_supervisor(tmp_path: Path):
    process = supervisor(tmp_path / "lives", f"{HERE} time.sleep(60)")
    process.kill()
    process.wait()
    worker = int((tmp_path / "lives.pid").read_text())
    deadline = time.monotonic() + 10
    with pytest.raises(ProcessLookupError):
        while time.monotonic() < deadline:
            os.kill(worker, 0)
            time.sleep(0.02)


def test_who_is_alone_or_supervised_needs_no_supervision(monkeypatch: pytest.MonkeyPatch):
    assert wants_supervision()
    monkeypatch.setenv("LANG2PROGRAM_SUPERVISOR", "3")
    assert not wants_supervision()
    monkeypatch.delenv("LANG2PROGRAM_SUPERVISOR")
    for config in (tf_config(["a:1"], 0), "{", ""):
        monkeypatch.setenv("TF_CONFIG", config)
        assert not wants_supervision()
