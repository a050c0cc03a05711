"""The gRPC services of the server: predict, model metadata, model status."""

from __future__ import annotations

import functools
import math
from collections.abc import Awaitable, Callable
from typing import Any

import grpc
import numpy as np
import tensorflow as tf
from google.protobuf.message import DecodeError
from numpy.typing import NDArray
from tensorflow.core.framework import tensor_pb2, types_pb2
from tensorflow_serving.apis import (
    get_model_metadata_pb2,
    get_model_status_pb2,
    model_service_pb2_grpc,
    predict_pb2,
    prediction_service_pb2_grpc,
)

from lang2program_tf.server.core import ServerCore
from lang2program_tf.server.messages import find_model, model_metadata, model_status, resolved_spec
from lang2program_tf.server.request_log import ID_HEADER, failure, request_id
from lang2program_tf.serving.transport import ServingError

_MAX_MESSAGE_OVERHEAD = 1024
_METHODS = ("Predict", "GetModelMetadata", "GetModelStatus")
_MAX_CONNECTION_AGE_MS = 10 * 60 * 1000

_Method = Callable[[Any, Any, grpc.aio.ServicerContext], Awaitable[Any]]


def _answers(method: _Method) -> _Method:
    """Gives a call a name, and turns what goes wrong into its status and a line in the log."""

    @functools.wraps(method)
    async def call(self: Any, request: Any, context: grpc.aio.ServicerContext) -> Any:
        metadata = dict(context.invocation_metadata() or ())
        given = metadata.get(ID_HEADER.lower())
        identifier = request_id(given if isinstance(given, str) else None)
        context.set_trailing_metadata([(ID_HEADER.lower(), identifier)])
        try:
            if request is None:
                raise ServingError("INVALID_ARGUMENT", "the message cannot be read")
            return await method(self, request, context)
        except Exception as error:
            told = failure(identifier, f"grpc {method.__name__} {context.peer()}", error)
        await context.abort(grpc.StatusCode[told.code], told.message)

    return call


class PredictionService(prediction_service_pb2_grpc.PredictionServiceServicer):
    """Predictions, and what may be asked for them; other methods are not implemented."""

    def __init__(self, core: ServerCore) -> None:
        self._core = core

    @_answers
    async def Predict(
        self, request: predict_pb2.PredictRequest, context: grpc.aio.ServicerContext
    ) -> predict_pb2.PredictResponse:
        with self._core.counted(request.model_spec.name, entrypoint="GRPC"):
            return await self._predict(request, context)

    async def _predict(
        self, request: predict_pb2.PredictRequest, context: grpc.aio.ServicerContext
    ) -> predict_pb2.PredictResponse:
        spec = request.model_spec
        model = find_model(self._core, spec)
        model.signature(spec.signature_name)
        shapes = {name: _shape(name, tensor) for name, tensor in request.inputs.items()}
        self._core.check_shapes(shapes)
        inputs = {
            name: _texts(name, tensor, shapes[name]) for name, tensor in request.inputs.items()
        }
        outputs = await self._core.predict(
            model, spec.signature_name, inputs, timeout=context.time_remaining()
        )
        unknown = set(request.output_filter) - set(outputs)
        if unknown:
            raise ServingError(
                "INVALID_ARGUMENT", f"output tensor alias not found in signature: {min(unknown)}"
            )
        response = predict_pb2.PredictResponse()
        response.model_spec.CopyFrom(resolved_spec(spec, model))
        for name in request.output_filter or outputs:
            response.outputs[name].CopyFrom(tf.make_tensor_proto(outputs[name]))
        return response

    @_answers
    async def GetModelMetadata(
        self,
        request: get_model_metadata_pb2.GetModelMetadataRequest,
        context: grpc.aio.ServicerContext,
    ) -> get_model_metadata_pb2.GetModelMetadataResponse:
        model = find_model(self._core, request.model_spec)
        if set(request.metadata_field) != {"signature_def"}:
            raise ServingError("INVALID_ARGUMENT", "metadata_field must be signature_def")
        return model_metadata(request.model_spec, model)


class ModelService(model_service_pb2_grpc.ModelServiceServicer):
    """The models' status; their configuration cannot be changed."""

    def __init__(self, core: ServerCore) -> None:
        self._core = core

    @_answers
    async def GetModelStatus(
        self, request: get_model_status_pb2.GetModelStatusRequest, context: grpc.aio.ServicerContext
    ) -> get_model_status_pb2.GetModelStatusResponse:
        return model_status(self._core, request.model_spec)


class _Offered(grpc.aio.ServerInterceptor):
    """Lets pass what the services answer; what cannot be read comes to them as None.

    Else the library would tell clients of its exceptions, and log their traces.
    """

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[grpc.RpcMethodHandler]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> grpc.RpcMethodHandler | None:
        handler: Any = await continuation(handler_call_details)
        if handler is None or handler_call_details.method.rpartition("/")[2] not in _METHODS:
            return None

        def read(content: bytes) -> Any:
            try:
                return handler.request_deserializer(content)
            except DecodeError:
                return None

        return grpc.unary_unary_rpc_method_handler(
            handler.unary_unary, read, handler.response_serializer
        )


def grpc_server(core: ServerCore) -> grpc.aio.Server:
    """A server of both services that does not listen yet; within a running event loop."""
    limits = core.limits
    server = grpc.aio.server(
        interceptors=[_Offered()],
        options=[
            ("grpc.max_receive_message_length", limits.max_request_bytes + _MAX_MESSAGE_OVERHEAD),
            ("grpc.so_reuseport", 0),  # else a second server would share the port
            ("grpc.server_handshake_timeout_ms", round(1000 * limits.timeout)),
            # A client that never ends its message is cut off with its connection; others come back.
            ("grpc.max_connection_age_ms", _MAX_CONNECTION_AGE_MS),
            ("grpc.max_connection_age_grace_ms", round(1000 * limits.timeout)),
        ],
    )
    prediction_service_pb2_grpc.add_PredictionServiceServicer_to_server(
        PredictionService(core), server
    )
    model_service_pb2_grpc.add_ModelServiceServicer_to_server(ModelService(core), server)
    return server


def _shape(name: str, tensor: tensor_pb2.TensorProto) -> tuple[int, ...]:
    """The shape that a tensor claims to have."""
    sizes = [dimension.size for dimension in tensor.tensor_shape.dim]
    if tensor.tensor_shape.unknown_rank or any(size < 0 for size in sizes):
        raise ServingError("INVALID_ARGUMENT", f"tensor parsing error: {name}")
    return tuple(sizes)


def _texts(name: str, tensor: tensor_pb2.TensorProto, shape: tuple[int, ...]) -> NDArray[Any]:
    """The array of bytes objects of a tensor whose size was checked."""
    if tensor.dtype != types_pb2.DT_STRING:
        raise ServingError(
            "INVALID_ARGUMENT",
            f"input {name} must be of type DT_STRING, not of type {tensor.dtype}",
        )
    values, count = list(tensor.string_val), math.prod(shape)
    if tensor.tensor_content or len(values) > count or (count and not values):
        raise ServingError("INVALID_ARGUMENT", f"tensor parsing error: {name}")
    array = np.empty(count, object)
    # As in TensorFlow, the last value stands for all that follow.
    array[:] = values + values[-1:] * (count - len(values))
    return array.reshape(shape)
