"""The server and the client, over real sockets and both protocols."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from contextlib import closing

import grpc
import numpy as np
import pytest
import tensorflow as tf
from tensorflow.core.framework import tensor_pb2
from tensorflow_serving.apis import (
    classification_pb2,
    get_model_metadata_pb2,
    get_model_status_pb2,
    model_service_pb2_grpc,
    predict_pb2,
    prediction_service_pb2_grpc,
)

from lang2program_tf.errors import UserError
from lang2program_tf.language import get_domain
from lang2program_tf.server.limits import ServerLimits
from lang2program_tf.server.served_model import ServedModel
from lang2program_tf.server.server import Server
from lang2program_tf.serving import Client, ParseRequest, Retries, ServingError, connect
from lang2program_tf.serving.grpc_transport import GrpcTransport
from lang2program_tf.serving.model import LocalTransport, Model
from lang2program_tf.serving.warmup import predict_request
from tests.server.fake_models import SlowModel
from tests.serving import parsers

WORLD = get_domain("scene").example
LIMITS = ServerLimits(max_request_bytes=200_000, max_rows=100, max_columns=16, timeout=20)


@pytest.fixture(scope="module")
def server(exported_model):
    with Server([ServedModel("scene", exported_model)], limits=LIMITS) as running:
        yield running


@pytest.fixture(params=["grpc", "http"])
def url(request, server):
    port = server.grpc_port if request.param == "grpc" else server.rest_port
    return f"{request.param}://127.0.0.1:{port}"


@pytest.fixture
def client(url):
    with connect(url, model="scene", timeout=20, verify_answers=True) as connected:
        yield connected


@pytest.fixture(scope="module")
def local(exported_model):
    return Client(LocalTransport(exported_model))


def questions():
    found = [e for e in parsers.examples("scene") if len(e.utterances) < 4][:12]
    return [ParseRequest(e.world, e.utterances) for e in found]


def test_answers_over_the_wire_are_those_of_the_model(client, local):
    for answer, expected in zip(client.parse_many(questions()), local.parse_many(questions())):
        assert [a[:2] for a in answer.alternatives] == [a[:2] for a in expected.alternatives]
        assert (answer.worlds, answer.error) == (expected.worlds, expected.error)
        for one, other in zip(answer.alternatives, expected.alternatives):
            assert one.log_prob == pytest.approx(other.log_prob, abs=1e-5)


def test_a_bad_question_gets_its_error_and_no_other_does(client):
    good = questions()[0]
    answers = client.parse_many([good, ParseRequest("nonsense", ("x",)), good])
    assert answers[1].error.startswith("the world is not in the notation of scene")
    assert answers[0].best == answers[2].best
    assert answers[0].best


def test_scores_and_metadata_come_over_the_wire(client):
    assert client.metadata().domain == "scene"
    assert client.metadata().settings["beam_size"] == 12
    first, second, bad = client.score_many(WORLD, ["The man leaves"], ["", "red hasShirt", "leave"])
    assert [word for word, _ in first.attention] == ["the", "man", "leaves"]
    assert sum(weight for _, weight in second.attention) == pytest.approx(1, abs=1e-5)
    assert sum(np.exp(first.log_probs)) == pytest.approx(1, abs=1e-4)
    assert second.allowed[client.metadata().tokens.index("leave")]
    assert bad.error and not any(bad.allowed)


def test_many_clients_at_a_time_are_answered(url, local):
    expected = [answer.best for answer in local.parse_many(questions())]
    failures = []

    def ask():
        with connect(url, model="scene", batch_size=3, timeout=60) as connected:
            found = [answer.best for answer in connected.parse_many(questions())]
        if [best and best[:2] for best in found] != [best and best[:2] for best in expected]:
            failures.append(found)

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


@pytest.mark.parametrize(
    ("model_name", "version", "code"),
    [("pond", None, "NOT_FOUND"), ("scene", 2, "NOT_FOUND"), ("scene", 1, None)],
)
def test_models_that_are_not_there_are_not_found(url, model_name, version, code):
    with connect(url, model=model_name, version=version) as connected:
        if code is None:
            assert connected.parse(WORLD, ["he leaves"])
        else:
            with pytest.raises(ServingError) as caught:
                connected.parse(WORLD, ["he leaves"])
            assert caught.value.code == code


def test_too_many_rows_or_columns_are_refused(url):
    with connect(url, model="scene", timeout=20, batch_size=1000) as client:
        with pytest.raises(ServingError, match="INVALID_ARGUMENT.*is larger than \\[100, 16\\]"):
            client.parse_many([ParseRequest(WORLD, ("x",))] * 101)
        with pytest.raises(ServingError, match="INVALID_ARGUMENT.*is larger than"):
            client.parse(WORLD, ["x"] * 17)


def test_a_request_of_too_many_bytes_is_refused(client):
    with pytest.raises(ServingError) as caught:
        client.parse(WORLD, ["x" * 300_000])
    assert caught.value.code == "RESOURCE_EXHAUSTED"
    assert client.parse(WORLD, ["he leaves"])


def rest(server, method, path, body=None, headers=None):
    connection = http.client.HTTPConnection("127.0.0.1", server.rest_port, timeout=20)
    try:
        connection.request(method, path, body, headers or {})
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


def test_rest_answers_by_rows(server, exported_model):
    row = {"world": WORLD, "utterances": ["he leaves"]}
    body = json.dumps({"instances": [row, row]})
    status, answer = rest(server, "POST", "/v1/models/scene:predict", body)
    assert status == 200
    assert len(answer["predictions"]) == 2
    assert set(answer["predictions"][0]) == set(exported_model.signature("").outputs)


def test_rest_tells_status_and_metadata(server):
    status, answer = rest(server, "GET", "/v1/models/scene")
    assert (status, answer) == (
        200,
        {
            "model_version_status": [
                {
                    "version": "1",
                    "state": "AVAILABLE",
                    "status": {"error_code": "OK", "error_message": ""},
                }
            ]
        },
    )
    status, answer = rest(server, "GET", "/v1/models/scene/versions/1/metadata")
    assert status == 200
    assert answer["model_spec"]["version"] == "1"
    signatures = answer["metadata"]["signature_def"]["signature_def"]
    assert set(signatures) == {"serving_default", "parse", "score", "metadata"}
    assert signatures["parse"]["inputs"]["world"]["dtype"] == "DT_STRING"


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/nonesuch", None, 400),
        ("GET", "/v1/models/pond", None, 404),
        ("GET", "/v1/models/scene/versions/9", None, 404),
        ("GET", "/v1/models/scene:predict", None, 400),
        ("POST", "/v1/models/scene", "{}", 400),
        ("POST", "/v1/models/scene:predict", "", 400),
        ("POST", "/v1/models/scene:predict", "{", 400),
        ("POST", "/v1/models/scene:predict", '{"instances": [1]}', 400),
        ("POST", "/v1/models/scene:predict", '{"inputs": {"world": "a", "utterances": "b"}}', 400),
        ("POST", "/v1/models/scene:predict", '{"signature_name": "x", "inputs": {}}', 400),
        ("POST", "/v1/models/scene:classify", "{}", 501),
        ("PUT", "/v1/models/scene:predict", "{}", 400),
    ],
)
def test_rest_refuses_with_the_status_of_tf_serving(server, method, path, body, status):
    connection = http.client.HTTPConnection("127.0.0.1", server.rest_port, timeout=20)
    connection.request(method, path, body)
    response = connection.getresponse()
    assert response.status == status
    content = response.read()
    connection.close()
    assert json.loads(content)["error"]


def test_rest_survives_clients_that_go_away(server):
    for payload in (b"", b"junk\r\n\r\n", b"POST /v1/models/scene:predict HTTP/1.1\r\nContent-Le"):
        with socket.create_connection(("127.0.0.1", server.rest_port)) as connection:
            connection.sendall(payload)
    assert rest(server, "GET", "/v1/models/scene")[0] == 200


@pytest.fixture
def channel(server):
    with grpc.insecure_channel(f"127.0.0.1:{server.grpc_port}") as opened:
        yield opened


def test_grpc_tells_status_and_metadata(channel):
    models = model_service_pb2_grpc.ModelServiceStub(channel)
    request = get_model_status_pb2.GetModelStatusRequest()
    request.model_spec.name = "scene"
    (status,) = models.GetModelStatus(request, timeout=20).model_version_status
    assert (status.version, status.state) == (1, 30)  # AVAILABLE
    stub = prediction_service_pb2_grpc.PredictionServiceStub(channel)
    asked = get_model_metadata_pb2.GetModelMetadataRequest(metadata_field=["signature_def"])
    asked.model_spec.name = "scene"
    signatures = get_model_metadata_pb2.SignatureDefMap()
    stub.GetModelMetadata(asked, timeout=20).metadata["signature_def"].Unpack(signatures)
    assert "score" in signatures.signature_def


def test_grpc_gives_the_outputs_that_are_asked_for(channel):
    stub = prediction_service_pb2_grpc.PredictionServiceStub(channel)
    inputs = {"world": [WORLD], "utterances": [["he leaves"]]}
    request = predict_request("scene", "", inputs)
    request.output_filter.append("error")
    response = stub.Predict(request, timeout=20)
    assert list(response.outputs) == ["error"]
    assert response.model_spec.version.value == 1
    request.output_filter.append("nonesuch")
    with pytest.raises(grpc.RpcError) as caught:
        stub.Predict(request, timeout=20)
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT


def broken_requests():
    good = predict_request("scene", "", {"world": [WORLD], "utterances": [["he leaves"]]})

    def changed(change):
        request = predict_pb2.PredictRequest()
        request.CopyFrom(good)
        change(request)
        return request

    def claim(*sizes):
        def change(request):
            shape = request.inputs["world"].tensor_shape
            del shape.dim[:]
            for size in sizes:
                shape.dim.add(size=size)

        return change

    def replace(**fields):
        return lambda r: r.inputs["world"].CopyFrom(tensor_pb2.TensorProto(**fields))

    return {
        "no model": changed(lambda r: r.ClearField("model_spec")),
        "no inputs": changed(lambda r: r.ClearField("inputs")),
        "unknown signature": changed(lambda r: setattr(r.model_spec, "signature_name", "x")),
        "unknown label": changed(lambda r: setattr(r.model_spec, "version_label", "x")),
        "one input too many": changed(lambda r: r.inputs["x"].CopyFrom(r.inputs["world"])),
        "a number": changed(lambda r: r.inputs["world"].CopyFrom(tf.make_tensor_proto([1]))),
        "a scalar": changed(claim()),
        "a billion rows": changed(claim(10**9)),
        "a billion billion rows": changed(claim(10**9, 10**9)),
        "less than no rows": changed(claim(-1)),
        "many dimensions": changed(claim(*[1] * 200)),
        "more rows than utterances": changed(claim(3)),
        "nothing": changed(replace()),
        "an unknown type": changed(replace(dtype=200)),
        "no values": changed(lambda r: r.inputs["world"].ClearField("string_val")),
        "raw bytes": changed(lambda r: setattr(r.inputs["world"], "tensor_content", b"x" * 64)),
    }


@pytest.mark.parametrize("name", broken_requests())
def test_grpc_refuses_a_broken_request(channel, name):
    stub = prediction_service_pb2_grpc.PredictionServiceStub(channel)
    with pytest.raises(grpc.RpcError) as caught:
        stub.Predict(broken_requests()[name], timeout=20)
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT


def test_grpc_refuses_what_is_no_message_and_logs_one_line(channel, caplog):
    call = channel.unary_unary("/tensorflow.serving.PredictionService/Predict")
    with pytest.raises(grpc.RpcError) as caught:
        call(b"\xff\xff junk", timeout=20)
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert caught.value.details() == "the message cannot be read"
    names = dict(caught.value.trailing_metadata())
    (line,) = [record.getMessage() for record in caplog.records]
    assert line.startswith(f"id={names['x-request-id']} grpc Predict ipv4:127.0.0.1:")


def test_grpc_says_what_it_does_not_offer(channel):
    stub = prediction_service_pb2_grpc.PredictionServiceStub(channel)
    with pytest.raises(grpc.RpcError) as caught:
        stub.Classify(classification_pb2.ClassificationRequest(), timeout=20)
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED


def test_stopping_lets_requests_under_way_end():
    model = SlowModel()
    server = Server([ServedModel("scene", model)], limits=ServerLimits(max_batch_rows=1))
    results = []

    def call():
        address = f"127.0.0.1:{server.grpc_port}"
        with closing(GrpcTransport(address, model="scene")) as transport:
            results.append(transport.predict("", {"world": ["x"]}, timeout=20))

    threads = [threading.Thread(target=call) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in threads:
        assert model.began.acquire(timeout=20)
    threading.Timer(0.2, model.may_end.set).start()
    server.stop()
    for thread in threads:
        thread.join()
    assert [found["echo"] for found in results] == [["x"]] * 2
    with pytest.raises(ServingError, match="UNAVAILABLE"):
        connect(
            f"http://127.0.0.1:{server.rest_port}", model="scene", retries=Retries(attempts=1)
        ).metadata()


def test_a_port_that_is_taken_is_named(server, exported_model):
    with pytest.raises(UserError, match=f"ports {server.grpc_port} and 0"):
        Server([ServedModel("scene", exported_model)], grpc_port=server.grpc_port)
    with pytest.raises(UserError, match=f"ports 0 and {server.rest_port}"):
        Server([ServedModel("scene", exported_model)], rest_port=server.rest_port)


def test_a_folder_that_is_no_export_is_named(tmp_path):
    with pytest.raises(UserError, match="no exported model in"):
        Model(tmp_path)
    (tmp_path / "saved_model.pb").write_bytes(b"junk")
    with pytest.raises(UserError, match="does not hold a sound export of a parser"):
        Model(tmp_path)


def test_the_warm_up_plays_all_requests_of_the_export(exported_model):
    assert exported_model.warm_up() == 18
