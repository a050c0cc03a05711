"""HTTP as attackers and bad networks speak it: every request is answered, refused or cut off."""

from __future__ import annotations

import http.client
import json
import logging
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from lang2program_tf.errors import UserError
from lang2program_tf.server.limits import ServerLimits
from lang2program_tf.server.served_model import ServedModel
from lang2program_tf.server.server import Server
from tests.server.fake_models import EchoModel, SlowModel

LIMITS = ServerLimits(max_request_bytes=20_000, timeout=1.0, max_connections=20)
PREDICT = "/v1/models/scene:predict"
BODY = b'{"inputs": ["a"]}'
CHUNKED = b"11\r\n" + BODY + b"\r\n0\r\n\r\n"
STATUS = b"GET /v1/models/scene HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.fixture(scope="module")
def server():
    with Server([ServedModel("scene", EchoModel())], limits=LIMITS) as running:
        yield running


def connect(server):
    return socket.create_connection(("127.0.0.1", server.rest_port), timeout=10)


def exchange(server, *parts, pause=0.0):
    """Sends bytes, and reads until the server closes the connection."""
    with connect(server) as connection:
        received = b""
        try:
            for part in parts:
                connection.sendall(part)
                time.sleep(pause)
            while chunk := connection.recv(65536):
                received += chunk
        except ConnectionError:
            pass
    return received


def post(server, body, path=PREDICT, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.rest_port, timeout=10)
    try:
        connection.request("POST", path, body, headers)
        response = connection.getresponse()
        return response, json.loads(response.read())
    finally:
        connection.close()


def request(*headers, method=b"POST", body=BODY):
    lines = [b"%s %s HTTP/1.1" % (method, PREDICT.encode()), b"Host: x", *headers, b"", b""]
    return b"\r\n".join(lines) + body


@pytest.mark.parametrize(
    "sent",
    [
        request(b"Content-Length: 17", b"Content-Length: 17"),
        request(b"Content-Length: 17", b"Content-Length: 5"),
        request(b"Content-Length: 17", b"Transfer-Encoding: chunked", body=b"0\r\n\r\n"),
        request(b"Transfer-Encoding: chunked", b"Content-Length: 17", body=b"0\r\n\r\n"),
        request(b"Transfer-Encoding: xchunked", body=b"0\r\n\r\n"),
        request(b"Content-Length: " + b"9" * 5000),
        request(b"Content-Length: -5"),
        request(b"Content-Length: +17"),
        request(b"Content-Length: 0x11"),
        request(b"Content-Length : 17"),
        request(b"Transfer-Encoding: chunked", body=b"zz\r\n{}\r\n0\r\n\r\n"),
        request(b"Content-Length: 17", method=b"GET"),
        request(b"Transfer-Encoding: chunked", method=b"GET", body=CHUNKED),
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 1000 + b"\r\n",
        b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03",
        b"junk\r\n\r\n",
    ],
)
def test_framing_that_can_be_read_in_two_ways_is_refused_once(server, sent):
    # A second request hides behind the first: whoever reads the framing wrong answers it.
    received = exchange(
        server, sent + b"GET /smuggled HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    )
    status, _, rest = received.partition(b" Bad Request\r\n")
    assert status in (b"HTTP/1.0 400", b"HTTP/1.1 400"), received[:200]
    assert b'{"error": ' in rest.split(b"\r\n\r\n")[1]
    assert b"X-Request-Id: " in rest
    assert b"HTTP/1." not in rest


def test_a_body_in_chunks_is_read(server):
    sent = request(
        b"Transfer-Encoding: chunked",
        b"Connection: close",
        body=CHUNKED,
    )
    assert b'"outputs"' in exchange(server, sent)


def test_a_client_that_goes_away_within_its_body_is_nobodys_fault(server, caplog):
    with connect(server) as connection:
        connection.sendall(request(b"Content-Length: 1700"))
    time.sleep(0.1)
    (line,) = [record.getMessage() for record in caplog.records]
    assert line.endswith("CANCELLED: the client went away")
    assert post(server, BODY)[0].status == 200


def test_a_client_that_asks_before_it_sends_is_told_to_go_on(server):
    with connect(server) as connection:
        connection.sendall(request(b"Expect: 100-continue", b"Content-Length: 17", body=b""))
        assert connection.recv(1000) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(BODY)
        assert connection.recv(1000).startswith(b"HTTP/1.1 200 OK")


def test_requests_one_behind_the_other_are_answered_in_order(server):
    both = request(b"Content-Length: 17") + request(
        b"Content-Length: 17", b"Connection: close", body=b'{"inputs": ["b"]}'
    )
    received = exchange(server, both)
    assert received.index(b'["a"]') < received.index(b'["b"]')


def seconds_of_dripping(server, beginning):
    """How long a client may send a letter now and then."""
    started = time.monotonic()
    with connect(server) as connection:
        connection.sendall(beginning)
        connection.settimeout(0.1)
        while time.monotonic() - started < 8:
            try:
                if not connection.recv(1000):
                    break
            except socket.timeout:
                try:
                    connection.sendall(b"a" if beginning else b"")
                except ConnectionError:
                    break
            except ConnectionError:
                break
    return time.monotonic() - started


def test_clients_that_drip_are_cut_off_in_time(server):
    post_line, header = b"POST /", b"POST / HTTP/1.1\r\nHost: x\r\nA: "
    beginnings = [b"", post_line, header, request(b"Content-Length: 1700")]
    with ThreadPoolExecutor(len(beginnings)) as clients:  # at once, since they do little but wait
        found = list(
            clients.map(lambda beginning: seconds_of_dripping(server, beginning), beginnings)
        )
    for beginning, seconds in zip(beginnings, found):
        assert 0.9 < seconds < 1.8, beginning


def test_a_client_that_does_not_take_its_answer_is_cut_off(server, caplog):
    row = "x" * 4000
    with connect(server) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        body = json.dumps({"inputs": [row] * 4}).encode()
        head = request(b"Content-Length: %d" % len(body), body=body)
        received = 0
        try:
            for _ in range(200):  # answers of 50 kB each
                connection.sendall(head)
        except OSError:
            pass
        time.sleep(2.5)
        try:
            while chunk := connection.recv(65536):
                received += len(chunk)
        except OSError:
            pass
    assert received < 200 * 48_000
    told = [record.getMessage() for record in caplog.records]
    assert [line.partition("predict ")[2] for line in told] == [
        "DEADLINE_EXCEEDED: the client does not take its answer"
    ]


def test_a_connection_that_is_kept_open_is_used_again(server):
    connection = http.client.HTTPConnection("127.0.0.1", server.rest_port, timeout=10)
    for _ in range(3):
        connection.request("POST", PREDICT, BODY)
        response = connection.getresponse()
        assert (response.status, response.will_close) == (200, False)
        response.read()
    connection.close()


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"[" * 900 + b"]" * 900, 400),
        (b'{"inputs": ' + b"[" * 900 + b'"a"' + b"]" * 900 + b"}", 400),
        (b'{"inputs": ' + b"[" * 9000 + b"]" * 9000 + b"}", 400),
        (b'{"inputs": [' + b"9" * 6000 + b"]}", 400),
        (b'{"inputs": ["' + b"x" * 20_000 + b'"]}', 413),
        (b'{"inputs": ["\\ud800"]}', 200),
        (b"\xff\xfe", 400),
    ],
)
def test_no_body_makes_the_server_close_without_an_answer(server, body, status):
    response, answer = post(server, body)
    assert response.status == status
    assert ("error" in answer) == (status != 200)


def test_a_compressed_body_is_refused(server):
    response, answer = post(server, BODY, **{"Content-Encoding": "gzip"})
    assert (response.status, answer["error"]) == (400, "a Content-Encoding is not supported")


def test_an_unexpected_exception_is_answered_and_logged_in_one_line(server, caplog):
    with caplog.at_level(logging.WARNING, "lang2program.server"):
        response, answer = post(server, b'{"inputs": ["bug"]}', **{"X-Request-Id": "mine-1"})
    assert response.status == 500
    assert answer == {"error": "internal error; the server's log has it as mine-1"}
    assert response.getheader("X-Request-Id") == "mine-1"
    (line,) = [record.getMessage() for record in caplog.records]
    assert line.startswith(
        "id=mine-1 rest 127.0.0.1 POST /v1/models/scene:predict INTERNAL: KeyError"
    )
    assert "\n" not in line and "fake_models.py" in line


def test_what_a_client_sends_cannot_forge_a_line_of_the_log(server, caplog):
    with caplog.at_level(logging.WARNING, "lang2program.server"):
        response, _ = post(server, BODY, path="/x%0Aid=forged", **{"X-Request-Id": "a b"})
        exchange(server, b"GET /\x1b[2J\x0b HTTP/1.1\r\n\r\n")
    assert response.getheader("X-Request-Id") != "a b"
    assert all(record.getMessage().isprintable() for record in caplog.records)
    assert len(caplog.records) == 2


def test_connections_above_the_limit_are_told_to_come_back(server):
    idle = [connect(server) for _ in range(LIMITS.max_connections)]
    try:
        time.sleep(0.1)
        received = exchange(server, STATUS)
        assert received.startswith(b"HTTP/1.1 503 ")
        assert b"Retry-After: 1\r\n" in received
    finally:
        for connection in idle:
            connection.close()
    time.sleep(0.1)
    assert post(server, BODY)[0].status == 200


def test_after_the_end_connections_are_refused_and_what_is_under_way_is_answered():
    model = SlowModel()
    server = Server([ServedModel("scene", model)], limits=LIMITS)
    results = []
    asking = threading.Thread(target=lambda: results.append(post(server, BODY)))
    asking.start()
    assert model.began.acquire(timeout=10)
    with connect(server) as idle:
        time.sleep(0.1)  # until the server has it
        stopping = threading.Thread(target=server.stop)
        stopping.start()
        assert idle.recv(10) == b""
        with pytest.raises(ConnectionRefusedError):
            connect(server)
    model.may_end.set()
    for thread in (asking, stopping):
        thread.join(10)
    response, answer = results[0]
    assert answer == {"outputs": {"echo": ["a"], "twice": [["a", "a"]]}}
    assert response.getheader("Connection") == "close"


def test_addresses_of_ipv6_are_served():
    model = ServedModel("scene", EchoModel())
    try:
        server = Server([model], host="::1")
    except UserError:
        pytest.skip("no IPv6 here")
    with server, socket.create_connection(("::1", server.rest_port), timeout=10) as connection:
        connection.sendall(STATUS)
        assert connection.recv(100).startswith(b"HTTP/1.1 200 ")


def test_health_and_metrics_are_told(server):
    post(server, BODY)
    connection = http.client.HTTPConnection("127.0.0.1", server.rest_port, timeout=10)
    connection.request("GET", "/healthz")
    assert connection.getresponse().read() == b"ok\n"
    connection.request("GET", "/monitoring/prometheus/metrics")
    text = connection.getresponse().read().decode()
    connection.close()
    labels = 'entrypoint="REST",model_name="scene"'
    assert f':tensorflow:serving:request_count_total{{{labels},status="OK"}}' in text
    assert f":tensorflow:serving:request_latency_count{{{labels}}}" in text
    assert "lang2program_batch_rows_count" in text
    assert "lang2program_waiting_rows 0.0" in text


def test_every_request_is_logged_on_request(caplog):
    model = ServedModel("scene", EchoModel())
    caplog.set_level(logging.INFO, "lang2program.server")
    with Server([model], limits=LIMITS, access_log=True) as server:
        post(server, BODY, **{"X-Request-Id": "mine-2"})
    (line,) = [record.getMessage() for record in caplog.records]
    assert line.startswith("id=mine-2 rest 127.0.0.1 POST /v1/models/scene:predict 200 ")
