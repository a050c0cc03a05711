"""Watches over one worker of several: starts it again, and ends it when it waits in vain.

TensorFlow joins other workers once in the life of a process, and while it does no thread of Python
can run. So a worker is a process of its own, and this one, which needs no TensorFlow, decides.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence

from lang2program_tf.errors import UserError
from lang2program_tf.learning.cluster import own_place
from lang2program_tf.learning.stop_signals import stop_signals

LOST = 75  # the exit code of a worker that has lost another

_PIPE = "LANG2PROGRAM_SUPERVISOR"
_SINCE = "LANG2PROGRAM_WAITING_SINCE"
_MOST_STARTS = 10
_PAUSE = 0.3
_PR_SET_PDEATHSIG = 1


def wants_supervision() -> bool:
    """Whether this process is one of several workers, and nobody watches over it yet."""
    if _PIPE in os.environ:
        return False
    try:
        return len(own_place().addresses) > 1
    except UserError:  # of a cluster that may not concern this run
        return False


def waiting_since() -> float:
    """When this worker, or the one that it replaces, began to wait for others."""
    return float(os.environ.get(_SINCE, time.time()))


def tell(what: str, number: float = 0) -> None:
    """Tells the supervisor of this process, if it has one.

    Args:
        what: `joining` others, `joined`, `begin` to train, or `learned` for the first time.
        number: for how many seconds it may be joining, or the step that it begins with.
    """
    if _PIPE in os.environ:
        os.write(int(os.environ[_PIPE]), f"{what} {number}\n".encode())


def supervise(command: Sequence[str]) -> int:
    """Runs a worker, again and again if need be; the exit code of the last.

    It is started again when it has lost another worker or something has killed it, until that
    has happened ten times in a row after the same step.

    Args:
        command: what to run; it tells how far it is by `tell`.
    """
    since = begun = None
    starts = 0
    with stop_signals() as received:
        while True:
            worker = _Worker(command, since=since)
            code = worker.run(received)
            if received or (code != LOST and code >= 0):
                return code if code >= 0 else 128 - code
            since = time.time() if worker.learned or since is None else since
            starts = starts + 1 if worker.begun in (None, begun) else 1
            begun = begun if worker.begun is None else worker.begun
            if starts == _MOST_STARTS:
                raise UserError(
                    f"workers were lost {starts} times in a row after step {begun or 0}, the last "
                    "that is saved: one of them must fail there every time; see what it says"
                )
            again = "starting again from the last checkpoint"
            print(again if code == LOST else f"killed by signal {-code}; {again}", file=sys.stderr)


class _Worker:
    """One life of a worker.

    Attributes:
        begun: the step that it began with, None if it did not come so far.
        learned: whether it has taken a step.
    """

    def __init__(self, command: Sequence[str], *, since: float | None) -> None:
        self.begun: int | None = None
        self.learned = False
        self._joining: float | None = None  # for how many seconds it may
        self._deadline = math.inf
        self._text = b""
        self._pipe, others = os.pipe()
        environment = {**os.environ, _PIPE: str(others)}
        if since is not None:
            environment[_SINCE] = str(since)
        self._process = subprocess.Popen(
            command,
            env=environment,
            pass_fds=[others],
            start_new_session=True,  # Ctrl-C comes by us alone
            preexec_fn=_end_with_parent,
        )
        os.close(others)

    def run(self, received: Sequence[signal.Signals]) -> int:
        """Waits for its end, and hands it every signal; its exit code, below 0 for a signal."""
        handed = 0
        try:
            while self._process.poll() is None:
                self._listen()
                for sign in received[handed:]:
                    # While it is joining it hears of nothing.
                    self._process.send_signal(sign if self._joining is None else signal.SIGKILL)
                handed = len(received)
                if self._joining is not None and time.monotonic() > self._deadline:
                    raise UserError(own_place().waited(self._joining))
            self._listen()
            return self._process.returncode
        finally:
            self._process.kill()
            self._process.wait()
            os.close(self._pipe)

    def _listen(self) -> None:
        """Takes in what it tells within a moment."""
        if not select.select([self._pipe], [], [], _PAUSE)[0]:
            return
        text = os.read(self._pipe, 4096)
        if not text:  # it is ending
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_PAUSE)
        *lines, self._text = (self._text + text).split(b"\n")
        for line in lines:
            what, number = line.decode().split()
            if what == "joining":
                self._joining = float(number)
                self._deadline = time.monotonic() + self._joining
            elif what == "joined":
                self._joining = None
            elif what == "begin":
                self.begun = int(number)
            elif what == "learned":
                self.learned = True


def _end_with_parent() -> None:
    """Called in the new process: where the system can, it does not outlive the supervisor."""
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
