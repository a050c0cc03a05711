"""The JSON of TF Serving's REST protocol: requests to arrays, arrays to answers."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lang2program_tf.serving.answers import decode_texts
from lang2program_tf.serving.transport import ServingError

_MAX_DIMENSIONS = 2


class JsonRequest(NamedTuple):
    """A request as it stands in a body.

    Attributes:
        signature: the name, "" for the default.
        by_rows: whether the answer is to be by rows (`predictions`) or by columns (`outputs`).
        values: the value of `instances` or `inputs`.
    """

    signature: str
    by_rows: bool
    values: Any


def read_request(body: bytes) -> JsonRequest:
    """Reads the body of a request.

    Raises:
        ServingError: it is not one.
    """
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise _invalid(f"JSON Parse error: {error}") from None
    if not isinstance(value, dict):
        raise _invalid("JSON Value: is not object")
    signature = value.get("signature_name", "")
    if not isinstance(signature, str):
        raise _invalid("'signature_name' key must be a string value.")
    if ("instances" in value) == ("inputs" in value):
        raise _invalid("expecting exactly one of 'inputs' or 'instances' keys to exist")
    by_rows = "instances" in value
    return JsonRequest(signature, by_rows, value["instances" if by_rows else "inputs"])


def to_arrays(request: JsonRequest, names: Sequence[str]) -> dict[str, NDArray[Any]]:
    """The inputs called `names` of a request: arrays of bytes objects.

    Raises:
        ServingError: an input is missing, or its lists are not rectangular lists of texts.
    """
    columns = (
        _by_rows(request.values, names) if request.by_rows else _by_columns(request.values, names)
    )
    return {name: _to_array(name, column) for name, column in columns.items()}


def _by_rows(rows: Any, names: Sequence[str]) -> dict[str, Any]:
    if not isinstance(rows, list) or not rows:
        raise _invalid("'instances' must be a list with at least one element")
    if len(names) == 1 and not any(_is_named(row) for row in rows):
        return {names[0]: rows}
    for number, row in enumerate(rows):
        if not _is_named(row) or set(row) != set(names):
            raise _invalid(
                f"Failed to process element: {number} of 'instances' list: "
                f"keys must be equal to: {','.join(names)}"
            )
    return {name: [row[name] for row in rows] for name in names}


def _by_columns(columns: Any, names: Sequence[str]) -> dict[str, Any]:
    if len(names) == 1 and not _is_named(columns):
        return {names[0]: columns}
    if not _is_named(columns) or set(columns) != set(names):
        raise _invalid(f"'inputs' must be an object with the keys {','.join(names)}")
    return {name: columns[name] for name in names}


def _is_named(value: Any) -> bool:
    """Whether a value is an object of inputs, not bytes in base64."""
    return isinstance(value, dict) and set(value) != {"b64"}


def _to_array(name: str, value: Any) -> NDArray[Any]:
    shape: list[int] = []
    level = value
    while isinstance(level, list):
        shape.append(len(level))
        level = level[0] if level else None
        if len(shape) > _MAX_DIMENSIONS:
            raise _invalid(f"input {name} has more than {_MAX_DIMENSIONS} dimensions")
    leaves = [value]
    for size in shape:
        if not all(isinstance(item, list) and len(item) == size for item in leaves):
            raise _invalid(f"input {name}: lists of one level must have the same size")
        leaves = [item for items in leaves for item in items]
    array = np.empty(len(leaves), object)
    array[:] = [_to_bytes(name, leaf) for leaf in leaves]
    return array.reshape(shape)


def _to_bytes(name: str, value: Any) -> bytes:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    if isinstance(value, dict) and set(value) == {"b64"} and isinstance(value["b64"], str):
        try:
            return base64.b64decode(value["b64"], validate=True)
        except (binascii.Error, ValueError):
            raise _invalid("Unable to base64 decode") from None
    raise _invalid(f"input {name}: JSON Value of type {type(value).__name__} is not a string")


def to_answer(outputs: dict[str, NDArray[Any]], *, by_rows: bool) -> dict[str, Any]:
    """The JSON object of an answer."""
    columns = {name: decode_texts(array.tolist()) for name, array in outputs.items()}
    if not by_rows:
        return {"outputs": columns}
    rows = [dict(zip(columns, values)) for values in zip(*columns.values())]
    return {"predictions": rows}


def _invalid(message: str) -> ServingError:
    return ServingError("INVALID_ARGUMENT", message)
