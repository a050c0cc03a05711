"""`lang2program fuzz` finds, prints and repeats differences."""

from __future__ import annotations

import shlex

import pytest

from lang2program_dev.cli import fuzz as command
from lang2program_tf.cli.main import main
from tests.dev.fuzzing.broken_machines import BROKEN, BROKEN_IN_CROWDS

pytestmark = pytest.mark.slow

CASE = ["--domain", "tangrams", "--world", "1:2", "--utterances", "1", "--program", "allObjects"]


def test_executors_that_agree_give_exit_code_0_and_a_table(capsys):
    assert main(["fuzz", "--domain", "tangrams", "--steps", "300", "--batch", "32"]) == 0
    out, err = capsys.readouterr()
    assert "0 differences" in out.splitlines()[0]
    assert "possible, and never reached:" in out
    assert "  X of prevAction: it pops 2 values at least, and may leave the rest" in out
    assert "tangrams" in err  # the progress bar


def test_all_domains_are_run_after_each_other(capsys):
    assert main(["fuzz", "--domain", "all", "--steps", "50", "--batch", "16"]) == 0
    lines = capsys.readouterr().out.splitlines()
    names = [line.split(":")[0] for line in lines if "token steps compared" in line]
    assert names == ["alchemy", "scene", "tangrams"]


@pytest.mark.parametrize("bug", sorted(BROKEN))
def test_the_printed_command_shows_the_difference_again(bug, capsys):
    machine, token = BROKEN[bug]
    name = machine.rules.domain.name
    argv = ["--domain", name, "--steps", "50000", "--batch", "128", "--seed", "2"]
    assert command.main(argv, machine_of=lambda _: machine) == 1
    lines = capsys.readouterr().out.splitlines()
    again = shlex.split(next(line for line in lines if line.startswith("  lang2program fuzz")))[2:]
    assert command.main(again, machine_of=lambda _: machine) == 1
    out = capsys.readouterr().out
    assert f"difference: {token} as token " in out
    assert out.splitlines()[-1] == "the executors differ"
    assert main(["fuzz", *again]) == 0  # the sound machine
    assert capsys.readouterr().out.splitlines()[-1] == "the executors agree"


def test_a_difference_that_needs_company_is_printed_with_the_run_that_shows_it(capsys):
    argv = ["--domain", "tangrams", "--steps", "100", "--batch", "64", "--seed", "5"]
    assert command.main(argv, machine_of=lambda _: BROKEN_IN_CROWDS) == 1
    out = capsys.readouterr().out
    again = shlex.split(out.split("it comes up with: ")[1].splitlines()[0])[2:]
    assert command.main(again, machine_of=lambda _: BROKEN_IN_CROWDS) == 1


def test_a_case_may_be_written_in_infix(capsys):
    program = "remove(index(allObjects, 1)); add(-1, prevArg1(1))"
    argv = ["--domain", "tangrams", "--world", "1:2", "--utterances", "2", "--program", program]
    assert main(["fuzz", *argv]) == 0
    assert "remove(1:2); add(1, 1:2)" in capsys.readouterr().out


@pytest.mark.parametrize(
    "argv, message",
    [
        (["--domain", "scene", "--steps", "0"], "--steps 0: give at least 1"),
        (["--domain", "scene", "--minutes", "0"], "--minutes 0.0: give more than 0"),
        (["--domain", "scene", "--minutes", "nan"], "--minutes nan: give more than 0"),
        (["--domain", "scene", "--batch", "0"], "--batch 0: give at least 1"),
        ([*CASE, "--domain", "all"], "--domain all: a program is of one domain"),
        (CASE[:4], "--world, --utterances and --program go together: one of them is missing"),
        ([*CASE, "--utterances", "0"], "--utterances 0: give 1 to 100"),
        ([*CASE, "--program", ""], "--program is empty: give at least one token"),
        (
            [*CASE, "--world", "1:9"],
            "position 1 holds '9'; it may hold 0 or 1 or 2 or 3 or 4",
        ),
    ],
)
def test_bad_usage_is_one_line_and_exit_code_2(argv, message, capsys):
    assert main(["fuzz", *argv]) == 2
    assert capsys.readouterr().err == f"error: {message}\n"


def test_an_unknown_token_is_named(capsys):
    assert main(["fuzz", *CASE, "--program", "allObjects hasHat"]) == 2
    assert "'hasHat' is not a token of tangrams" in capsys.readouterr().err


def test_steps_and_minutes_exclude_each_other(capsys):
    assert main(["fuzz", "--domain", "scene", "--steps", "1", "--minutes", "1"]) == 2
    assert "--minutes: not allowed with argument --steps" in capsys.readouterr().err
