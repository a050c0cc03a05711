"""Requests that a server plays to a new version before it answers anybody with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tensorflow as tf
from tensorflow_serving.apis import predict_pb2, prediction_log_pb2

from lang2program_tf.language import get_domain
from lang2program_tf.serving.answers import Columns
from lang2program_tf.serving.settings import ExportSettings

# Where TF Serving looks for them, below the folder of a version.
WARMUP_FILE = "assets.extra/tf_serving_warmup_requests"
_BATCH_SIZES = (1, 8, 64)
_UTTERANCE = "move the first one to the left"


def write_warmup(folder: Path, domain: str, settings: ExportSettings) -> None:
    """Writes requests of all signatures, several batch sizes and all numbers of utterances."""
    path = folder / WARMUP_FILE
    path.parent.mkdir(exist_ok=True)
    with tf.io.TFRecordWriter(str(path)) as writer:
        for signature, inputs in warmup_requests(domain, settings):
            request = predict_request(domain, signature, inputs)
            log = prediction_log_pb2.PredictionLog(
                predict_log=prediction_log_pb2.PredictLog(request=request)
            )
            writer.write(log.SerializeToString())


def warmup_requests(
    domain: str, settings: ExportSettings
) -> Iterator[tuple[str, dict[str, list[Any]]]]:
    """Signature and inputs of every request."""
    size = settings.max_utterances
    for batch in _BATCH_SIZES:
        for count in range(1, size + 1):
            yield "serving_default", _rows(domain, batch, count, size)
    # Signatures are warmed up each for itself, though these two are the same.
    yield "parse", _rows(domain, 1, 1, size)
    yield "score", {**_rows(domain, 1, 1, size), "program": [""]}
    yield "metadata", {"request": [""]}


def _rows(domain: str, batch: int, count: int, size: int) -> dict[str, list[Any]]:
    utterances = [_UTTERANCE] * count + [""] * (size - count)
    return {"world": [get_domain(domain).example] * batch, "utterances": [utterances] * batch}


def predict_request(model: str, signature: str, inputs: Columns) -> predict_pb2.PredictRequest:
    """A request of texts to one signature of a model."""
    request = predict_pb2.PredictRequest()
    request.model_spec.name = model
    request.model_spec.signature_name = signature
    for name, values in inputs.items():
        request.inputs[name].CopyFrom(tf.make_tensor_proto(values, tf.string))
    return request
