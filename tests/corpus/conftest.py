"""A web server on the loopback interface that misbehaves as it is told."""

from __future__ import annotations

import contextlib
import hashlib
import threading
import time
import types
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

import pytest


class Request(NamedTuple):
    """One request seen.

    Attributes:
        range: its Range header.
        sent: bytes of the body sent back.
    """

    range: str | None
    sent: int


class ArchiveServer:
    """Serves `body` at any path, after the misbehaviours queued in `plan`, one a request.

    Attributes:
        plan: what to do with the next requests: a status code, ("cut", n) to close the connection
            after n bytes, ("stall", seconds) to keep the client waiting first, or ("redirect",
            url).
        lengths: whether the length of the body is told.
        ranges: whether Range is honoured.
        validators: whether an ETag is sent.
        requests: what was asked for and sent.
    """

    def __init__(self) -> None:
        self.body = b""
        self.plan: list[int | tuple[str, float] | tuple[str, str]] = []
        self.lengths = True
        self.ranges = True
        self.validators = True
        self.requests: list[Request] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/archive.zip"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def _handler(owner: ArchiveServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            step = owner.plan.pop(0) if owner.plan else ("serve", 0)
            asked = self.headers.get("Range")
            if isinstance(step, int):
                owner.requests.append(Request(asked, 0))
                self.send_error(step)
                return
            kind, amount = step
            if kind == "redirect":
                self.send_response(302)
                self.send_header("Location", str(amount))
                self.end_headers()
                return
            if kind == "stall":
                time.sleep(amount)
            start = self._send_head(asked)
            end = start + int(amount) if kind == "cut" else len(owner.body)
            owner.requests.append(Request(asked, len(owner.body[start:end])))
            with contextlib.suppress(ConnectionError):  # the client may have given up
                self.wfile.write(owner.body[start:end])

        def _send_head(self, asked: str | None) -> int:
            """Sends status and headers; returns the offset from which to send the body."""
            etag = f'"{hashlib.sha256(owner.body).hexdigest()}"'
            same = self.headers.get("If-Range") in (None, etag)
            start = 0
            if asked and owner.ranges and same:
                start = int(asked[len("bytes=") : -1])
                self.send_response(206)
                self.send_header(
                    "Content-Range", f"bytes {start}-{len(owner.body) - 1}/{len(owner.body)}"
                )
            else:
                self.send_response(200)
            if owner.validators:
                self.send_header("ETag", etag)
            if owner.lengths:
                self.send_header("Content-Length", str(len(owner.body) - start))
            self.end_headers()
            return start

        def log_message(self, *args: object) -> None:
            pass

    return Handler


@pytest.fixture
def server() -> Iterator[ArchiveServer]:
    server = ArchiveServer()
    yield server
    server.close()


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Makes waiting between tries take no time; lists the seconds that were asked for."""
    asked: list[float] = []
    # The module's own name only: the server in this process must go on sleeping.
    clock = types.SimpleNamespace(sleep=asked.append)
    monkeypatch.setattr("lang2program_tf.corpus.download.time", clock)
    return asked


@pytest.fixture
def refusing_url() -> str:
    """An address at which nothing listens any more."""
    server = ArchiveServer()
    server.close()
    return server.url
