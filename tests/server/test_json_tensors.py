"""JSON as TF Serving reads and writes it."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from lang2program_tf.server.json_tensors import read_request, to_answer, to_arrays
from lang2program_tf.serving.transport import ServingError

NAMES = ["utterances", "world"]


def arrays(value, names=NAMES):
    return to_arrays(read_request(json.dumps(value).encode()), names)


@pytest.mark.parametrize(
    "value",
    [
        {
            "instances": [
                {"world": "a", "utterances": ["x", "y"]},
                {"utterances": ["z", ""], "world": "b"},
            ]
        },
        {"inputs": {"world": ["a", "b"], "utterances": [["x", "y"], ["z", ""]]}},
        {"inputs": {"world": ["a", {"b64": "Yg=="}], "utterances": [["x", "y"], ["z", ""]]}},
    ],
)
def test_rows_and_columns_mean_the_same(value):
    found = arrays(value)
    assert found["world"].tolist() == [b"a", b"b"]
    assert found["utterances"].tolist() == [[b"x", b"y"], [b"z", b""]]


def test_a_lone_input_needs_no_name():
    for value in (
        {"instances": ["a", "b"]},
        {"inputs": ["a", "b"]},
        {"inputs": {"world": ["a", "b"]}},
    ):
        assert arrays(value, ["world"])["world"].tolist() == [b"a", b"b"]


def test_empty_lists_have_shapes():
    found = arrays({"inputs": {"world": [], "utterances": [[], []]}})
    assert (found["world"].shape, found["utterances"].shape) == ((0,), (2, 0))


def test_any_character_and_any_byte_can_be_sent():
    text = "é\0\ud800"
    found = arrays({"inputs": {"world": [text, {"b64": "/w=="}], "utterances": [["a"], ["b"]]}})
    assert found["world"].tolist() == [text.encode("utf-8", "surrogatepass"), b"\xff"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "JSON Parse error"),
        (b"\xff", "JSON Parse error"),
        (b"[" * 100_000, "JSON Parse error"),
        (b"[]", "is not object"),
        (b'{"signature_name": 3, "inputs": {}}', "signature_name"),
        (b"{}", "exactly one of 'inputs' or 'instances'"),
        (b'{"inputs": [], "instances": []}', "exactly one of 'inputs' or 'instances'"),
        (b'{"instances": []}', "at least one element"),
        (b'{"instances": {}}', "must be a list"),
        (b'{"instances": [1]}', "element: 0 of 'instances' list"),
        (b'{"instances": [{"world": "a"}]}', "keys must be equal to: utterances,world"),
        (b'{"inputs": ["a"]}', "'inputs' must be an object with the keys utterances,world"),
        (b'{"inputs": {"world": [1], "utterances": [["a"]]}}', "int is not a string"),
        (b'{"inputs": {"world": [null], "utterances": [["a"]]}}', "NoneType is not a string"),
        (b'{"inputs": {"world": ["a"], "utterances": [["a"], []]}}', "the same size"),
        (b'{"inputs": {"world": ["a"], "utterances": ["a", ["b"]]}}', "list is not a string"),
        (b'{"inputs": {"world": [{"b64": "?"}], "utterances": [["a"]]}}', "base64"),
    ],
)
def test_what_is_no_request_is_refused(body, message):
    with pytest.raises(ServingError, match=message) as caught:
        to_arrays(read_request(body), NAMES)
    assert caught.value.code == "INVALID_ARGUMENT"


json_values = some.recursive(
    some.none() | some.booleans() | some.floats() | some.text(max_size=3),
    lambda inner: (
        some.lists(inner, max_size=3)
        | some.dictionaries(some.sampled_from(["world", "utterances", "b64", "x"]), inner)
    ),
    max_leaves=8,
)


@given(some.sampled_from(["inputs", "instances"]), json_values)
def test_any_json_is_read_or_refused(key, value):
    try:
        found = arrays({key: value})
    except ServingError as error:
        assert error.code == "INVALID_ARGUMENT"
    else:
        assert set(found) == set(NAMES)


def test_answers_are_by_columns_or_by_rows():
    outputs = {
        "program": np.array([[b"a", b""], [b"\xc3\xa9", b""]], object),
        "log_prob": np.array([[-1, -2], [-3, -4]], np.float32),
        "allowed": np.array([True, False]),
    }
    columns = {
        "program": [["a", ""], ["é", ""]],
        "log_prob": [[-1.0, -2.0], [-3.0, -4.0]],
        "allowed": [True, False],
    }
    assert to_answer(outputs, by_rows=False) == {"outputs": columns}
    assert to_answer(outputs, by_rows=True) == {
        "predictions": [
            {"program": ["a", ""], "log_prob": [-1.0, -2.0], "allowed": True},
            {"program": ["é", ""], "log_prob": [-3.0, -4.0], "allowed": False},
        ]
    }
