"""The gRPC services of the development server: predict, model metadata, model status."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import grpc
import numpy as np
import tensorflow as tf
from numpy.typing import NDArray
from tensorflow.core.framework import tensor_pb2, types_pb2
from tensorflow_serving.apis import (
    get_model_metadata_pb2,
    get_model_status_pb2,
    model_pb2,
    model_service_pb2_grpc,
    predict_pb2,
    prediction_service_pb2_grpc,
)

from lang2program_tf.serving.model import Model
from lang2program_tf.serving.server_core import ServerCore
from lang2program_tf.serving.transport import ServingError

_Method = Callable[[Any, Any, grpc.ServicerContext], Any]


def _answers(method: _Method) -> _Method:
    """Turns a ServingError into the status of the call."""

    @functools.wraps(method)
    def call(self: Any, request: Any, context: grpc.ServicerContext) -> Any:
        try:
            return method(self, request, context)
        except ServingError as error:
            context.abort(grpc.StatusCode[error.code], error.message)

    return call


class PredictionService(prediction_service_pb2_grpc.PredictionServiceServicer):
    """Predictions, and what may be asked for them; other methods are not implemented."""

    def __init__(self, core: ServerCore) -> None:
        self._core = core

    @_answers
    def Predict(
        self, request: predict_pb2.PredictRequest, context: grpc.ServicerContext
    ) -> predict_pb2.PredictResponse:
        spec = request.model_spec
        model = find_model(self._core, spec)
        model.signature(spec.signature_name)
        shapes = {name: _shape(name, tensor) for name, tensor in request.inputs.items()}
        self._core.check_shape(shapes)
        inputs = {
            name: _texts(name, tensor, shapes[name]) for name, tensor in request.inputs.items()
        }
        outputs = self._core.predict(spec.signature_name, inputs, timeout=context.time_remaining())
        unknown = set(request.output_filter) - set(outputs)
        if unknown:
            raise ServingError(
                "INVALID_ARGUMENT", f"output tensor alias not found in signature: {min(unknown)}"
            )
        response = predict_pb2.PredictResponse()
        response.model_spec.CopyFrom(resolved_spec(self._core, spec.signature_name))
        for name in request.output_filter or outputs:
            response.outputs[name].CopyFrom(tf.make_tensor_proto(outputs[name]))
        return response

    @_answers
    def GetModelMetadata(
        self,
        request: get_model_metadata_pb2.GetModelMetadataRequest,
        context: grpc.ServicerContext,
    ) -> get_model_metadata_pb2.GetModelMetadataResponse:
        model = find_model(self._core, request.model_spec)
        if set(request.metadata_field) != {"signature_def"}:
            raise ServingError("INVALID_ARGUMENT", "metadata_field must be signature_def")
        return model_metadata(self._core, model)


class ModelService(model_service_pb2_grpc.ModelServiceServicer):
    """The model's status; its configuration cannot be changed."""

    def __init__(self, core: ServerCore) -> None:
        self._core = core

    @_answers
    def GetModelStatus(
        self, request: get_model_status_pb2.GetModelStatusRequest, context: grpc.ServicerContext
    ) -> get_model_status_pb2.GetModelStatusResponse:
        return model_status(self._core, request.model_spec)


def find_model(core: ServerCore, spec: model_pb2.ModelSpec) -> Model:
    """The model that a request means."""
    if not spec.name:
        raise ServingError("INVALID_ARGUMENT", "Missing ModelSpec")
    if spec.version_label:
        raise ServingError("INVALID_ARGUMENT", f"Unrecognized label {spec.version_label!r}")
    version = spec.version.value if spec.HasField("version") else None
    return core.find(spec.name, version)


def resolved_spec(core: ServerCore, signature: str) -> model_pb2.ModelSpec:
    """The model that answered."""
    spec = model_pb2.ModelSpec(name=core.name, signature_name=signature)
    spec.version.value = core.model.version
    return spec


def model_metadata(
    core: ServerCore, model: Model
) -> get_model_metadata_pb2.GetModelMetadataResponse:
    """The signatures of the model."""
    signatures = get_model_metadata_pb2.SignatureDefMap()
    for name, signature in model.signature_defs.items():
        signatures.signature_def[name].CopyFrom(signature)
    response = get_model_metadata_pb2.GetModelMetadataResponse()
    response.model_spec.CopyFrom(resolved_spec(core, ""))
    response.metadata["signature_def"].Pack(signatures)
    return response


def model_status(
    core: ServerCore, spec: model_pb2.ModelSpec
) -> get_model_status_pb2.GetModelStatusResponse:
    """The one version of the model, which is available."""
    model = find_model(core, spec)
    response = get_model_status_pb2.GetModelStatusResponse()
    status = response.model_version_status.add(
        version=model.version, state=get_model_status_pb2.ModelVersionStatus.AVAILABLE
    )
    status.status.SetInParent()  # all is well
    return response


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
