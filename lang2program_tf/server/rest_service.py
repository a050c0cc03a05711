"""The REST service of the server: predict, model metadata, model status, health, metrics, page."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from typing import Any

from aiohttp import web
from google.protobuf.json_format import MessageToDict
from tensorflow_serving.apis import get_model_metadata_pb2, model_pb2

from lang2program_tf.playground.page import Page
from lang2program_tf.server.core import ServerCore
from lang2program_tf.server.http_server import json_response, read_body
from lang2program_tf.server.json_tensors import read_request, to_answer, to_arrays
from lang2program_tf.server.messages import find_model, model_metadata, model_status
from lang2program_tf.server.metrics import METRICS_PATH
from lang2program_tf.serving.transport import ServingError

_TARGET = r"/v1/models/(?P<name>[^/:]+)(?:/versions/(?P<version>\d{1,18}))?"
_PREDICT = re.compile(rf"{_TARGET}:(?P<method>classify|regress|predict)")
_STATUS = re.compile(rf"{_TARGET}(?P<metadata>/metadata)?")
HEALTH_PATH = "/healthz"
# Says that fields with default values are wanted too; protobuf 5 has given it another name.
_WITH_DEFAULTS: dict[str, Any] = {
    "including_default_value_fields"
    if "including_default_value_fields" in inspect.signature(MessageToDict).parameters
    else "always_print_fields_with_no_presence": True
}


class RestService:
    """Answers HTTP requests as TF Serving does, and with a page to play on."""

    def __init__(self, core: ServerCore, *, page: Page) -> None:
        self._core = core
        self._page = page

    async def answer(self, request: web.BaseRequest) -> web.Response:
        """The response to a request.

        Raises:
            ServingError: there is none.
        """
        if request.method == "POST":
            return await self._post(request)
        if request.method in ("GET", "HEAD"):
            if request.body_exists:
                request.protocol.close()  # who sends one may mean it as further requests
                raise ServingError("INVALID_ARGUMENT", f"a {request.method} has no body")
            return self._get(request)
        raise _malformed(request)

    def _get(self, request: web.BaseRequest) -> web.Response:
        if request.path == HEALTH_PATH:
            if self._core.stopping:
                raise ServingError("UNAVAILABLE", "the server is shutting down")
            return web.Response(text="ok\n")
        if request.path == METRICS_PATH:
            return web.Response(
                body=self._core.metrics_text(),
                headers={"Content-Type": self._core.metrics.content_type},
            )
        file = self._page.find(request.path)
        if file is not None:
            return file
        match = _STATUS.fullmatch(request.path)
        if not match:
            raise _malformed(request)
        return json_response(self._about(_spec(match), signatures=bool(match["metadata"])))

    def _about(self, spec: model_pb2.ModelSpec, *, signatures: bool) -> Any:
        """The status of a model, or its signatures."""
        if not signatures:
            status = model_status(self._core, spec)
            return MessageToDict(status, **_WITH_DEFAULTS)
        metadata = model_metadata(spec, find_model(self._core, spec))
        found = get_model_metadata_pb2.SignatureDefMap()
        metadata.metadata["signature_def"].Unpack(found)
        return {
            "model_spec": _to_dict(metadata.model_spec),
            "metadata": {"signature_def": _to_dict(found)},
        }

    async def _post(self, request: web.BaseRequest) -> web.Response:
        match = _PREDICT.fullmatch(request.path)
        if not match:
            raise _malformed(request)
        with self._core.counted(match["name"], entrypoint="REST"):
            return json_response(await self._predict(request, match))

    async def _predict(self, request: web.BaseRequest, match: re.Match[str]) -> Any:
        if match["method"] != "predict":
            raise ServingError("UNIMPLEMENTED", f"{match['method']} is not offered; use predict")
        model = find_model(self._core, _spec(match))
        asked = read_request(await read_body(request, self._core.limits))
        inputs = to_arrays(asked, _inputs(model.signature(asked.signature)))
        outputs = await self._core.predict(model, asked.signature, inputs)
        return to_answer(outputs, by_rows=asked.by_rows)


def _inputs(signature: Any) -> Sequence[str]:
    return sorted(signature.inputs)


def _malformed(request: web.BaseRequest) -> ServingError:
    text = f"Malformed request: {request.method} {request.raw_path}"
    return ServingError("INVALID_ARGUMENT", text)


def _spec(match: re.Match[str]) -> model_pb2.ModelSpec:
    spec = model_pb2.ModelSpec(name=match["name"])
    if match["version"]:
        spec.version.value = int(match["version"])
    return spec


def _to_dict(message: Any) -> dict[str, Any]:
    fields: dict[str, Any] = MessageToDict(
        message, preserving_proto_field_name=True, **_WITH_DEFAULTS
    )
    return fields
