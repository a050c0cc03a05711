"""A server of models on the two protocols of TF Serving, in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Sequence
from types import TracebackType
from typing import Any, TypeVar

from lang2program_tf.errors import UserError
from lang2program_tf.server.core import ServerCore
from lang2program_tf.server.grpc_service import grpc_server
from lang2program_tf.server.http_server import HttpServer
from lang2program_tf.server.limits import ServerLimits
from lang2program_tf.server.request_log import LOG, describe
from lang2program_tf.server.rest_service import RestService
from lang2program_tf.server.served_model import ServedModel

_T = TypeVar("_T")


class Server:
    """Serves models over gRPC and REST until it is stopped.

    Attributes:
        grpc_port: where gRPC listens.
        rest_port: where REST listens.
    """

    def __init__(
        self,
        models: Sequence[ServedModel],
        *,
        host: str = "127.0.0.1",
        grpc_port: int = 0,
        rest_port: int = 0,
        limits: ServerLimits | None = None,
        poll_seconds: float = 1.0,
        access_log: bool = False,
    ) -> None:
        """Starts listening.

        Args:
            models: what to serve.
            host: the address to listen at; by default only this machine can reach it.
            grpc_port: 0 for any free port.
            rest_port: likewise.
            limits: what a request may cost.
            poll_seconds: how often to look for new versions.
            access_log: whether every HTTP request gets a line in the log, not only failures.

        Raises:
            UserError: a port is taken.
        """
        self.limits = limits or ServerLimits()
        self._poll_seconds = poll_seconds
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        try:
            self.grpc_port, self.rest_port = self._run(
                self._start(models, host, grpc_port, rest_port, access_log)
            )
        except (OSError, RuntimeError, OverflowError) as error:
            self._end_loop()
            raise UserError(
                f"cannot listen at {host}, ports {grpc_port} and {rest_port} ({error}); "
                "choose others with --port and --rest_port"
            ) from None

    def _run(self, work: Coroutine[Any, Any, _T]) -> _T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _start(
        self,
        models: Sequence[ServedModel],
        host: str,
        grpc_port: int,
        rest_port: int,
        access_log: bool,
    ) -> tuple[int, int]:
        self._core = ServerCore(models, limits=self.limits)
        self._rest = HttpServer(
            RestService(self._core).answer, limits=self.limits, access_log=access_log
        )
        self._grpc = grpc_server(self._core)
        try:
            found = self._grpc.add_insecure_port(f"{host}:{grpc_port}")
            await self._grpc.start()
            await self._rest.start(host, rest_port)
        except BaseException:
            await self._grpc.stop(0)
            await self._core.close()
            raise
        self._poll = asyncio.ensure_future(self._follow_versions())
        return found, self._rest.port

    async def _follow_versions(self) -> None:
        """Looks for new versions of all models, again and again."""
        while True:
            await asyncio.sleep(self._poll_seconds)
            for served in self._core.models.values():
                try:
                    await asyncio.get_running_loop().run_in_executor(None, served.refresh)
                except Exception as error:
                    LOG.error(
                        "model %s: cannot look for versions: %s", served.name, describe(error)
                    )

    async def _stop(self) -> None:
        self._core.stopping = True
        self._poll.cancel()
        await asyncio.gather(self._grpc.stop(self.limits.timeout), self._rest.stop())
        await self._core.close()
        await asyncio.get_running_loop().shutdown_default_executor()

    def stop(self) -> None:
        """Takes no more requests, and gives those under way the time of the limits to end."""
        self._run(self._stop())
        self._end_loop()

    def _end_loop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()
