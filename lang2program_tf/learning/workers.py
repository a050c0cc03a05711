"""Those who share the work of one run: processes on several machines, or devices of one.

All of them hold the same weights. Each contributes the sums of some parts of a batch, the sums of
all are added up by the collectives of tf.distribute, and each makes the same change with them. What
the parts are does not depend on who shares them, and their sums are added up in double precision:
however many there are, they learn the same, bit for bit.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

import gin
from lang2program_tf.errors import UserError
from lang2program_tf.learning.cluster import Place, own_place
from lang2program_tf.learning.supervision import tell, waiting_since

WORKERS = "MultiWorkerMirroredStrategy"
DEVICES = "MirroredStrategy"

_USER_ERROR = 2
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


@gin.configurable(denylist=["strategy"])
class Workers:
    """All who share a run, as one of them sees them.

    Attributes:
        strategy: the name of the strategy, None if there is nobody else.
        rank: the number of this process.
        count: how many processes there are.
        replicas: how many share a batch: the devices of all processes.
        parts: into how many parts it is split for them.
    """

    def __init__(
        self, strategy: str | None = None, *, parts: int = 2, timeout: float = 600.0
    ) -> None:
        """Finds out who they are; `joined` waits for them.

        Args:
            strategy: the name of a class of tf.distribute, `MultiWorkerMirroredStrategy` for the
                processes that TF_CONFIG names, or `MirroredStrategy` for all devices of this one.
            parts: into how many parts a batch is split with a strategy, however many share it; so
                many can. Each is searched for itself, by one core.
            timeout: after so many seconds without a word from the others the run ends.
        """
        if strategy not in (None, WORKERS, DEVICES):
            raise ValueError(f"strategy={strategy!r} must be {WORKERS!r}, {DEVICES!r} or None")
        if parts < 1:
            raise ValueError(f"parts={parts} must be 1 or more")
        if timeout <= 0:
            raise ValueError(f"timeout={timeout} must be above 0 seconds")
        self.strategy = strategy
        self._place = own_place() if strategy == WORKERS else Place(0, ("",))
        self.rank = self._place.rank
        self.count = len(self._place.addresses)
        self.parts = 1 if strategy is None else parts
        self.replicas = self._all_busy(self.count)
        self._timeout = timeout
        self._distribution: tf.distribute.Strategy | None = None
        self._deadline: float | None = None
        self._has_learned = False

    @property
    def is_chief(self) -> bool:
        """Whether this process writes what the run leaves."""
        return self.rank == 0

    @contextmanager
    def joined(self) -> Iterator[None]:
        """Within it all of them are there; enter it before TensorFlow does anything else.

        Raises:
            WorkerLost: one of them is gone.
            UserError: they have more devices than there are parts.
        """
        if self.count > 1:
            threading.Thread(target=self._watch, daemon=True).start()
        try:
            self._distribution = self._strategy()
            yield
        except _LOST as error:
            if self.count == 1:
                raise
            raise WorkerLost(f"another worker is gone ({_reason(error)})") from error

    def begin(self, *, step: int, settings: str) -> None:
        """Refuses to train with others that have come from elsewhere or have other settings."""
        tell("begin", step)
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
        if self.strategy is None:
            return part(0, 1)

        def sum_of(number: int) -> Any:
            places = range(number, self.parts, self.replicas)
            return tf.nest.map_structure(_sum_of_doubles, *(part(n, self.parts) for n in places))

        def contribute() -> Any:
            context = tf.distribute.get_replica_context()
            mine = sum_of(int(tf.get_static_value(context.replica_id_in_sync_group)))
            tensors = tf.nest.flatten(mine)
            # One message instead of one for each variable.
            joined = tf.concat([tf.reshape(tensor, [-1]) for tensor in tensors], axis=0)
            sums = tf.split(
                context.all_reduce(tf.distribute.ReduceOp.SUM, joined),
                [tf.size(tensor) for tensor in tensors],
            )
            shaped = [tf.reshape(s, tf.shape(tensor)) for s, tensor in zip(sums, tensors)]
            return tf.nest.pack_sequence_as(mine, shaped)

        distribution = self._distribution
        summed = (
            sum_of(0)
            if distribution is None
            else _local(distribution, distribution.run(contribute))
        )
        return tf.nest.map_structure(lambda each: tf.cast(each, tf.float32), summed)

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
        if not self._has_learned:
            tell("learned")
            self._has_learned = True

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
            tell("joining", self._timeout)  # until it is done, no thread of Python can run
            found = tf.distribute.MultiWorkerMirroredStrategy()
            tell("joined")
        else:
            return None
        self.replicas = self._all_busy(found.num_replicas_in_sync)
        return found

    def _all_busy(self, sharing: int) -> int:
        """How many share a batch, if there is a part for each."""
        if self.parts < sharing:
            raise UserError(
                f"Workers.parts={self.parts} leaves some of {sharing} workers nothing to do; bind "
                f"it to {sharing} or more"
            )
        return sharing

    def _wait_for_others(self) -> None:
        """Returns when something listens at every address: one who waits like this, or is ahead."""
        deadline = waiting_since() + self._timeout
        with self._place.listening():
            while self._place.silent():
                if time.time() > deadline:
                    raise UserError(self._place.waited(self._timeout))
                time.sleep(_PAUSE)

    def _watch(self) -> None:
        """Ends the process when it has waited too long: a thread in a collective hears nothing."""
        while True:
            time.sleep(_PAUSE)
            if self._deadline is not None and time.time() > self._deadline:
                print(f"error: {self._place.waited(self._timeout)}", file=sys.stderr, flush=True)
                os._exit(_USER_ERROR)


def _local(distribution: tf.distribute.Strategy, values: Any) -> Any:
    """What one device of this process has; all have the same."""
    return tf.nest.map_structure(
        lambda value: distribution.experimental_local_results(value)[0], values
    )


def _sum_of_doubles(*values: tf.Tensor) -> tf.Tensor:
    """What single precision holds of it is the same in whatever order they are added up."""
    return tf.add_n([tf.cast(value, tf.float64) for value in values])


def _reason(error: tf.errors.OpError) -> str:
    lines = str(error.message).strip().splitlines() or ["no reason given"]
    return next((line for line in lines if "aborted by" in line), lines[0])
