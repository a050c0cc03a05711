"""`worker.py` in a process of its own, in this checkout or in another."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lang2program_dev.benchmarks import worker
from lang2program_dev.benchmarks.checkouts import check_checkout
from lang2program_tf.errors import UserError
from lang2program_tf.tensorflow_defaults import users_environment


class Measured(NamedTuple):
    """What to time in a process.

    Attributes:
        kind: `train` or `search`.
        run: the folder of the run that the weights are of.
        gin_files: the settings; those of the run if there are none.
        gin_params: these go before all others.
        batch_size: examples a step, or a batch.
    """

    kind: str
    run: Path
    gin_files: Sequence[str]
    gin_params: Sequence[str]
    batch_size: int


class WorkerProcess:
    """`worker.py` in a process of its own; a context manager that ends it.

    Attributes:
        opened: domain and corpus of what is timed.
    """

    def __init__(self, checkout: Path, measured: Measured) -> None:
        """Starts the process, and has it open the run.

        Args:
            checkout: from which it imports this project.
            measured: what it times.
        """
        check_checkout(checkout)
        self._checkout = checkout
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115
        paths = [str(checkout.resolve()), os.environ.get("PYTHONPATH", "")]
        self._process = subprocess.Popen(
            [sys.executable, worker.__file__, str(checkout.resolve())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env={**users_environment(), "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        )
        run = str(measured.run.resolve())
        try:
            self.opened = self._ask({**measured._asdict(), "run": run})
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> WorkerProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the process."""
        self._process.kill()
        self._process.communicate()
        self._errors.close()

    def turn(self, count: int) -> dict[str, Any]:
        """Times so many steps or batches, see `worker.py`."""
        return self._ask({"count": count})

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None and self._process.stdout is not None
        line = ""
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            pass
        if not line:
            self._errors.seek(0)
            said = self._errors.read().splitlines() or ["it said nothing"]
            raise UserError(f"the process that times {self._checkout} ended: {said[-1]}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise UserError(f"{self._checkout} cannot be timed: {answer['error']}")
        return answer
