"""The gRPC protocol of TF Serving: PredictionService. Importing this imports TensorFlow."""

from __future__ import annotations

from typing import Any

import grpc
import tensorflow as tf
from tensorflow_serving.apis import prediction_service_pb2_grpc

from lang2program_tf.serving.answers import Columns, decode_texts
from lang2program_tf.serving.transport import ServingError, Transport
from lang2program_tf.serving.warmup import predict_request

_MAX_ANSWER_BYTES = 64 * 1024 * 1024


class GrpcTransport(Transport):
    """One model of a server at `HOST:PORT`."""

    def __init__(self, target: str, *, model: str, version: int | None = None) -> None:
        self._model, self._version = model, version
        options = [("grpc.max_receive_message_length", _MAX_ANSWER_BYTES)]
        self._channel = grpc.insecure_channel(target, options)
        self._stub = prediction_service_pb2_grpc.PredictionServiceStub(self._channel)

    def predict(self, signature: str, inputs: Columns, *, timeout: float) -> dict[str, Any]:
        request = predict_request(self._model, signature, inputs)
        if self._version is not None:
            request.model_spec.version.value = self._version
        try:
            answer = self._stub.Predict(request, timeout=timeout)
        except grpc.RpcError as error:
            raise ServingError(error.code().name, error.details() or "no details") from error
        arrays = {name: tf.make_ndarray(tensor) for name, tensor in answer.outputs.items()}
        return {name: decode_texts(array.tolist()) for name, array in arrays.items()}

    def close(self) -> None:
        self._channel.close()
