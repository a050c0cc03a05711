"""How a client reaches an exported parser, and what can go wrong on the way."""

from __future__ import annotations

import abc
from typing import Any

from lang2program_tf.serving.answers import Columns

# Codes by the names of gRPC, which TF Serving gives over HTTP as these statuses.
HTTP_STATUSES = {
    "CANCELLED": 499,
    "INVALID_ARGUMENT": 400,
    "DEADLINE_EXCEEDED": 504,
    "NOT_FOUND": 404,
    "PERMISSION_DENIED": 403,
    "RESOURCE_EXHAUSTED": 429,
    "UNIMPLEMENTED": 501,
    "UNAVAILABLE": 503,
    "INTERNAL": 500,
}
# What any HTTP server says to a request of too many bytes; over gRPC it is RESOURCE_EXHAUSTED.
TOO_LARGE_STATUS = 413


class ServingError(Exception):
    """A request that got no answer.

    Attributes:
        code: why, by the name of the gRPC status.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message

    @property
    def is_transient(self) -> bool:
        """Whether the same request may well be answered a moment later."""
        return self.code == "UNAVAILABLE"


class Transport(abc.ABC):
    """A way to one model. Its methods may be called from several threads at a time."""

    @abc.abstractmethod
    def predict(self, signature: str, inputs: Columns, *, timeout: float) -> dict[str, Any]:
        """The outputs of a signature, as lists of Python values.

        Args:
            signature: its name.
            inputs: lists of texts.
            timeout: seconds until the request counts as failed.

        Raises:
            ServingError: there is no answer.
        """

    @abc.abstractmethod
    def close(self) -> None:
        """Gives up all connections."""
