"""Nothing that is sent to the server kills it, hangs it, or spoils the next answer."""

from __future__ import annotations

import pytest

from lang2program_dev.benchmarks.malformed import MalformedRequests
from lang2program_tf.server.served_model import ServedModel
from lang2program_tf.server.server import Server
from lang2program_tf.serving import connect
from tests.serving import parsers


@pytest.fixture(scope="module")
def server(exported_model):
    with Server([ServedModel("scene", exported_model)]) as running:
        yield running


def test_malformed_requests_are_refused_or_answered_and_a_good_one_is_answered_after(server):
    example = parsers.examples("scene")[0]
    senders = MalformedRequests(
        "scene",
        grpc_target=f"127.0.0.1:{server.grpc_port}",
        rest_address=("127.0.0.1", server.rest_port),
        seed=5,
    )
    with connect(f"grpc://127.0.0.1:{server.grpc_port}", model="scene") as client:
        expected = client.parse(example.world, example.utterances)
        ways = senders.send(200)
        for _ in range(4):
            ways += senders.send(50)
            assert client.parse(example.world, example.utterances).best[:2] == expected.best[:2]
    senders.close()
    assert sum(ways.values()) == 400
    assert not {way for way in ways if "DEADLINE" in way or "UNAVAILABLE" in way}
    assert {"grpc INVALID_ARGUMENT", "grpc row errors", "rest 400", "rest 200"} <= set(ways)
