"""The REST service of the development server: predict, model metadata, model status."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from google.protobuf.json_format import MessageToDict
from tensorflow_serving.apis import get_model_metadata_pb2, model_pb2

from lang2program_tf.serving.grpc_service import (
    find_model,
    model_metadata,
    model_status,
    resolved_spec,
)
from lang2program_tf.serving.json_tensors import read_request, to_answer, to_arrays
from lang2program_tf.serving.server_core import ServerCore
from lang2program_tf.serving.transport import HTTP_STATUSES, ServingError

_TARGET = r"/v1/models/(?P<name>[^/:]+)(?:/versions/(?P<version>\d{1,18}))?"
_PREDICT = re.compile(rf"{_TARGET}:(?P<method>classify|regress|predict)")
_STATUS = re.compile(rf"{_TARGET}(?P<metadata>/metadata)?")
_DRAINED = 8  # times the limit


class RestServer(ThreadingHTTPServer):
    """Listens for HTTP requests; a thread for each connection.

    Attributes:
        core: answers them.
    """

    daemon_threads = True

    def __init__(self, address: tuple[str, int], core: ServerCore) -> None:
        self.core = core
        self._under_way = 0
        self._changed = threading.Condition()
        super().__init__(address, _Handler)

    @contextmanager
    def under_way(self) -> Iterator[None]:
        """Counts a request that is being answered."""
        with self._changed:
            self._under_way += 1
        try:
            yield
        finally:
            with self._changed:
                self._under_way -= 1
                self._changed.notify_all()

    def wait_until_idle(self, timeout: float) -> None:
        """Waits until no request is being answered."""
        with self._changed:
            self._changed.wait_for(lambda: self._under_way == 0, timeout)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is nobody's error."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: RestServer

    def setup(self) -> None:
        super().setup()
        # A client that sends nothing must not keep its thread for ever.
        self.connection.settimeout(self.server.core.limits.timeout)

    def log_message(self, format: str, *args: Any) -> None:
        """Silence: the default writes a line a request to stderr."""

    def do_GET(self) -> None:
        self._answer(self._get)

    def do_POST(self) -> None:
        self._answer(self._post)

    def _answer(self, method: Callable[[], Any]) -> None:
        with self.server.under_way():
            status = 200
            try:
                answer = method()
            except ServingError as error:
                status, answer = HTTP_STATUSES.get(error.code, 500), {"error": error.message}
            self._send(status, answer)

    def _send(self, status: int, answer: Any) -> None:
        content = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content)

    def _get(self) -> Any:
        match = _STATUS.fullmatch(self.path)
        if not match:
            raise self._malformed()
        spec = _spec(match)
        core = self.server.core
        if not match["metadata"]:
            status = model_status(core, spec)
            return MessageToDict(status, including_default_value_fields=True)
        metadata = model_metadata(core, find_model(core, spec))
        signatures = get_model_metadata_pb2.SignatureDefMap()
        metadata.metadata["signature_def"].Unpack(signatures)
        return {
            "model_spec": _to_dict(resolved_spec(core, "")),
            "metadata": {"signature_def": _to_dict(signatures)},
        }

    def _post(self) -> Any:
        body = self._body()
        match = _PREDICT.fullmatch(self.path)
        if not match:
            raise self._malformed()
        if match["method"] != "predict":
            raise ServingError("UNIMPLEMENTED", f"{match['method']} is not offered; use predict")
        core = self.server.core
        model = find_model(core, _spec(match))
        request = read_request(body)
        inputs = to_arrays(request, sorted(model.signature(request.signature).inputs))
        outputs = core.predict(request.signature, inputs)
        return to_answer(outputs, by_rows=request.by_rows)

    def _body(self) -> bytes:
        """The body; if it is not read to its end, the connection cannot go on."""
        text = self.headers.get("Content-Length", "")
        limit = self.server.core.limits.max_request_bytes
        if not text.isdecimal():
            self.close_connection = True
            raise ServingError("INVALID_ARGUMENT", "a request needs a Content-Length")
        if int(text) > limit:
            self.close_connection = True
            # Who is still sending does not see an answer.
            left = min(int(text), _DRAINED * limit)
            while left > 0:
                left -= len(self.rfile.read(min(left, limit))) or left
            raise ServingError("RESOURCE_EXHAUSTED", f"the request is larger than {limit} bytes")
        return self.rfile.read(int(text))

    def _malformed(self) -> ServingError:
        return ServingError("INVALID_ARGUMENT", f"Malformed request: {self.command} {self.path}")


def _spec(match: re.Match[str]) -> model_pb2.ModelSpec:
    spec = model_pb2.ModelSpec(name=match["name"])
    if match["version"]:
        spec.version.value = int(match["version"])
    return spec


def _to_dict(message: Any) -> dict[str, Any]:
    fields: dict[str, Any] = MessageToDict(
        message, including_default_value_fields=True, preserving_proto_field_name=True
    )
    return fields
