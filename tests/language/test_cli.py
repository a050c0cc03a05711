from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lang2program_tf
from lang2program_tf.cli import main as lang2program
from lang2program_tf.language import get_domain
from lang2program_tf.language.cli import main
from tests.language.examples import beakers, run, shown, stage
from tests.language.strategies import walks

ROOT = Path(lang2program_tf.__file__).parents[1]
WORLD = stage(_3="r_", _6="yo")
MOVE = "red hasShirt yellow hasShirt leftOf move"
SWAP = "-1 prevArg1 yellow hasShirt swapHats"


@pytest.fixture
def call(capsys):
    """Runs `run` with these options: the exit code, what it printed, and its errors."""

    def call(domain: str, world: str, program: str, *options: str) -> tuple[int, str, str]:
        arguments = ["--domain", domain, "--world", world, "--program", program]
        code = main(["run", *arguments, *options])
        return (code, *capsys.readouterr())

    return call


def test_run_shows_the_world_and_what_every_command_makes_of_it(call):
    code, out, err = call("scene", WORLD, f"{MOVE} {SWAP}", "--no-drawing")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        WORLD,
        "1. move(hasShirt(red), leftOf(hasShirt(yellow)))",
        stage(_5="r_", _6="yo"),
        "2. swapHats(prevArg1(-1), hasShirt(yellow))",
        stage(_5="ro", _6="y_"),
    ]


def test_run_draws_every_world(call):
    code, out, _ = call("tangrams", "1:1 2:4", "remove(index(allObjects, 1))")
    assert code == 0
    assert (
        out
        == r"""1:1 2:4
 ┌───┐   \---/
 │ 1 │    >4<
 └───┘   /---\
   1       2

1. remove(index(allObjects, 1))
1:4
 \---/
  >4<
 /---\
   1
"""
    )


def test_an_empty_world_is_shown_as_it_would_be_given(call):
    _, out, _ = call("tangrams", "1:1", "allObjects remove")
    assert out.endswith('1. remove(allObjects)\n""\n(an empty row)\n')


def test_values_left_on_the_stack_are_a_warning(call):
    code, out, _ = call("scene", WORLD, f"3 {MOVE} red hasShirt", "--no-drawing")
    assert code == 0
    assert out.splitlines()[-2:] == [
        "2. hasShirt(red) (no action yet)",
        "warning: the program is not complete, its stack still holds 3, [5:r_]",
    ]


def test_an_empty_program_shows_the_world(call):
    assert call("scene", WORLD, "", "--no-drawing") == (0, f"{WORLD}\n", "")


def test_original_names_are_shown_on_request_and_understood_always(call):
    assert call("scene", WORLD, "r PShirt ALeave", "--no-drawing")[1].splitlines()[1] == (
        "1. leave(hasShirt(red))"
    )
    _, out, _ = call("scene", WORLD, MOVE, "--no-drawing", "--original-names")
    assert out.splitlines()[1] == "1. AMove(PShirt(r), PLeft(PShirt(y)))"
    answer = json.loads(call("scene", WORLD, MOVE, "--json", "--original-names")[1])
    assert answer["program"] == ["r", "PShirt", "y", "PShirt", "PLeft", "AMove"]
    assert answer["infix"] == "AMove(PShirt(r), PLeft(PShirt(y)))"


def test_json_is_one_object_on_one_line(call):
    code, out, err = call("scene", WORLD, f"{MOVE} {SWAP}", "--json")
    assert (code, err, out.count("\n")) == (0, "", 1)
    moved, swapped = stage(_5="r_", _6="yo"), stage(_5="ro", _6="y_")
    move = "move(hasShirt(red), leftOf(hasShirt(yellow)))"
    swap = "swapHats(prevArg1(-1), hasShirt(yellow))"
    assert json.loads(out) == {
        "domain": "scene",
        "world": WORLD,
        "program": [*MOVE.split(), *SWAP.split()],
        "infix": f"{move}; {swap}",
        "commands": [
            {"tokens": MOVE.split(), "infix": move, "world": moved},
            {"tokens": SWAP.split(), "infix": swap, "world": swapped},
        ],
        "final_world": swapped,
        "complete": True,
        "stack": [],
    }


def test_json_of_a_program_that_is_not_complete(call):
    answer = json.loads(call("alchemy", beakers(_1="g"), "green hasColor 2", "--json")[1])
    assert answer["commands"] == []
    assert answer["complete"] is False
    assert answer["stack"] == ["[1:g]", "2"]
    assert answer["final_world"] == beakers(_1="g")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(walk=walks())
def test_json_agrees_with_the_executor(call, walk):
    program = " ".join(token.name for token in walk.tokens)
    answer = json.loads(call(walk.domain.name, str(walk.world), program, "--json")[1])
    state = run(walk.domain.name, str(walk.world), program)
    assert answer["program"] == program.split()
    assert answer["final_world"] == str(state.world)
    assert answer["stack"] == shown(state.stack)
    assert len(answer["commands"]) == state.utterance
    for number, command in enumerate(answer["commands"], start=1):
        after = next(s.world for s in walk.states if s.utterance == number)
        assert command["world"] == str(after)


@pytest.mark.parametrize(
    ("domain", "world", "program", "message"),
    [
        ("chess", "", "", "there is no domain 'chess'; domains are: alchemy, scene, tangrams"),
        ("scene", "1:r_", "", "a world of scene has 10 positions, this one has 1; it looks like"),
        ("scene", stage(_2="x_"), "", "position 2 holds 'x_'"),
        ("scene", WORLD, "red hasBoots", "column 5 of the program: 'hasBoots' is not a token"),
        ("scene", WORLD, "leave(red", "column 10 of the program: expected ',' or ')'"),
        (
            "scene",
            WORLD,
            f"{MOVE} blue hasShirt leave",
            "token 8 (hasShirt) fails in command 2, leave(hasShirt(blue)): nobody has shirt b",
        ),
        ("tangrams", "1:1", "3 swap", "token 2 (swap) fails in command 1, swap(3): 3 is not an"),
    ],
)
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_what_is_wrong_is_one_line_and_exit_code_2(call, domain, world, program, message, options):
    code, out, err = call(domain, world, program, *options)
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {message}")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the following arguments are required: COMMAND"),
        (["walk"], "argument COMMAND: invalid choice: 'walk'"),
        (["run"], "the following arguments are required: --domain, --world, --program"),
        (["run", "--domain"], "argument --domain: expected one argument"),
        (
            ["run", "--domain=scene", "--world=", "--program=", "a\nb"],
            "unrecognized arguments: a b",
        ),
        (["run", "--dom", "scene"], "the following arguments are required"),
    ],
)
def test_a_wrong_command_line_is_one_line_and_exit_code_2(arguments, message, capsys):
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"error: {message}")
    assert err.count("\n") == 1
    assert "--help`" in err


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(domain=st.sampled_from(["alchemy", "scene", "tangrams", "x"]), data=st.data())
def test_no_text_makes_it_crash(call, domain, data):
    texts = st.text().filter(lambda text: not text.startswith("-"))
    code, _, err = call(domain, data.draw(texts), data.draw(texts))
    assert code == (2 if err else 0)
    assert err.count("\n") == (1 if err else 0)


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"]])
def test_help_is_not_an_error(arguments, capsys):
    assert main(arguments) == 0
    out, err = capsys.readouterr()
    assert out.startswith("usage: python -m lang2program_tf.language")
    assert err == ""


def test_a_terminal_gets_colors_and_a_pipe_does_not(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    arguments = ["run", "--domain", "tangrams", "--world", "1:1", "--program", ""]
    for stream, colored in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stdout", stream)
        assert main(arguments) == 0
        assert ("\x1b[" in stream.getvalue()) == colored


def test_lang2program_run_is_the_same_command(capsys):
    arguments = ["run", "--domain", "scene", "--world", WORLD, "--program", MOVE]
    assert lang2program.main(arguments) == 0
    out = capsys.readouterr().out
    assert main(arguments) == 0
    assert capsys.readouterr().out == out
    assert str(get_domain("scene").parse_world(stage(_5="r_", _6="yo"))) in out


def start(*arguments: str, **options) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "lang2program_tf.language", *arguments],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        **options,
    )


@pytest.mark.skipif(os.name == "nt", reason="pipes break differently on Windows")
@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["run", "--domain", "scene", "--world", WORLD, "--program", MOVE]],
)
def test_a_reader_that_goes_away_is_no_traceback(arguments):
    reading, writing = os.pipe()
    os.close(reading)
    # With a buffer, the pipe breaks only when the command flushes it or the interpreter ends.
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    process = start(*arguments, stdout=writing, env=buffered)
    os.close(writing)
    assert process.communicate()[1] == b""
    assert process.returncode == 141


def test_a_terminal_that_knows_ascii_only_is_no_traceback():
    arguments = ["run", "--domain", "tangrams", "--world", "1:1", "--program", ""]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    process = start(*arguments, stdout=subprocess.PIPE, env=environment)
    out, err = process.communicate()
    assert (process.returncode, err) == (0, b"")
    assert out.splitlines()[2] == b" ? 1 ?"
