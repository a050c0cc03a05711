"""`lang2program serve` answers until it is told to stop."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading

import pytest

from lang2program_tf.cli.main import main
from lang2program_tf.serving import connect
from tests.serving import parsers


def test_it_answers_and_stops_when_told_to(export_dir):
    command = [sys.executable, "-m", "lang2program_tf.cli.main", "serve", "--no_warmup"]
    process = subprocess.Popen(
        [*command, "--export", str(export_dir), "--port=0", "--rest_port=0"],
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        line = process.stdout.readline()
        found = re.search(r"as scene: gRPC at (\S+), REST at (http://[^/]+)/v1/models/scene", line)
        assert found, process.stderr.read()
        example = parsers.examples("scene")[0]
        with connect(found[2], model="scene", verify_answers=True) as client:
            assert client.parse(example.world, example.utterances[:1]).num_found
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--export", "nonesuch"], "there is no exported model in nonesuch"),
        (["--export", "x", "--port", "70000"], "--port must be 0 to 65535, got 70000"),
        (["--export", "x", "--timeout", "0"], "--timeout must be above 0, got 0.0"),
        (["--export", "x", "--max_rows", "-1"], "--max_rows must be above 0, got -1"),
        ([], "--export"),
    ],
)
def test_mistakes_are_told_in_one_line(arguments, message, capsys, monkeypatch):
    stopped = threading.Event()
    stopped.set()  # a command that takes the arguments ends at once
    monkeypatch.setattr("lang2program_tf.cli.serve.stop_on_signals", lambda: stopped)
    assert main(["serve", *arguments]) == 2
    err = capsys.readouterr().err
    assert err.startswith("error: ") and message in err and err.count("\n") == 1
