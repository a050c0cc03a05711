"""Random malformed requests: a server must refuse or answer each, and go on."""

from __future__ import annotations

import collections
import http.client
import json
import random
import socket
from collections.abc import Callable, Sequence
from typing import Any

import grpc
import tensorflow as tf
from tensorflow_serving.apis import predict_pb2

from lang2program_tf.language import get_domain
from lang2program_tf.serving.answers import Columns
from lang2program_tf.serving.warmup import predict_request

_PREDICT = "/tensorflow.serving.PredictionService/Predict"
_SIGNATURES = ("", "parse", "score", "metadata", "serving_default", "nonesuch", "\0")
_WORDS = ("the", "man", "red", "leaves", "1", ":", "_", "<pad>", "İ", "\u3000", "\0", "ﬁ", "🙂")
_LARGE = 100_000
_TIMEOUT = 60.0


class MalformedRequests:
    """Sends requests that are wrong in one way or in several; the seed decides which."""

    def __init__(self, domain: str, *, grpc_target: str, rest_address: tuple[str, int], seed: int):
        """Binds where to send them.

        Args:
            domain: of the model, which is called like it.
            grpc_target: `HOST:PORT`.
            rest_address: host and port.
            seed: of all chance.
        """
        self._domain = domain
        self._random = random.Random(seed)
        self._channel = grpc.insecure_channel(grpc_target)
        self._rest_address = rest_address
        self._ways: tuple[Callable[[], str], ...] = (
            self._grpc_nonsense,
            self._grpc_tensors,
            self._grpc_bytes,
            self._rest_nonsense,
            self._rest_json,
            self._rest_bytes,
            self._raw_socket,
        )

    def send(self, count: int) -> collections.Counter[str]:
        """Sends requests; how many ended in which way. None may take longer than a minute."""
        return collections.Counter(self._random.choice(self._ways)() for _ in range(count))

    def close(self) -> None:
        """Gives up the connection."""
        self._channel.close()

    def _text(self) -> bytes:
        """A text: binary junk, words, something like a world, or something very long."""
        kind = self._random.randrange(6)
        if kind == 0:
            return self._random.randbytes(self._random.randrange(40))
        if kind == 1:
            return self._random.choice(_WORDS).encode() * self._random.randrange(_LARGE // 4)
        if kind == 2:
            return get_domain(self._domain).example.encode()
        if kind == 3:
            world = bytearray(get_domain(self._domain).example.encode())
            world[self._random.randrange(len(world))] = self._random.randrange(256)
            return bytes(world)
        words = self._random.choices(_WORDS, k=self._random.randrange(30))
        return self._random.choice([" ", ""]).join(words).encode()

    def _grpc_nonsense(self) -> str:
        """A request in perfect order, of texts without sense."""
        rows, columns = self._random.randrange(1, 5), self._random.randrange(8)
        request = predict_request(self._domain, "", {})
        self._fill(request, "world", [rows], rows)
        request.inputs["world"].string_val[0] = get_domain(self._domain).example.encode()
        self._fill(request, "utterances", [rows, columns], rows * columns)
        return self._call(request.SerializeToString())

    def _grpc_tensors(self) -> str:
        """Tensors of any name, type, shape and number of values."""
        request = predict_request(self._domain, self._random.choice(_SIGNATURES), {})
        if self._random.random() < 0.1:
            request.model_spec.name = self._random.choice(["", "pond", "\ufffd"])
        names = ["world", "utterances", "program", "request", "x"]
        for name in self._random.choice([names[:2], names[:2], names[:3], names]):
            sizes = (-1, 0, 1, 1, 1, 2, 3, 5, 8, 70, 10**6, 10**18)
            shape = self._random.choices(sizes, k=self._random.choice([0, 1, 1, 2, 2, 2, 3, 9]))
            self._fill(request, name, shape, self._random.choice([0, 1, 1, 1, 2, 5]))
            tensor = request.inputs[name]
            tensor.dtype = self._random.choice([tensor.dtype] * 6 + [1, 0, 9, 20])
            if self._random.random() < 0.05:
                tensor.tensor_content = self._random.randbytes(8)
        return self._call(request.SerializeToString())

    def _fill(
        self, request: predict_pb2.PredictRequest, name: str, shape: Sequence[int], count: int
    ) -> None:
        """Adds an input of texts that claims to have a shape."""
        tensor = request.inputs[name]
        tensor.dtype = tf.string.as_datatype_enum
        for size in shape:
            tensor.tensor_shape.dim.add(size=size)
        tensor.string_val.extend(self._text() for _ in range(count))

    def _grpc_bytes(self) -> str:
        """A good request with some bytes changed, or no request at all."""
        inputs: Columns = {
            "world": [get_domain(self._domain).example],
            "utterances": [["he leaves", "x"]],
        }
        content = bytearray(predict_request(self._domain, "", inputs).SerializeToString())
        for _ in range(self._random.randrange(1, 6)):
            content[self._random.randrange(len(content))] = self._random.randrange(256)
        junk = self._random.randbytes(self._random.randrange(200))
        return self._call(self._random.choice([bytes(content), bytes(content[:-9]), junk]))

    def _call(self, content: bytes) -> str:
        call = self._channel.unary_unary(
            _PREDICT,
            request_serializer=None,
            response_deserializer=predict_pb2.PredictResponse.FromString,
        )
        try:
            response = call(content, timeout=_TIMEOUT)
        except grpc.RpcError as error:
            return f"grpc {error.code().name}"
        errors = (
            tf.make_ndarray(response.outputs["error"]) if "error" in response.outputs else [b""]
        )
        return "grpc row errors" if any(errors) else "grpc answers"

    def _json_value(self, depth: int = 0) -> Any:
        kind = self._random.randrange(7 if depth < 4 else 4)
        if kind < 3:
            return self._text().decode("utf-8", "replace")
        if kind == 3:
            return self._random.choice([None, True, 1, -1.5, 10**40, {"b64": "?"}, {"b64": "/w=="}])
        if kind == 4:
            names = ["world", "utterances", "program", "b64", "x"]
            chosen = self._random.sample(names, self._random.randrange(3))
            return {name: self._json_value(depth + 1) for name in chosen}
        return [self._json_value(depth + 1) for _ in range(self._random.randrange(4))]

    def _rest_nonsense(self) -> str:
        """A request in perfect order, of texts without sense."""

        def text() -> str:
            return self._text().decode("utf-8", "replace")

        columns = self._random.randrange(1, 8)
        rows = [
            {"world": text(), "utterances": [text() for _ in range(columns)]}
            for _ in range(self._random.randrange(1, 5))
        ]
        rows[0]["world"] = get_domain(self._domain).example
        return self._post(json.dumps({"instances": rows}).encode())

    def _rest_json(self) -> str:
        """JSON that is almost a request."""
        key = self._random.choice(["instances", "inputs", "inputs", "x"])
        row = {"world": self._json_value(3), "utterances": self._json_value(2)}
        value = self._random.choice([row, [row], self._json_value(), {"world": [1]}])
        body = {key: value, "signature_name": self._random.choice(["", "score", "x", 3])}
        return self._post(json.dumps(body).encode())

    def _rest_bytes(self) -> str:
        """Bodies that are no JSON."""
        depth = self._random.randrange(_LARGE)
        return self._post(
            self._random.choice([b"", b"{", b"[" * depth, self._text(), b'{"a":' * depth])
        )

    def _post(self, body: bytes) -> str:
        paths = [f"/v1/models/{self._domain}:predict"] * 8 + [
            "/",
            "/v1/models/x:predict",
            "/v1/%00",
        ]
        connection = http.client.HTTPConnection(*self._rest_address, timeout=_TIMEOUT)
        try:
            connection.request("POST", self._random.choice(paths), body)
            response = connection.getresponse()
            response.read()
            return f"rest {response.status}"
        except socket.timeout:
            return "rest DEADLINE_EXCEEDED"
        except ConnectionError:
            return "rest closed"
        finally:
            connection.close()

    def _raw_socket(self) -> str:
        """Bytes that are no HTTP, or HTTP that breaks off."""
        content = self._random.choice(
            [
                self._random.randbytes(self._random.randrange(1000)),
                b"POST /v1/models/x:predict HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
                b"POST /v1/models/x:predict HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\nx",
                b"GET " + b"/" * self._random.randrange(_LARGE) + b" HTTP/1.1\r\n\r\n",
                b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * self._random.randrange(300) + b"\r\n",
            ]
        )
        try:
            with socket.create_connection(self._rest_address, timeout=_TIMEOUT) as connection:
                connection.sendall(content)
                connection.shutdown(socket.SHUT_WR)
                connection.recv(1000)
        except socket.timeout:
            return "raw DEADLINE_EXCEEDED"
        except OSError:
            return "raw closed"
        return "raw done"
