"""The page in front of a TF Serving: its files from here, all questions to the real server."""

from __future__ import annotations

import re
from collections.abc import Sequence

import aiohttp
from aiohttp import web

from lang2program_tf.errors import UserError
from lang2program_tf.playground.page import Page
from lang2program_tf.server.http_server import HttpServer, read_body
from lang2program_tf.server.limits import ServerLimits
from lang2program_tf.server.loop_thread import LoopThread
from lang2program_tf.serving.transport import ServingError

# A browser may not ask a server that its page did not come from, so we ask for it.
_FORWARDED = re.compile(r"/v1/models/[^/:]+(/versions/\d+)?(/metadata|:predict)?")


class Front:
    """Serves the page until it is stopped.

    Attributes:
        port: where it listens.
    """

    def __init__(
        self,
        url: str,
        *,
        models: Sequence[str],
        host: str = "127.0.0.1",
        port: int = 0,
        limits: ServerLimits | None = None,
    ) -> None:
        """Starts listening.

        Args:
            url: `http://HOST:PORT` of the REST service of a TF Serving.
            models: names of its models that the page offers.
            host: the address to listen at; by default only this machine can reach it.
            port: 0 for any free port.
            limits: what a request may cost.

        Raises:
            UserError: the port is taken.
        """
        self._url = url.rstrip("/")
        self._page = Page(models)
        self._limits = limits or ServerLimits()
        self._http = HttpServer(self._answer, limits=self._limits, access_log=False)
        self._loop = LoopThread()
        try:
            self._loop.run(self._start(host, port))
        except (OSError, OverflowError) as error:
            self._loop.stop()
            raise UserError(f"cannot listen at {host}, port {port} ({error})") from None
        self.port = self._http.port

    async def _start(self, host: str, port: int) -> None:
        await self._http.start(host, port)
        timeout = aiohttp.ClientTimeout(total=self._limits.timeout)
        self._session = aiohttp.ClientSession(timeout=timeout)

    async def _answer(self, request: web.BaseRequest) -> web.Response:
        if request.method in ("GET", "HEAD"):
            found = self._page.find(request.path)
            if found is not None:
                return found
        if request.method not in ("GET", "POST") or not _FORWARDED.fullmatch(request.path):
            raise ServingError("NOT_FOUND", f"nothing is at {request.method} {request.path}")
        body = await read_body(request, self._limits) if request.method == "POST" else None
        try:
            url = self._url + request.raw_path
            async with self._session.request(request.method, url, data=body) as response:
                return web.Response(
                    status=response.status,
                    body=await response.read(),
                    content_type="application/json",
                )
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise ServingError("UNAVAILABLE", f"{self._url} does not answer") from error

    async def _stop(self) -> None:
        await self._http.stop()
        await self._session.close()

    def stop(self) -> None:
        """Takes no more requests, and lets those under way end."""
        self._loop.run(self._stop())
        self._loop.stop()

    def __enter__(self) -> Front:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
