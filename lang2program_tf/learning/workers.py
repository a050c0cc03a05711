"""Those who share the work of one run: processes on several machines, or devices of one.

All of them hold the same weights. Each contributes the sums of some examples of a batch, the sums
of all are added up by the collectives of tf.distribute, and each makes the same change with them.
"""

from __future__ import annotations

import faulthandler
import json
import os
import socket
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

import gin
from lang2program_tf.errors import UserError

WORKERS = "MultiWorkerMirroredStrategy"
DEVICES = "MirroredStrategy"

_CONFIG = "TF_CONFIG"
_SINCE = "LANG2PROGRAM_WAITING_SINCE"  # kept when a process starts itself again
_USER_ERROR = 2
_ANSWER_SECONDS = 2.0
_PAUSE = 0.3
# What a collective raises when a worker is gone; a breakdown of our own graph is none of these.
_LOST = (
    tf.errors.AbortedError,
    tf.errors.CancelledError,
    tf.errors.DeadlineExceededError,
    tf.errors.FailedPreconditionError,
    tf.errors.InternalError,
    tf.errors.UnavailableError,
)


class WorkerLost(UserError):
    """Another worker is gone; this one can only start again and wait for it."""


class Place(NamedTuple):
    """One process among those of TF_CONFIG.

    Attributes:
        rank: its number, from 0; 0 is the chief.
        addresses: of all, by rank.
    """

    rank: int
    addresses: tuple[str, ...]


@gin.configurable(denylist=["strategy"])
class Workers:
    """All who share a run, as one of them sees them.

    Attributes:
        strategy: the name of the strategy, None if there is nobody else.
        rank: the number of this process.
        count: how many processes there are.
        replicas: into how many parts a batch is split: one for each device of each process.
    """

    def __init__(self, strategy: str | None = None, *, timeout: float = 600.0) -> None:
        """Finds out who they are; `joined` waits for them.

        Args:
            strategy: the name of a class of tf.distribute, `MultiWorkerMirroredStrategy` for the
                processes that TF_CONFIG names, or `MirroredStrategy` for all devices of this one.
            timeout: after so many seconds without a word from the others the run ends.
        """
        if strategy not in (None, WORKERS, DEVICES):
            raise ValueError(f"strategy={strategy!r} must be {WORKERS!r}, {DEVICES!r} or None")
        if timeout <= 0:
            raise ValueError(f"timeout={timeout} must be above 0 seconds")
        self.strategy = strategy
        place = _place() if strategy == WORKERS else Place(0, ("",))
        self.rank = place.rank
        self.count = len(place.addresses)
        self.replicas = self.count
        self._addresses = place.addresses
        self._timeout = timeout
        self._distribution: tf.distribute.Strategy | None = None
        self._deadline: float | None = None

    @property
    def is_chief(self) -> bool:
        """Whether this process writes what the run leaves."""
        return self.rank == 0

    @contextmanager
    def joined(self) -> Iterator[None]:
        """Within it all of them are there; enter it before TensorFlow does anything else.

        Raises:
            WorkerLost: one of them is gone.
        """
        if self.count > 1:
            threading.Thread(target=self._watch, daemon=True).start()
        try:
            self._distribution = self._strategy()
            yield
        except _LOST as error:
            if self.count == 1:
                raise
            os.environ.setdefault(_SINCE, str(time.time()))
            raise WorkerLost(f"another worker is gone ({_reason(error)})") from error

    def check_agreement(self, *, step: int, settings: str) -> None:
        """Refuses to train with others that have come from elsewhere or have other settings."""
        mine = np.array([step, zlib.crc32(settings.encode())], np.float64)
        table = np.zeros([self.count, 2])
        table[self.rank] = mine
        table = self.total(table)
        for rank, theirs in enumerate(table.tolist()):
            if theirs != table[0].tolist():
                raise UserError(
                    f"worker {rank} begins at step {theirs[0]:.0f} and worker 0 at step "
                    f"{table[0, 0]:.0f}: all must see the same --root_dir"
                    if theirs[0] != table[0, 0]
                    else f"worker {rank} has other settings than worker 0: start all alike"
                )

    def add_up(self, part: Callable[[int, int], Any]) -> Any:
        """The sum of what all contribute to a step, the same for all of them; in a graph.

        Args:
            part: gives a contribution, a nest of float32 tensors: that of the example at a place
                of the batch, and of every n-th behind it.
        """
        distribution = self._distribution
        if distribution is None:
            return part(0, 1)

        def contribute() -> Any:
            context = tf.distribute.get_replica_context()
            number = int(tf.get_static_value(context.replica_id_in_sync_group))
            mine = part(number, self.replicas)
            tensors = tf.nest.flatten(mine)
            # One message instead of one for each variable.
            joined = tf.concat([tf.reshape(tensor, [-1]) for tensor in tensors], axis=0)
            sums = tf.split(
                context.all_reduce(tf.distribute.ReduceOp.SUM, joined),
                [tf.size(tensor) for tensor in tensors],
            )
            shaped = [tf.reshape(s, tf.shape(tensor)) for s, tensor in zip(sums, tensors)]
            return tf.nest.pack_sequence_as(mine, shaped)

        return _local(distribution, distribution.run(contribute))

    def total(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sum of the arrays of all processes, all of one shape."""
        if self.count == 1:
            return values
        with self._waiting(since=time.time()):
            found: NDArray[np.float64] = self._total(tf.constant(values.ravel())).numpy()
        return found.reshape(values.shape)

    def wait_for_all(self) -> None:
        """Returns when all processes have come here."""
        self.total(np.zeros([1]))

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float64)], autograph=False)
    def _total(self, values: tf.Tensor) -> tf.Tensor:
        distribution, devices = self._distribution, self.replicas // self.count
        assert distribution is not None

        def contribute() -> tf.Tensor:
            context = tf.distribute.get_replica_context()
            number = int(tf.get_static_value(context.replica_id_in_sync_group))
            mine = tf.identity(values) if number % devices == 0 else tf.zeros_like(values)
            return context.all_reduce(tf.distribute.ReduceOp.SUM, mine)

        return _local(distribution, distribution.run(contribute))

    @contextmanager
    def taking_a_step(self) -> Iterator[None]:
        """Within it this process learns with the others, and ends if it must wait too long."""
        with self._waiting(since=time.time()):
            yield
        os.environ.pop(_SINCE, None)

    @contextmanager
    def _waiting(self, *, since: float) -> Iterator[None]:
        self._deadline = since + self._timeout
        try:
            yield
        finally:
            self._deadline = None

    def _strategy(self) -> tf.distribute.Strategy | None:
        """The strategy, when all are there."""
        if self.strategy == DEVICES:
            devices = tf.config.list_logical_devices("GPU") or tf.config.list_logical_devices("CPU")
            found = tf.distribute.MirroredStrategy([device.name for device in devices])
        elif self.count > 1:
            self._wait_for_others()
            # TensorFlow waits for them without letting any other thread of Python run.
            faulthandler.dump_traceback_later(self._timeout, exit=True)
            found = tf.distribute.MultiWorkerMirroredStrategy()
            faulthandler.cancel_dump_traceback_later()
        else:
            return None
        self.replicas = found.num_replicas_in_sync
        return found

    def _wait_for_others(self) -> None:
        """Returns when something listens at every address: one who waits like this, or is ahead."""
        deadline = float(os.environ.get(_SINCE, time.time())) + self._timeout
        with _listening(self._addresses[self.rank]):
            while self._silent():
                if time.time() > deadline:
                    raise UserError(self._too_long())
                time.sleep(_PAUSE)

    def _watch(self) -> None:
        """Ends the process when it has waited too long: a thread in a collective hears nothing."""
        while True:
            time.sleep(_PAUSE)
            if self._deadline is not None and time.time() > self._deadline:
                print(f"error: {self._too_long()}", file=sys.stderr, flush=True)
                os._exit(_USER_ERROR)

    def _silent(self) -> list[str]:
        """Those of the others that do not answer."""
        return [
            f"worker {rank} ({address})"
            for rank, address in enumerate(self._addresses)
            if rank != self.rank and not _answers(address)
        ]

    def _too_long(self) -> str:
        silent = self._silent()
        who = f"{', '.join(silent)} did not come" if silent else "they do not go on"
        return (
            f"waited {self._timeout:.0f} seconds for other workers: {who}. What was saved is still "
            "there; when all are started again, the run goes on from it"
        )


def tf_config(addresses: Sequence[str], index: int) -> str:
    """The TF_CONFIG of one of the workers at these addresses, each of them `host:port`."""
    task = {"type": "worker", "index": index}
    return json.dumps({"cluster": {"worker": list(addresses)}, "task": task})


def _place() -> Place:
    """What TF_CONFIG says of this process; without it, it is alone."""
    text = os.environ.get(_CONFIG)
    if not text:
        return Place(0, ("",))
    try:
        config = json.loads(text)
        cluster, task = config["cluster"], config["task"]
        addresses = [*cluster.get("chief", []), *cluster["worker"]]
        before = len(cluster.get("chief", [])) if task["type"] == "worker" else 0
        rank = before + int(task["index"])
        known = task["type"] in ("chief", "worker") and bool(addresses[rank])
    except (ValueError, KeyError, TypeError, AttributeError, IndexError):
        known = False
    if not known:
        example = tf_config(["a:2222", "b:2222"], 0)
        raise UserError(
            f"{_CONFIG}={text!r} must name the workers and this one of them, such as {example}"
        )
    return Place(rank, tuple(addresses))


@contextmanager
def _listening(address: str) -> Iterator[None]:
    """Within it whoever tries can connect to the port of an address."""
    port = int(address.rpartition(":")[2])
    both = socket.has_dualstack_ipv6()
    family = socket.AF_INET6 if both else socket.AF_INET
    try:
        with socket.create_server(("", port), family=family, dualstack_ipv6=both):
            yield
    except OSError as error:
        raise UserError(f"cannot listen at {address}, as TF_CONFIG says: {error}") from error


def _answers(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host, int(port)), timeout=_ANSWER_SECONDS):
            return True
    except (OSError, ValueError):
        return False


def _local(distribution: tf.distribute.Strategy, values: Any) -> Any:
    """What one device of this process has; all have the same."""
    return tf.nest.map_structure(
        lambda value: distribution.experimental_local_results(value)[0], values
    )


def _reason(error: tf.errors.OpError) -> str:
    lines = str(error.message).strip().splitlines() or ["no reason given"]
    return next((line for line in lines if "aborted by" in line), lines[0])
