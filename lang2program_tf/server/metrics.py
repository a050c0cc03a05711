"""Counters and times for Prometheus, under the names that TF Serving gives them where it has any.

TF Serving has no `_total` behind its counters; the library that writes ours adds it.
"""

from __future__ import annotations

import prometheus_client as prometheus

METRICS_PATH = "/monitoring/prometheus/metrics"
_UNKNOWN = "(none)"
_MICROSECONDS = 1e6
_LATENCY_BUCKETS = tuple(1000 * 2**power for power in range(16))  # 1 ms to 33 s
_BATCH_BUCKETS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


class Metrics:
    """What a server counts.

    Attributes:
        content_type: of `text`.
    """

    content_type = prometheus.CONTENT_TYPE_LATEST

    def __init__(self) -> None:
        # Of its own, so that two servers in one process do not add up.
        self._registry = prometheus.CollectorRegistry()
        prometheus.ProcessCollector(registry=self._registry)
        labels = ["model_name", "entrypoint"]
        self._requests = prometheus.Counter(
            ":tensorflow:serving:request_count",
            "Predictions by how they ended.",
            [*labels, "status"],
            registry=self._registry,
        )
        self._latency = prometheus.Histogram(
            ":tensorflow:serving:request_latency",
            "Microseconds that answered predictions took.",
            labels,
            buckets=_LATENCY_BUCKETS,
            registry=self._registry,
        )
        self._batch_rows = prometheus.Histogram(
            "lang2program_batch_rows",
            "Rows of the batches that were computed.",
            buckets=_BATCH_BUCKETS,
            registry=self._registry,
        )
        self._waiting_rows = prometheus.Gauge(
            "lang2program_waiting_rows", "Rows that no batch has taken.", registry=self._registry
        )

    def count(
        self, model: str | None, *, entrypoint: str, status: str, seconds: float | None = None
    ) -> None:
        """Counts a prediction.

        Args:
            model: a name that is served, None if it was another.
            entrypoint: `REST` or `GRPC`.
            status: `OK`, or the name of the error's code.
            seconds: how long it took, if it was answered.
        """
        self._requests.labels(model or _UNKNOWN, entrypoint, status).inc()
        if seconds is not None:
            self._latency.labels(model or _UNKNOWN, entrypoint).observe(_MICROSECONDS * seconds)

    def observe_batch(self, size: int) -> None:
        """Counts a batch of so many rows."""
        self._batch_rows.observe(size)

    def text(self, *, waiting_rows: int) -> bytes:
        """All of it, as Prometheus reads it."""
        self._waiting_rows.set(waiting_rows)
        found: bytes = prometheus.generate_latest(self._registry)
        return found
