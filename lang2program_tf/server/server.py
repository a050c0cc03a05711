"""A server of models on the two protocols of TF Serving, in a thread of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from lang2program_tf.errors import UserError
from lang2program_tf.playground.page import Page
from lang2program_tf.server.core import ServerCore
from lang2program_tf.server.grpc_service import grpc_server
from lang2program_tf.server.http_server import HttpServer
from lang2program_tf.server.limits import ServerLimits
from lang2program_tf.server.loop_thread import LoopThread
from lang2program_tf.server.request_log import LOG, describe
from lang2program_tf.server.rest_service import RestService
from lang2program_tf.server.served_model import ServedModel


def in_address(host: str) -> str:
    """A host as it stands before a port: in brackets if it is an address of IPv6."""
    return f"[{host}]" if ":" in host else host


class Server:
    """Serves models over REST, with a page to play on, and over gRPC until it is stopped.

    Attributes:
        grpc_port: where gRPC listens, None if it does not.
        rest_port: where REST listens.
    """

    def __init__(
        self,
        models: Sequence[ServedModel],
        *,
        host: str = "127.0.0.1",
        grpc_port: int | None = 0,
        rest_port: int = 0,
        limits: ServerLimits | None = None,
        poll_seconds: float = 1.0,
        access_log: bool = False,
    ) -> None:
        """Starts listening.

        Args:
            models: what to serve.
            host: the address to listen at; by default only this machine can reach it.
            grpc_port: 0 for any free port, None for no gRPC.
            rest_port: 0 for any free port.
            limits: what a request may cost.
            poll_seconds: how often to look for new versions.
            access_log: whether every HTTP request gets a line in the log, not only failures.

        Raises:
            UserError: a port is taken.
        """
        self.limits = limits or ServerLimits()
        self._poll_seconds = poll_seconds
        self._loop = LoopThread()
        try:
            self._loop.run(self._start(models, host, grpc_port, rest_port, access_log))
        except (OSError, RuntimeError, OverflowError) as error:
            self._loop.stop()
            both = f"ports {grpc_port} and {rest_port}"
            ports = both if grpc_port is not None else f"port {rest_port}"
            raise UserError(f"cannot listen at {host}, {ports} ({error}); choose others") from None

    async def _start(
        self,
        models: Sequence[ServedModel],
        host: str,
        grpc_port: int | None,
        rest_port: int,
        access_log: bool,
    ) -> None:
        self._core = ServerCore(models, limits=self.limits)
        service = RestService(self._core, page=Page(list(self._core.models)))
        self._rest = HttpServer(service.answer, limits=self.limits, access_log=access_log)
        self._grpc = grpc_server(self._core)
        self.grpc_port: int | None = None
        try:
            if grpc_port is not None:
                self.grpc_port = self._grpc.add_insecure_port(f"{in_address(host)}:{grpc_port}")
                await self._grpc.start()
            await self._rest.start(host, rest_port)
        except BaseException:
            await self._stop_services()
            raise
        self.rest_port = self._rest.port
        self._poll = asyncio.ensure_future(self._follow_versions())

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
        await self._stop_services()

    async def _stop_services(self) -> None:
        await asyncio.gather(self._grpc.stop(self.limits.timeout), self._rest.stop())
        await self._core.close()

    def stop(self) -> None:
        """Takes no more requests, and gives those under way the time of the limits to end."""
        self._loop.run(self._stop())
        self._loop.stop()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
