"""What requests may cost a server."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ServerLimits:
    """What requests may cost.

    Attributes:
        max_request_bytes: of a request on the wire.
        max_rows: of a request.
        max_columns: of `utterances` of a request.
        timeout: seconds for a request: to arrive, to be computed, and to be taken by its client.
        workers: how many batches are computed at the same time.
        max_batch_rows: how many rows of merged requests a batch may have.
        batch_timeout: seconds that a request waits for others to be merged with.
        max_waiting_rows: how many rows may wait; a request above is refused, to be sent again.
        max_connections: over HTTP; a request on a further one is refused, to be sent again.
    """

    max_request_bytes: int = 4 * 1024 * 1024
    max_rows: int = 1024
    max_columns: int = 64
    timeout: float = 30.0
    workers: int = 2
    max_batch_rows: int = 64
    batch_timeout: float = 0.002
    max_waiting_rows: int = 1024
    max_connections: int = 512
