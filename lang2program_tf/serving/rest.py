"""The REST protocol of TF Serving: JSON over HTTP."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import urllib.parse
from typing import Any

from lang2program_tf.serving.answers import Columns
from lang2program_tf.serving.transport import (
    HTTP_STATUSES,
    TOO_LARGE_STATUS,
    ServingError,
    Transport,
)

_CODES = {
    TOO_LARGE_STATUS: "RESOURCE_EXHAUSTED",
    **{status: code for code, status in HTTP_STATUSES.items()},
}


class RestTransport(Transport):
    """One model of a server at `http://HOST:PORT`; a connection a thread, kept open."""

    def __init__(self, url: str, *, model: str, version: int | None = None) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"url={url!r} is not like http://localhost:8501")
        self._scheme = parts.scheme
        self._host, self._port = parts.hostname, parts.port
        path = f"{parts.path.rstrip('/')}/v1/models/{urllib.parse.quote(model, safe='')}"
        self._path = path if version is None else f"{path}/versions/{version}"
        self._local = threading.local()
        self._connections: list[http.client.HTTPConnection] = []

    def predict(self, signature: str, inputs: Columns, *, timeout: float) -> dict[str, Any]:
        request = {"signature_name": signature, "inputs": dict(inputs)}
        answer = self._call("POST", f"{self._path}:predict", json.dumps(request), timeout)
        outputs = answer.get("outputs")
        if not isinstance(outputs, dict):
            raise ServingError(
                "INTERNAL", f"the server's answer has no outputs: {str(answer)[:200]}"
            )
        return outputs

    def close(self) -> None:
        for connection in self._connections:
            connection.close()

    def _call(self, method: str, path: str, body: str, timeout: float) -> dict[str, Any]:
        connection = self._connection(timeout)
        try:
            connection.request(method, path, body, {"Content-Type": "application/json"})
            response = connection.getresponse()
            content = response.read()
        except socket.timeout:
            connection.close()
            raise ServingError("DEADLINE_EXCEEDED", f"no answer in {timeout:.3g} s") from None
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            where = f"{self._scheme}://{self._host}:{self._port}"
            raise ServingError("UNAVAILABLE", f"{where} does not answer ({error!r})") from error
        return self._decode(response.status, content)

    def _connection(self, timeout: float) -> http.client.HTTPConnection:
        """This thread's connection."""
        connection: http.client.HTTPConnection | None = getattr(self._local, "connection", None)
        if connection is None:
            kind = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}
            connection = kind[self._scheme](self._host, self._port, timeout=timeout)
            self._local.connection = connection
            self._connections.append(connection)
        connection.timeout = timeout
        if connection.sock is not None:
            connection.sock.settimeout(timeout)
        return connection

    @staticmethod
    def _decode(status: int, content: bytes) -> dict[str, Any]:
        try:
            answer = json.loads(content)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            answer = {"error": f"HTTP {status} without a JSON object: {content[:200]!r}"}
        if status != http.client.OK or "error" in answer:
            code = _CODES.get(status, "INTERNAL" if status < 500 else "UNKNOWN")
            raise ServingError(code, str(answer.get("error", f"HTTP status {status}")))
        return answer
