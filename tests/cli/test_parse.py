"""`lang2program parse` shows what a parser understood."""

from __future__ import annotations

import json

import pytest

from lang2program_tf.cli.main import main
from tests.serving import parsers


@pytest.fixture(scope="module")
def example():
    return next(e for e in parsers.examples("scene") if len(e.utterances) == 2)


@pytest.fixture
def loaded_export(export_dir, exported_model, monkeypatch):
    """The folder of an export that the command finds loaded."""
    monkeypatch.setattr("lang2program_tf.serving.model.Model", lambda path: exported_model)
    return export_dir


def parse(loaded_export, example, *options):
    source = ["--export", str(loaded_export), "--world", example.world]
    return main(["parse", *source, *options, *example.utterances])


def test_it_draws_worlds_and_shows_programs_and_attention(loaded_export, example, capsys):
    assert parse(loaded_export, example) == 0
    out = capsys.readouterr().out
    first, second = example.utterances
    assert out.startswith(f"{example.world}\n")
    assert f"1. {first}\n   " in out and f"2. {second}\n   " in out
    assert out.count("─────") == 30  # three stages of ten places
    programs = out.split("programs:\n")[1]
    shares = [float(line.split("%")[0]) for line in programs.split("\n")[:3]]
    assert shares == sorted(shares, reverse=True)
    tables = out.split("attention")[1]
    for utterance in example.utterances:
        assert " ".join(utterance.lower().split()) in tables


def test_the_json_can_be_verified(loaded_export, example, capsys, tmp_path):
    assert parse(loaded_export, example, "--json") == 0
    out = capsys.readouterr().out
    answer = json.loads(out)
    assert answer["request"]["world"] == example.world
    assert len(answer["program"]) == len(answer["infix"]) == len(answer["log_prob"]) == 3
    (tmp_path / "answer.json").write_text(out)
    assert main(["verify", str(tmp_path / "answer.json")]) == 0
    assert capsys.readouterr().out == "row 1: 3 programs lead to their worlds\n"


def test_it_shows_how_words_were_read_and_which_are_unknown(loaded_export, example, capsys):
    typed = example._replace(utterances=("The man in yelow leaves.", "he xyzzyx back"))
    parse(loaded_export, typed)
    out = capsys.readouterr().out
    assert "1. The man in yelow leaves.\n   (read as: the man in yellow leaves)\n" in out
    assert "2. he xyzzyx back\n   (unknown words: xyzzyx)\n" in out
    parse(loaded_export, typed, "--json")
    answer = json.loads(capsys.readouterr().out)
    assert answer["read_as"] == ["the man in yellow leaves", "he xyzzyx back"]
    assert answer["unknown_words"] == [[], ["xyzzyx"]]


def test_a_request_without_a_program_exits_1_and_says_why(loaded_export, capsys):
    assert main(["parse", "--export", str(loaded_export), "--world", "1:x", "he leaves"]) == 1
    assert capsys.readouterr().out.startswith("no program: the world is not in the notation")


@pytest.mark.parametrize("protocol", ["grpc", "http"])
def test_a_server_can_be_asked(exported_model, example, protocol, capsys):
    pytest.importorskip("aiohttp")  # of the extra `serve`, which needs Python 3.10
    from lang2program_tf.server.served_model import ServedModel
    from lang2program_tf.server.server import Server

    with Server([ServedModel("scene", exported_model)]) as server:
        port = server.grpc_port if protocol == "grpc" else server.rest_port
        url = f"{protocol}://127.0.0.1:{port}"
        source = ["--server", url, "--model", "scene", "--world", example.world]
        assert main(["parse", *source, *example.utterances]) == 0
        assert "programs:" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--export", "nonesuch"], "there is no exported model in nonesuch"),
        (["--server", "http://127.0.0.1:9"], "--server needs --model"),
        (["--server", "nonsense", "--model", "scene"], "url='nonsense' is not like"),
        (["--server", "http://127.0.0.1:9", "--model", "scene"], "UNAVAILABLE"),
        ([], "one of the arguments --export --server is required"),
    ],
)
def test_mistakes_are_told_in_one_line(arguments, message, capsys):
    assert main(["parse", *arguments, "--world", "1:x", "he leaves"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("error: ") and message in err and err.count("\n") == 1
