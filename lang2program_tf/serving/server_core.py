"""The core of the development server: one model, limits, and errors as TF Serving has them."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from lang2program_tf.serving.model import Model
from lang2program_tf.serving.transport import ServingError


@dataclass(frozen=True)
class ServerLimits:
    """What a request may cost.

    Attributes:
        max_request_bytes: of a request on the wire.
        max_rows: of a request.
        max_columns: of `utterances` of a request.
        timeout: seconds until a request counts as failed.
        workers: how many requests are computed at the same time.
        max_waiting: how many more may wait; one above is refused, to be sent again later.
    """

    max_request_bytes: int = 4 * 1024 * 1024
    max_rows: int = 1024
    max_columns: int = 64
    timeout: float = 30.0
    workers: int = 2
    max_waiting: int = 64


class ServerCore:
    """Answers requests to one model, whatever protocol they came by.

    Attributes:
        name: of the model.
        model: the model.
        limits: what a request may cost.
    """

    def __init__(self, model: Model, *, name: str, limits: ServerLimits) -> None:
        self.model = model
        self.name = name
        self.limits = limits
        self._places = threading.BoundedSemaphore(limits.workers + limits.max_waiting)
        self._pool = ThreadPoolExecutor(limits.workers, thread_name_prefix="predict")

    def find(self, name: str, version: int | None) -> Model:
        """The model of this name and version.

        Raises:
            ServingError: there is none.
        """
        if name != self.name or version not in (None, self.model.version):
            wanted = f"Latest({name})" if version is None else f"Specific({name}, {version})"
            raise ServingError("NOT_FOUND", f"Servable not found for request: {wanted}")
        return self.model

    def predict(
        self, signature: str, inputs: Mapping[str, NDArray[Any]], *, timeout: float | None = None
    ) -> dict[str, NDArray[Any]]:
        """Calls a signature of the model.

        Args:
            signature: its name, "" for the default.
            inputs: arrays of bytes objects.
            timeout: seconds that the client will wait.

        Raises:
            ServingError: the inputs do not fit, there is too much to do, or time is up.
        """
        self.check_shape({name: array.shape for name, array in inputs.items()})
        if not self._places.acquire(blocking=False):
            raise ServingError("UNAVAILABLE", "too many requests are waiting; try again later")
        future: Future[dict[str, NDArray[Any]]]
        try:
            future = self._pool.submit(self.model.run, signature, inputs)
        except RuntimeError:
            self._places.release()
            raise ServingError("UNAVAILABLE", "the server is shutting down") from None
        future.add_done_callback(lambda _: self._places.release())
        limit = min(self.limits.timeout, timeout if timeout is not None else self.limits.timeout)
        try:
            return future.result(limit)
        except FutureTimeoutError:
            future.cancel()
            raise ServingError("DEADLINE_EXCEEDED", f"no answer within {limit:.3g} s") from None
        except CancelledError:
            raise ServingError("UNAVAILABLE", "the server is shutting down") from None

    def check_shape(self, shapes: Mapping[str, tuple[int, ...]]) -> None:
        """Refuses inputs that are too large before anything is computed or copied for them."""
        for name, shape in shapes.items():
            rows, columns = (*shape, 0, 0)[:2]
            if len(shape) > 2:
                raise ServingError("INVALID_ARGUMENT", f"input {name} has {len(shape)} dimensions")
            if rows > self.limits.max_rows or columns > self.limits.max_columns:
                raise ServingError(
                    "INVALID_ARGUMENT",
                    f"input {name} of shape {list(shape)} is larger than "
                    f"[{self.limits.max_rows}, {self.limits.max_columns}]",
                )

    def close(self) -> None:
        """Waits for requests that are being computed; those that wait are given up."""
        self._pool.shutdown(wait=True, cancel_futures=True)
