"""An exported parser in this process: its signatures, called with what came over a wire."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray
from tensorflow.core.protobuf import meta_graph_pb2
from tensorflow_serving.apis import predict_pb2, prediction_log_pb2

from lang2program_tf.corpus.seen_words import FILE as SEEN_WORDS
from lang2program_tf.corpus.seen_words import read_seen_words
from lang2program_tf.corpus.tokenizers import KnownForms, Tokenizer, WhiteSpace
from lang2program_tf.corpus.words import SPECIAL_WORDS
from lang2program_tf.errors import UserError
from lang2program_tf.serving.answers import Columns, decode_texts
from lang2program_tf.serving.saved_graph import SavedGraph
from lang2program_tf.serving.transport import ServingError, Transport
from lang2program_tf.serving.versions import find_version
from lang2program_tf.serving.warmup import WARMUP_FILE

DEFAULT_SIGNATURE = "serving_default"
_NODE = re.compile(r"\{\{.*?\}\}\s*")
_EXPORT_AGAIN = "export the parser again with `lang2program export`"


class Model:
    """One version of an exported parser.

    Attributes:
        folder: where it is.
        version: its number, 0 if the folder's name is not one.
        signature_defs: its signatures by name.
        domain: the domain of the parser.
    """

    def __init__(self, export: str | os.PathLike[str]) -> None:
        """Loads the export, or its latest version.

        Raises:
            UserError: there is none, or it is damaged.
        """
        self.folder = find_version(export)
        self.version = int(self.folder.name) if self.folder.name.isdecimal() else 0
        try:
            self._graph = SavedGraph(self.folder)
            self.signature_defs = self._graph.signatures
            outputs = self.run("metadata", {"request": np.array([b""], object)})
            self.domain: str = outputs["domain"][0].decode()
        except Exception as error:  # what a damaged file raises has no type in common
            raise UserError(
                f"{self.folder} does not hold a sound export of a parser ({_first_line(error)}); "
                f"{_EXPORT_AGAIN}"
            ) from error

    def signature(self, name: str) -> meta_graph_pb2.SignatureDef:
        """The signature called `name`, or the default one for an empty name.

        Raises:
            ServingError: there is none.
        """
        name = name or DEFAULT_SIGNATURE
        if name not in self.signature_defs:
            raise ServingError(
                "INVALID_ARGUMENT", f'Serving signature name: "{name}" not found in signature def'
            )
        return self.signature_defs[name]

    def run(self, name: str, inputs: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Calls a signature.

        Args:
            name: of the signature, "" for the default.
            inputs: arrays of bytes objects.

        Raises:
            ServingError: the inputs do not fit, or the graph refuses them.
        """
        _check_inputs(self.signature(name), inputs)
        try:
            return self._graph.run(name or DEFAULT_SIGNATURE, inputs)
        except tf.errors.OpError as error:
            # Its message is a trace through the graph: for a log, not for a client.
            raise ServingError(
                _code_name(error), "the model cannot compute this request"
            ) from error

    def vocabulary(self) -> frozenset[str]:
        """The words that the parser knows.

        Raises:
            UserError: the export's list of words is missing.
        """
        path = self.folder / "assets" / "words.txt"
        try:
            lines = path.read_bytes().decode().split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(f"cannot read {path} ({error}); {_EXPORT_AGAIN}") from error
        return frozenset(lines[len(SPECIAL_WORDS) : -1])

    def tokenizer(self) -> Tokenizer:
        """What makes words of utterances in this export, in Python.

        Raises:
            UserError: a list of words is damaged.
        """
        path = self.folder / "assets" / SEEN_WORDS
        if not path.exists():
            return WhiteSpace()
        return KnownForms(self.vocabulary(), seen=read_seen_words(path, remedy=_EXPORT_AGAIN))

    def warm_up(self) -> int:
        """Plays the requests that the export brings along; their number.

        Raises:
            UserError: they are damaged.
        """
        path = self.folder / WARMUP_FILE
        count = 0
        try:
            for request in _warmup_requests(path) if path.is_file() else ():
                inputs = {key: tf.make_ndarray(value) for key, value in request.inputs.items()}
                self.run(request.model_spec.signature_name, inputs)
                count += 1
        except Exception as error:  # as above
            raise UserError(
                f"the requests of {path}, which warm a server up, are damaged "
                f"({_first_line(error)}); delete the file or {_EXPORT_AGAIN}"
            ) from error
        return count


class LocalTransport(Transport):
    """The way to a model in this process."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def predict(self, signature: str, inputs: Columns, *, timeout: float) -> dict[str, Any]:
        del timeout  # nothing can be lost on the way
        arrays = {key: _to_array(values) for key, values in inputs.items()}
        found = self._model.run(signature, arrays)
        return {key: decode_texts(array.tolist()) for key, array in found.items()}

    def close(self) -> None:
        pass


def _to_array(values: Any) -> NDArray[Any]:
    """Nested lists of texts as an array of their UTF-8 bytes."""
    texts = np.array(values, dtype=object)
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts.ravel()]
    array = np.empty(texts.size, dtype=object)
    array[:] = encoded
    return array.reshape(texts.shape)


def _check_inputs(
    signature: meta_graph_pb2.SignatureDef, inputs: Mapping[str, NDArray[Any]]
) -> None:
    if set(signature.inputs) != set(inputs):
        raise ServingError(
            "INVALID_ARGUMENT",
            f"input size does not match signature: expected inputs {sorted(signature.inputs)}, "
            f"got {sorted(inputs)}",
        )
    for name, tensor in signature.inputs.items():
        rank = len(tensor.tensor_shape.dim)
        if inputs[name].ndim != rank:
            raise ServingError(
                "INVALID_ARGUMENT",
                f"input {name} must have rank {rank}, got shape {inputs[name].shape}",
            )


def _code_name(error: tf.errors.OpError) -> str:
    names = {
        tf.errors.INVALID_ARGUMENT: "INVALID_ARGUMENT",
        tf.errors.RESOURCE_EXHAUSTED: "RESOURCE_EXHAUSTED",
    }
    return names.get(error.error_code, "INTERNAL")


def _warmup_requests(path: Path) -> Iterator[predict_pb2.PredictRequest]:
    for record in tf.data.TFRecordDataset(str(path)).as_numpy_iterator():
        log = prediction_log_pb2.PredictionLog()
        log.ParseFromString(record)
        yield log.predict_log.request


def _first_line(error: Exception) -> str:
    """The first line of what TensorFlow says, without what a session or a node puts before it."""
    text = str(error).strip().removeprefix("Graph execution error:").strip()
    line = (text or type(error).__name__).split("\n")[0]
    return _NODE.sub("", line).split(" [Op:")[0].rstrip(".")
