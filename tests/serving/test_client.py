"""The client: when it asks again, how it groups questions, and what it believes."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from lang2program_tf.serving import (
    Client,
    ParseRequest,
    Retries,
    ServingError,
    VerificationError,
    connect,
)
from lang2program_tf.serving.answers import Alternative, ParseAnswer
from lang2program_tf.serving.client import check_answer
from tests.serving.fake_transport import FakeTransport, removes_the_first

WORLD = "1:2 2:1 3:4"


QUICK = Retries(attempts=3, first_delay=0.001)


def test_an_answer_has_types():
    answer = Client(FakeTransport()).parse(WORLD, ["remove the first"])
    assert answer.best == Alternative("allObjects 1 index remove", "1:1 2:4", -0.5, agreeing=1)
    assert answer.best.probability == pytest.approx(0.60653, rel=1e-4)
    assert answer.alternatives == (answer.best,)
    assert answer.worlds == ("1:1 2:4",)
    assert (answer.num_found, answer.error) == (1, "")


def test_an_answer_with_an_error_has_no_program():
    def refuse(inputs):
        return {
            "program": [[""]],
            "world": [[""]],
            "worlds": [["", "", ""]],
            "log_prob": [[-3e38]],
            "num_found": [0],
            "error": ["there is no utterance"],
        }

    answer = Client(FakeTransport(answer=refuse)).parse(WORLD, [])
    assert answer == ParseAnswer((), (), 0, "there is no utterance")
    assert answer.best is None


def test_transient_errors_are_retried():
    transport = FakeTransport("UNAVAILABLE", "UNAVAILABLE")
    assert Client(transport, retries=QUICK).parse(WORLD, ["x"]).best
    assert len(transport.asked) == 3
    assert transport.timeouts == sorted(transport.timeouts, reverse=True)


def test_attempts_come_to_an_end():
    transport = FakeTransport(*["UNAVAILABLE"] * 9)
    with pytest.raises(ServingError, match="UNAVAILABLE: as told"):
        Client(transport, retries=QUICK).parse(WORLD, ["x"])
    assert len(transport.asked) == 3


@pytest.mark.parametrize(
    "code", ["INVALID_ARGUMENT", "NOT_FOUND", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED", "INTERNAL"]
)
def test_other_errors_are_not_retried(code):
    transport = FakeTransport(code)
    with pytest.raises(ServingError) as caught:
        Client(transport, retries=QUICK).parse(WORLD, ["x"])
    assert caught.value.code == code
    assert len(transport.asked) == 1


def test_no_attempt_begins_after_the_time_is_up():
    transport = FakeTransport(*["UNAVAILABLE"] * 99)
    client = Client(transport, timeout=0.05, retries=Retries(attempts=99, first_delay=0.03))
    began = time.monotonic()
    with pytest.raises(ServingError):
        client.parse(WORLD, ["x"])
    assert time.monotonic() - began < 0.06
    assert 1 < len(transport.asked) < 4


def test_delays_grow_and_differ():
    retries = Retries(first_delay=1, max_delay=5)
    for attempt, longest in ((1, 1), (2, 2), (3, 4), (4, 5), (9, 5)):
        delays = {retries.delay(attempt) for _ in range(20)}
        assert len(delays) > 1
        assert all(longest / 2 <= delay <= longest for delay in delays)


def test_many_questions_become_few_requests():
    transport = FakeTransport()
    questions = [ParseRequest(f"1:{i % 5}", ("x",) * (1 + i % 2)) for i in range(10)]
    answers = Client(transport, batch_size=4).parse_many(questions)
    assert len(answers) == 10
    assert [len(asked["world"]) for asked in transport.asked] == [4, 4, 2]
    assert [world for asked in transport.asked for world in asked["world"]] == [
        question.world for question in questions
    ]


def test_all_requests_have_the_width_that_servers_can_merge():
    transport = FakeTransport()
    client = Client(transport, batch_size=1)
    client.parse_many([ParseRequest(WORLD, ("a",)), ParseRequest(WORLD, ("a", "b", "c"))])
    assert [asked["utterances"] for asked in transport.asked] == [
        [["a", "", ""]],
        [["a", "b", "c"]],
    ]


def test_too_many_utterances_reach_the_server_which_says_so():
    transport = FakeTransport()
    Client(transport).parse(WORLD, ["a"] * 5)
    assert transport.asked[0]["utterances"] == [["a"] * 5]


def test_requests_may_be_under_way_together_and_answers_keep_their_order():
    def echo(inputs):
        found = removes_the_first(inputs)
        return {**found, "error": list(inputs["world"])}

    transport = FakeTransport(answer=echo, delay=0.02)
    client = Client(transport, batch_size=1, concurrency=4)
    answers = client.parse_many([ParseRequest(str(i), ("x",)) for i in range(12)])
    assert [answer.error for answer in answers] == [str(i) for i in range(12)]
    assert 1 < transport.most_under_way <= 4


def test_no_question_is_no_request():
    transport = FakeTransport()
    assert Client(transport).parse_many([]) == []
    assert transport.asked == []


def test_a_lie_is_found_if_asked_to():
    def lie(inputs):
        return {**removes_the_first(inputs), "world": [["1:4 2:1", ""]]}

    assert Client(FakeTransport(answer=lie)).parse(WORLD, ["x"]).best
    with pytest.raises(VerificationError, match="it leads to '1:1 2:4', not to '1:4 2:1'"):
        Client(FakeTransport(answer=lie), verify_answers=True).parse(WORLD, ["x"])
    assert Client(FakeTransport(), verify_answers=True).parse(WORLD, ["x", ""]).best


def test_an_answer_to_an_unreadable_world_is_a_lie():
    answer = Client(FakeTransport()).parse("nonsense", ["x"])
    with pytest.raises(VerificationError, match="nonsense"):
        check_answer("tangrams", ParseRequest("nonsense", ("x",)), answer)


def test_metadata_is_asked_once_and_has_types():
    metadata = Client(FakeTransport()).metadata()
    assert (metadata.domain, metadata.step, metadata.tokens) == ("tangrams", 7, ("1", "2"))
    assert metadata.settings == {"max_utterances": 3, "beam_size": 4}


def test_a_client_closes_its_transport():
    transport = FakeTransport()
    with Client(transport):
        pass
    assert transport.closed


def test_a_server_that_is_not_there_is_unavailable():
    client = connect("http://127.0.0.1:9", model="scene", retries=QUICK, timeout=5)
    with pytest.raises(ServingError, match="UNAVAILABLE: http://127.0.0.1:9 does not answer"):
        client.parse(WORLD, ["x"])


@pytest.mark.parametrize("url", ["", "localhost:8501", "ftp://localhost", "http://"])
def test_an_address_that_is_none_is_named(url):
    with pytest.raises(ValueError, match="url="):
        connect(url, model="scene")


def test_importing_the_client_does_not_import_tensorflow():
    code = (
        "import sys; import lang2program_tf.serving;"
        "sys.exit(bool({'tensorflow', 'numpy', 'grpc'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0
