"""`lang2program playground` opens a page on this machine."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import pytest

from lang2program_tf.cli.main import main
from lang2program_tf.learning.stop_signals import STOP_SIGNALS


def test_it_puts_the_page_in_front_of_a_server_and_stops_when_told_to():
    command = [sys.executable, "-m", "lang2program_tf.cli.main", "playground", "--no_browser"]
    process = subprocess.Popen(
        [*command, "--port=0", "--server=http://127.0.0.1:9", "--model_name=mine"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        found = re.search(r"playing at (http://127\.0\.0\.1:\d+/), ", process.stdout.readline())
        assert found, process.stderr.read()
        with urllib.request.urlopen(found[1], timeout=10) as response:
            assert 'name="models" content="mine"' in response.read().decode()
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "one of the arguments --export --server is required"),
        (["--export", "nonesuch"], "there is no exported model in nonesuch"),
        (["--export", "x", "--model_name", "a", "--model_name", "b"], "--model_name is given 2"),
        (["--server", "localhost:8501"], "'localhost:8501' is not like http://localhost:8501"),
        (["--server", "http://127.0.0.1:9", "--port", "-1"], "--port must be 0 to 65535, got -1"),
    ],
)
def test_mistakes_are_told_in_one_line(arguments, message, capsys, monkeypatch):
    stopped = threading.Event()
    stopped.set()  # a command that takes the arguments ends at once
    monkeypatch.setattr("lang2program_tf.cli.playground.stop_on_signals", lambda: stopped)
    assert main(["playground", *arguments]) == 2
    err = capsys.readouterr().err
    assert err.startswith("error: ") and message in err and err.count("\n") == 1


def test_a_damaged_warm_up_file_ends_it_in_one_line(
    export_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    copy = shutil.copytree(export_dir / "1", tmp_path / "scene" / "1")
    (copy / "assets.extra" / "tf_serving_warmup_requests").write_text("no requests, but a text")
    before = [signal.getsignal(number) for number in STOP_SIGNALS]
    try:
        assert main(["playground", "--no_browser", "--port=0", "--export", str(copy)]) == 2
    finally:
        for number, handler in zip(STOP_SIGNALS, before):
            signal.signal(number, handler)
    (line,) = [line for line in capsys.readouterr().err.splitlines() if "warm a server up" in line]
    assert line.startswith("error: the requests of ")
