"""`lang2program chat` answers line after line."""

from __future__ import annotations

import io

import pytest

from lang2program_tf.cli.main import main
from tests.serving import parsers


@pytest.fixture
def loaded_export(export_dir, exported_model, monkeypatch):
    """The folder of an export that the command finds loaded."""
    monkeypatch.setattr("lang2program_tf.serving.model.Model", lambda path: exported_model)
    return export_dir


@pytest.fixture
def example():
    return next(e for e in parsers.examples("scene") if len(e.utterances) == 2)


def chat(loaded_export, monkeypatch, capsys, world, *lines):
    """What is printed for each line, after the greeting."""
    printed = []

    class Typed:
        """Lines from somebody who waits for each answer."""

        def isatty(self):
            return False

        def __iter__(self):
            printed.append(capsys.readouterr().out)
            for line in lines:
                yield f"{line}\n"
                printed.append(capsys.readouterr().out)

    monkeypatch.setattr("sys.stdin", Typed())
    code = main(["chat", "--export", str(loaded_export), *(["--world", world] if world else [])])
    printed.append(capsys.readouterr().out)
    return code, printed


def test_sentences_and_undo_change_the_world(loaded_export, example, monkeypatch, capsys):
    first, second = example.utterances
    code, out = chat(
        loaded_export, monkeypatch, capsys, example.world, first, second, "/undo", "/undo", "/undo"
    )
    assert code == 0
    worlds = [text.strip().split("\n")[-6] for text in out[:5]]
    assert worlds[0] == worlds[4] == example.world
    assert worlds[1] == worlds[3]
    assert all(text.count("─────") == 10 for text in out[:5])
    assert out[5] == "there is nothing to undo\n"


def test_more_shows_all_programs_and_the_attention(loaded_export, example, monkeypatch, capsys):
    _, out = chat(
        loaded_export, monkeypatch, capsys, example.world, "/more", example.utterances[0], "/more"
    )
    assert out[1] == "nothing has been said yet\n"
    assert out[3].count("%") > 3 and "attention of each token" in out[3]


def test_worlds_can_be_changed_and_mistakes_are_told(loaded_export, monkeypatch, capsys):
    lines = ("/world 1:x", "/world " + "1:r_" + "".join(f" {i}:__" for i in range(2, 11)), "/nope")
    code, out = chat(
        loaded_export, monkeypatch, capsys, None, *lines, "/help", "", "/quit", "he leaves"
    )
    assert "a world of scene has 10 positions" in out[1]
    assert out[2].startswith("1:r_ 2:__")
    assert out[3] == "there is no /nope; /help says what there is\n"
    assert "/undo" in out[4]
    assert (out[5], out[6], len(out), code) == ("", "", 7, 0)


def test_an_utterance_without_a_program_says_why(loaded_export, monkeypatch, capsys):
    _, out = chat(loaded_export, monkeypatch, capsys, None, "x" * 3000)
    assert out[1].startswith("no program: utterance 1 is longer than")


def test_it_reads_lines_that_are_piped_to_it(loaded_export, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("/world\n/quit\n"))
    assert main(["chat", "--export", str(loaded_export)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("This is scene. ") and out.count("─────") == 20


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--export", "nonesuch"], "there is no exported model in nonesuch"),
        (["--server", "http://127.0.0.1:9", "--model", "scene"], "UNAVAILABLE"),
        ([], "one of the arguments --export --server is required"),
    ],
)
def test_mistakes_are_told_in_one_line(arguments, message, capsys):
    assert main(["chat", *arguments]) == 2
    err = capsys.readouterr().err
    assert err.startswith("error: ") and message in err and err.count("\n") == 1
