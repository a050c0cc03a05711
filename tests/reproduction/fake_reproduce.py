"""`lang2program reproduce` with runs that only pretend to train; also a command of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from lang2program_tf.cli.main import main
from lang2program_tf.reproduction import reproduction
from lang2program_tf.reproduction.cells import Run
from lang2program_tf.reproduction.settings import Settings, bindings
from tests.reproduction import fake_train

TOP = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "tests.reproduction.fake_reproduce"]
LONGEST = 60.0


def fake_settings(run: Run, params: Sequence[str]) -> Settings:
    """Settings as `fake_train` writes them, without gin and TensorFlow."""
    return Settings("\n".join([*run.cell.gin_files, *bindings(run, params)]), fake_train.STEPS)


def pretend(patch: pytest.MonkeyPatch) -> None:
    """Makes `reproduce` call `fake_train`."""
    for command in ("TRAIN", "EVALUATE"):
        patch.setattr(reproduction, command, [str(Path(fake_train.__file__))])
    patch.setattr(reproduction, "read_settings", fake_settings)


class Command:
    """The command as a process, in a folder of the test."""

    def __init__(self, folder: Path, *arguments: str, **environment: str) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [*COMMAND, *arguments],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(TOP), **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def wait_for(self, runs: int) -> None:
        """Waits until this many runs have taken steps."""
        end = time.monotonic() + LONGEST
        while len(list(self.folder.rglob("metrics.jsonl"))) < runs:
            if self.process.poll() is not None or time.monotonic() > end:
                raise AssertionError(f"{runs} runs have not begun: {self.end()}")
            time.sleep(0.02)

    def end(self) -> tuple[int, str, str]:
        """Waits for the end; the exit code, and what was printed."""
        out, err = self.process.communicate(timeout=LONGEST)
        return self.process.returncode, out, err


if __name__ == "__main__":
    # Where a test is not itself the process that is to be stopped.
    with pytest.MonkeyPatch.context() as context:
        pretend(context)
        sys.exit(main(["reproduce", *sys.argv[1:]]))
