"""Processes on a Ray cluster whose nodes share a file system and have this package installed."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lang2program_tf.errors import UserError
from lang2program_tf.reproduction.engines import THREADS, run_environment
from lang2program_tf.reproduction.process import Process

try:
    import ray
    from ray.exceptions import RayError
except ImportError as error:
    raise UserError("--engine ray needs Ray; pip install 'lang2program_tf[ray]'") from error

_LOGGED = logging.ERROR
_LOST = 255
_STORE = 100 * 2**20  # bytes; nothing goes through Ray's store


class RayEngine:
    """Each process is kept by an actor on some node, which passes on that it shall stop."""

    def __init__(self, *, jobs: int) -> None:
        """Joins the cluster that RAY_ADDRESS names, else starts Ray on this machine.

        Args:
            jobs: how many processes there are at a time, each with one thread unless
                TF_NUM_INTEROP_THREADS says otherwise.
        """
        self._environment = run_environment(threads=1)
        self._threads = max(1, int(self._environment[THREADS]))
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        if os.environ.get("RAY_ADDRESS"):
            try:
                ray.init(address="auto", log_to_driver=False, logging_level=_LOGGED)
            except (ConnectionError, RuntimeError, ValueError) as error:
                raise UserError(
                    f"cannot join the Ray cluster of RAY_ADDRESS={os.environ['RAY_ADDRESS']}: "
                    f"{str(error).splitlines()[0]}; if it wants a token, set RAY_AUTH_MODE=token "
                    "and RAY_AUTH_TOKEN as on its nodes"
                ) from error
        else:
            ray.init(
                address="local",
                num_cpus=jobs * self._threads,
                object_store_memory=_STORE,
                include_dashboard=False,
                log_to_driver=False,
                logging_level=_LOGGED,
            )

    def start(self, arguments: Sequence[str], *, log: Path) -> RayProcess:
        """See Engine."""
        # Two calls at a time: one waits for the process, the other may tell it to stop.
        kept = ray.remote(Process).options(num_cpus=self._threads, max_concurrency=2)
        actor: Any = kept.remote(
            list(arguments), log=str(log), cwd=os.getcwd(), environment=self._environment
        )
        return RayProcess(actor, log)

    def close(self) -> None:
        """See Engine."""
        ray.shutdown()


class RayProcess:
    """A process on some node."""

    def __init__(self, actor: Any, log: Path) -> None:
        """Waits for a process from afar.

        Args:
            actor: keeps the process.
            log: the process's log.
        """
        self._actor = actor
        self._log = log
        self._started = actor.poll.remote()
        self._ended = actor.wait.remote()

    def poll(self) -> int | None:
        """The exit code, None while it runs."""
        if not _is_ready(self._ended):
            return None
        try:
            code: int = ray.get(self._ended)
        except RayError as error:
            with open(self._log, "a", encoding="utf-8") as lines:
                lines.write(f"error: Ray lost this run: {str(error).splitlines()[0]}\n")
            code = _LOST
        ray.kill(self._actor)  # gives its CPUs back
        return code

    def terminate(self) -> None:
        """Tells it to save itself and stop."""
        if _is_ready(self._started):
            self._actor.terminate.remote()
        else:  # it may wait for free CPUs for long
            ray.kill(self._actor)


def _is_ready(reference: Any) -> bool:
    return bool(ray.wait([reference], timeout=0)[0])
