"""A served answer is checked by running its programs."""

from __future__ import annotations

import io
import json
import re

import pytest

from lang2program_tf.language import get_domain
from lang2program_tf.language.cli import main
from lang2program_tf.language.verify import (
    AnswerError,
    Request,
    answer_rows,
    request_rows,
    verify,
)

WORLD = "1:2 2:1 3:4"
PROGRAM = "allObjects 2 index remove 1 -1 prevArg1 add"
ROW = {
    "program": [PROGRAM, "allObjects 1 index remove allObjects 1 index remove", ""],
    "world": ["1:1 2:2 3:4", "1:4", ""],
    "worlds": ["1:2 2:4", "1:1 2:2 3:4", "", "", ""],
    "error": "",
}
REQUEST = {"world": WORLD, "utterances": ["delete the second", "put it first", ""]}


def problems(row, request=None):
    return verify(get_domain("tangrams"), request or Request(WORLD, 2), row).problems


def test_an_honest_answer_has_no_problem():
    verdict = verify(get_domain("tangrams"), Request(WORLD, 2), ROW)
    assert verdict == (2, ())


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"world": ["1:2 2:4", "1:4", ""]}, "it leads to '1:1 2:2 3:4', not to '1:2 2:4'"),
        ({"world": ["1:1 2:2 3:4", "1:9", ""]}, "program 2, .*position 1 holds '9'"),
        ({"worlds": ["1:2", "1:1 2:2 3:4", ""]}, "its commands lead to"),
        ({"worlds": ["1:2 2:4", "1:1 2:2 3:4", "1:4"]}, "its commands lead to"),
        ({"program": [f"1 {PROGRAM}", "", ""]}, "values are left on the stack"),
        ({"program": ["allObjects 1 index remove", "", ""]}, "it has 1 commands for 2 utterances"),
        ({"program": ["allObjects 5 index remove", "", ""]}, "there is no object 5"),
        ({"program": ["nonesuch", "", ""]}, "'nonesuch' is not a token of tangrams"),
    ],
)
def test_each_lie_is_found(change, problem):
    (found,) = problems({**ROW, **change})
    assert re.search(problem, found)


def test_an_empty_world_is_a_world():
    row = {"program": ["allObjects 1 index remove"], "world": [""], "worlds": ["", ""]}
    assert not problems(row, Request("1:3", 1))
    assert problems({**row, "world": ["1:3"]}, Request("1:3", 1))


def test_without_the_request_commands_are_not_counted():
    assert not problems(ROW, Request(WORLD))


def test_rows_are_found_in_every_form_of_an_answer():
    columns = {name: [value, value] for name, value in ROW.items()}
    assert answer_rows({"predictions": [ROW, ROW]}) == [ROW, ROW]
    assert answer_rows({"outputs": columns}) == [ROW, ROW]
    assert answer_rows(ROW) == [ROW]


def test_rows_are_found_in_every_form_of_a_request():
    expected = [Request(WORLD, 2)]
    columns = {name: [value] for name, value in REQUEST.items()}
    assert request_rows({"instances": [REQUEST]}) == expected
    assert request_rows({"inputs": columns}) == expected
    assert request_rows(REQUEST) == expected


@pytest.mark.parametrize(
    "answer",
    [
        None,
        3,
        "x",
        [1],
        {"predictions": 3},
        {"outputs": []},
        {"outputs": {"program": 3}},
        {"outputs": {"program": [["a"]], "world": []}},
        {},
        {"program": ["a"], "world": []},
        {"program": [1], "world": ["1:1"]},
    ],
)
def test_what_is_no_answer_is_refused(answer):
    with pytest.raises(AnswerError):
        for row in answer_rows(answer):
            problems(row)


@pytest.fixture
def files(tmp_path):
    def write(name, value):
        path = tmp_path / name
        path.write_text(value if isinstance(value, str) else json.dumps(value))
        return str(path)

    return write


def test_the_command_praises_an_honest_answer(files, capsys):
    answer = files("answer.json", {"predictions": [ROW, {**ROW, "program": [""], "world": [""]}]})
    request = files("request.json", {"instances": [REQUEST, REQUEST]})
    assert main(["verify", "--domain", "tangrams", "--request", request, answer]) == 0
    out = capsys.readouterr().out
    assert out == "row 1: 2 programs lead to their worlds\nrow 2: no program (and no error)\n"


def test_the_command_exits_1_for_a_lie(files, capsys):
    answer = files("answer.json", {**ROW, "world": ["1:2", "1:4", ""]})
    assert main(["verify", "--domain", "tangrams", "--world", WORLD, answer]) == 1
    assert "row 1: program 1, " in capsys.readouterr().out


def test_an_answer_that_repeats_its_request_is_enough(monkeypatch, capsys):
    answer = json.dumps({**ROW, "domain": "tangrams", "request": REQUEST})
    monkeypatch.setattr("sys.stdin", io.StringIO(answer))
    assert main(["verify", "-"]) == 0
    assert capsys.readouterr().out == "row 1: 2 programs lead to their worlds\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{}"], "the answer does not name its domain"),
        (["{}", "--domain", "scene"], "the answer does not repeat the request"),
        (["{}", "--domain", "pond", "--world", "x"], "there is no domain 'pond'"),
        (["{", "--domain", "scene"], "is not JSON"),
        (["[" * 100_000, "--domain", "scene"], "is not JSON"),
        ([None, "--domain", "scene"], "cannot read nonesuch.json"),
        (["{}", "--domain", "scene", "--request", "nonesuch.json"], "cannot read nonesuch.json"),
        (['{"predictions": []}', "--domain", "scene", "--world", "x"], "1 rows and the answer 0"),
    ],
)
def test_the_command_says_what_is_missing(files, arguments, message, capsys):
    content, *options = arguments
    path = "nonesuch.json" if content is None else files("answer.json", content)
    assert main(["verify", path, *options]) == 2
    err = capsys.readouterr().err
    assert err.startswith("error: ") and message in err and err.count("\n") == 1
