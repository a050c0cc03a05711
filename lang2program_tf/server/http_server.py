"""HTTP for the services of this package: framing, limits, time, names and a log of requests.

Reading and writing of HTTP itself is aiohttp's. It refuses what can be read in two ways, and cuts
off a connection whose next request has not come in `keepalive_timeout`, whole or in drips.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import hdrs, web
from aiohttp.http_exceptions import HttpProcessingError

from lang2program_tf.server.limits import ServerLimits
from lang2program_tf.server.request_log import ID_HEADER, LOG, failure, one_line, request_id
from lang2program_tf.serving.transport import HTTP_STATUSES, TOO_LARGE_STATUS, ServingError

Answer = Callable[[web.BaseRequest], Awaitable[web.Response]]
_BACKLOG = 1024
_LINGERING = 5.0  # seconds in which a client that is still sending can take a refusal


class TooLarge(ServingError):
    """A request of more bytes than the limit, which will not get smaller by coming back."""

    def __init__(self, limit: int) -> None:
        super().__init__("RESOURCE_EXHAUSTED", f"the request is larger than {limit} bytes")


class TooLate(ServingError):
    """A request that did not arrive in time."""

    def __init__(self, seconds: float) -> None:
        super().__init__("DEADLINE_EXCEEDED", f"the request did not arrive within {seconds:.3g} s")


class HttpServer:
    """Listens, and answers requests by a function, which may raise ServingError.

    Attributes:
        port: where it listens, once started.
    """

    def __init__(self, answer: Answer, *, limits: ServerLimits, access_log: bool) -> None:
        """Binds how to answer.

        Args:
            answer: from a request to its response.
            limits: what a request may cost.
            access_log: whether every request gets a line in the log, not only failures.
        """
        self.port = 0
        self._answer = answer
        self._limits = limits
        self._access_log = access_log
        self._stopping = False
        self._runner: web.ServerRunner | None = None

    async def start(self, host: str, port: int) -> None:
        """Starts listening.

        Raises:
            OSError: the port is taken.
        """
        server = _Server(
            self._handle,
            refuse=self._refuse,
            request_factory=self._request,
            handler_cancellation=True,  # nobody waits for the answer of who has gone away
            keepalive_timeout=self._limits.timeout,
            lingering_time=min(_LINGERING, self._limits.timeout),
            auto_decompress=False,
            access_log=None,
        )
        self._runner = web.ServerRunner(server, shutdown_timeout=self._limits.timeout)
        await self._runner.setup()
        site = web.TCPSite(self._runner, host, port, backlog=_BACKLOG)
        await site.start()
        self.port = site.port

    async def stop(self) -> None:
        """Stops listening, closes idle connections, and lets requests under way end in time."""
        self._stopping = True
        if self._runner is not None:
            await self._runner.cleanup()

    def _request(
        self, message: Any, payload: Any, protocol: Any, writer: Any, task: Any
    ) -> web.BaseRequest:
        loop, limit = asyncio.get_running_loop(), self._limits.max_request_bytes
        return web.BaseRequest(
            message, payload, protocol, writer, task, loop, client_max_size=limit
        )

    async def _handle(self, request: web.BaseRequest) -> web.Response:
        """Answers one request, whatever it is."""
        started = time.perf_counter()
        identifier = request_id(request.headers.get(ID_HEADER))
        is_late = False
        try:
            self._check_connections(request)
            response = await self._answer(request)
        except Exception as error:
            response = self._failed(request, identifier, error)
            is_late = isinstance(error, TooLate)
        response.headers[ID_HEADER] = identifier
        if self._stopping or is_late:
            response.force_close()  # so that the client does not send the next one here
        await self._send(request, response, identifier)
        if is_late and request.transport is not None:
            request.transport.close()  # it has had its time, and gets none to linger
        if self._access_log:
            milliseconds = 1000 * (time.perf_counter() - started)
            LOG.info(
                "id=%s %s %s %d bytes %.1f ms",
                *(identifier, _what(request), response.status),
                *(response.content_length or 0, milliseconds),
            )
        return response

    async def _send(
        self, request: web.BaseRequest, response: web.Response, identifier: str
    ) -> None:
        """Sends an answer to who takes it in time."""
        try:
            await response.prepare(request)
            await asyncio.wait_for(response.write_eof(), self._limits.timeout)
        except ConnectionError:
            pass  # nobody is there any more
        except asyncio.TimeoutError:
            error = ServingError("DEADLINE_EXCEEDED", "the client does not take its answer")
            failure(identifier, _what(request), error)
            if request.transport is not None:
                request.transport.abort()

    def _check_connections(self, request: web.BaseRequest) -> None:
        assert self._runner is not None and self._runner.server is not None
        if len(self._runner.server.connections) > self._limits.max_connections:
            request.protocol.close()
            raise ServingError("UNAVAILABLE", "there are too many connections; try again later")

    def _failed(self, request: web.BaseRequest, identifier: str, error: Exception) -> web.Response:
        if isinstance(error, web.HTTPRequestEntityTooLarge):
            error = TooLarge(self._limits.max_request_bytes)
        elif isinstance(error, (web.RequestPayloadError, HttpProcessingError)):
            error = ServingError("INVALID_ARGUMENT", one_line(f"Malformed request: {error}"))
        return error_response(failure(identifier, _what(request), error))

    def _refuse(self, request: web.BaseRequest, reason: str) -> web.Response:
        """The answer to what is not HTTP, or could be read in two ways."""
        error = ServingError("INVALID_ARGUMENT", one_line(f"Malformed request: {reason}"))
        identifier = request_id(None)
        response = error_response(failure(identifier, _what(request), error))
        response.headers[ID_HEADER] = identifier
        response.force_close()
        return response


async def read_body(request: web.BaseRequest, limits: ServerLimits) -> bytes:
    """The body of a request.

    Raises:
        ServingError: it is too large, takes too long, or is compressed.
    """
    if request.headers.get(hdrs.CONTENT_ENCODING, "identity").lower() != "identity":
        raise ServingError("INVALID_ARGUMENT", "a Content-Encoding is not supported")
    if (request.content_length or 0) > limits.max_request_bytes:
        raise TooLarge(limits.max_request_bytes)
    if request.headers.get(hdrs.EXPECT, "").lower() == "100-continue":
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        request.writer.output_size = 0  # that was not the answer
    try:
        return await asyncio.wait_for(request.read(), limits.timeout)
    except ConnectionError:
        raise ServingError("CANCELLED", "the client went away") from None
    except asyncio.TimeoutError:
        raise TooLate(limits.timeout) from None


def json_response(value: Any, *, status: int = 200) -> web.Response:
    """An answer in JSON."""
    return web.Response(
        status=status, body=json.dumps(value).encode(), content_type="application/json"
    )


def error_response(error: ServingError) -> web.Response:
    """An error as TF Serving tells it; one that will pass says when to come back."""
    status = TOO_LARGE_STATUS if isinstance(error, TooLarge) else HTTP_STATUSES.get(error.code, 500)
    response = json_response({"error": error.message}, status=status)
    if error.is_transient:
        response.headers[hdrs.RETRY_AFTER] = "1"
    return response


def _what(request: web.BaseRequest) -> str:
    return one_line(f"rest {request.remote} {request.method} {request.raw_path}")


class _Server(web.Server):
    """Makes connections whose errors are told as all others are."""

    def __init__(
        self,
        handler: Answer,
        *,
        refuse: Callable[[web.BaseRequest, str], web.Response],
        request_factory: Callable[..., web.BaseRequest],
        handler_cancellation: bool,
        **options: Any,
    ) -> None:
        super().__init__(
            handler, request_factory=request_factory, handler_cancellation=handler_cancellation
        )
        self.refuse = refuse
        self._options = options

    def __call__(self) -> web.RequestHandler:
        return _Connection(self, loop=asyncio.get_running_loop(), **self._options)


class _Connection(web.RequestHandler):
    def __init__(self, server: _Server, **options: Any) -> None:
        super().__init__(server, **options)
        self._refuse = server.refuse

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.Response:
        """The answer where aiohttp found no request; handlers tell their own errors."""
        return self._refuse(request, (message or str(exc)).split("\n")[0].rstrip(":"))
