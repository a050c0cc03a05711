"""The core of the server: models, limits, and errors as TF Serving has them, for any protocol."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from numpy.typing import NDArray

from lang2program_tf.server.batcher import Batcher
from lang2program_tf.server.limits import ServerLimits
from lang2program_tf.server.metrics import Metrics
from lang2program_tf.server.served_model import ServedModel
from lang2program_tf.serving.model import Model
from lang2program_tf.serving.transport import ServingError


class ServerCore:
    """Answers requests to models, whatever protocol they came by. Belongs to one event loop.

    Attributes:
        models: by name.
        limits: what a request may cost.
        metrics: what is counted.
        stopping: whether the server takes no more requests.
    """

    def __init__(self, models: Sequence[ServedModel], *, limits: ServerLimits) -> None:
        self.models = {served.name: served for served in models}
        self.limits = limits
        self.metrics = Metrics()
        self.stopping = False
        self._batcher = Batcher(limits, observe=self.metrics.observe_batch)

    def find(self, name: str) -> ServedModel:
        """The model of this name.

        Raises:
            ServingError: there is none.
        """
        if name not in self.models:
            raise ServingError("NOT_FOUND", f"Servable not found for request: Latest({name})")
        return self.models[name]

    async def predict(
        self,
        model: Model,
        signature: str,
        inputs: Mapping[str, NDArray[Any]],
        *,
        timeout: float | None = None,
    ) -> dict[str, NDArray[Any]]:
        """Calls a signature of a model.

        Args:
            model: whom to ask.
            signature: its name, "" for the default.
            inputs: arrays of bytes objects.
            timeout: seconds that the client will wait.

        Raises:
            ServingError: the inputs do not fit, there is too much to do, or time is up.
        """
        self.check_shapes({name: array.shape for name, array in inputs.items()})
        limit = min(self.limits.timeout, timeout if timeout is not None else self.limits.timeout)
        return await self._batcher.run(model, signature, inputs, timeout=limit)

    def check_shapes(self, shapes: Mapping[str, tuple[int, ...]]) -> None:
        """Refuses inputs that are too large before anything is computed or copied for them."""
        for name, shape in shapes.items():
            rows, columns = (*shape, 0, 0)[:2]
            if not 1 <= len(shape) <= 2:
                raise _invalid(f"input {name} has {len(shape)} dimensions")
            if rows > self.limits.max_rows or columns > self.limits.max_columns:
                raise _invalid(
                    f"input {name} of shape {list(shape)} is larger than "
                    f"[{self.limits.max_rows}, {self.limits.max_columns}]"
                )
        if len({shape[0] for shape in shapes.values()}) > 1:
            raise _invalid(f"{', '.join(sorted(shapes))} must have the same number of rows")

    @contextmanager
    def counted(self, name: str, *, entrypoint: str) -> Iterator[None]:
        """Counts the prediction within it, by how it ends.

        Args:
            name: what the request calls the model.
            entrypoint: `REST` or `GRPC`.
        """
        started, status = time.perf_counter(), "CANCELLED"
        try:
            yield
            status = "OK"
        except ServingError as error:
            status = error.code
            raise
        except Exception:
            status = "INTERNAL"
            raise
        finally:
            seconds = time.perf_counter() - started if status == "OK" else None
            known = name if name in self.models else None
            self.metrics.count(known, entrypoint=entrypoint, status=status, seconds=seconds)

    def metrics_text(self) -> bytes:
        """All that is counted, as Prometheus reads it."""
        return self.metrics.text(waiting_rows=self._batcher.waiting_rows)

    async def close(self) -> None:
        """Waits for requests that are being computed; those that wait are given up."""
        await self._batcher.close()


def _invalid(message: str) -> ServingError:
    return ServingError("INVALID_ARGUMENT", message)
