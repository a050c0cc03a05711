"""A Python process of its own session, whose output goes to a log."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence


class Process:
    """A process that was started on this machine."""

    def __init__(
        self, arguments: Sequence[str], *, log: str, cwd: str, environment: Mapping[str, str]
    ) -> None:
        """Starts it.

        Args:
            arguments: what follows `python`.
            log: the file that its output is appended to.
            cwd: the folder that it works in.
            environment: variables besides those of this process.
        """
        with open(log, "ab") as output:
            self._process = subprocess.Popen(
                [sys.executable, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=cwd,
                env={**os.environ, **environment},
                # Ctrl-C at the terminal is for the queue, which then tells its processes.
                start_new_session=True,
            )

    def poll(self) -> int | None:
        """The exit code, None while it runs."""
        return self._process.poll()

    def wait(self) -> int:
        """The exit code, when it has ended."""
        return self._process.wait()

    def terminate(self) -> None:
        """Tells it to save itself and stop."""
        self._process.terminate()
