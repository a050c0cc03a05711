from __future__ import annotations

import os
import shutil
import subprocess
import sys
import types
from pathlib import Path

import pytest

from lang2program_tf.cli import main as cli
from lang2program_tf.cores import threads_per_operation
from lang2program_tf.errors import UserError


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch):
    """Registers a command `probe` whose main is the given function."""

    def register(main, **options) -> None:
        module = types.ModuleType("probe_command")
        vars(module)["main"] = main
        monkeypatch.setitem(sys.modules, "probe_command", module)
        monkeypatch.setitem(
            cli.COMMANDS, "probe", cli.Command("probe_command", "probes", **options)
        )

    return register


def test_a_command_receives_the_arguments_after_its_name(command):
    seen = []
    command(lambda argv: seen.append(argv) or 5)
    assert cli.main(["probe", "a", "--b"]) == 5
    assert seen == [["a", "--b"]]


def test_a_command_may_ask_to_keep_its_name(command):
    seen = []
    command(lambda argv: seen.append(argv) or 0, keeps_name=True)
    assert cli.main(["probe", "a"]) == 0
    assert seen == [["probe", "a"]]


def test_a_user_error_is_one_line_and_exit_code_2(command, capsys):
    def fail(argv):
        raise UserError("no such world")

    command(fail)
    assert cli.main(["probe"]) == 2
    assert capsys.readouterr().err == "error: no such world\n"


def test_threads_of_an_operation_follow_from_the_cores_unless_the_user_says_otherwise(
    command, monkeypatch
):
    seen = []
    command(lambda argv: seen.append(os.environ["TF_NUM_INTRAOP_THREADS"]) or 0)
    for chosen in ("1", "7"):
        monkeypatch.setenv("TF_NUM_INTRAOP_THREADS", chosen)
        cli.main(["probe"])
    monkeypatch.delenv("TF_NUM_INTRAOP_THREADS")
    cli.main(["probe"])
    assert seen == ["1", "7", str(threads_per_operation())]


def test_an_interrupt_is_exit_code_130(command):
    def interrupt(argv):
        raise KeyboardInterrupt

    command(interrupt)
    assert cli.main(["probe"]) == 130


def test_an_unknown_command_suggests_the_nearest(capsys):
    assert cli.main(["fecth"]) == 2
    assert capsys.readouterr().err == "error: unknown command 'fecth'; did you mean 'fetch'?\n"


def test_a_tool_of_developers_says_that_it_needs_a_clone(tmp_path):
    shutil.copytree(Path(cli.__file__).parents[1], tmp_path / "lang2program_tf")
    done = subprocess.run(
        [sys.executable, "-m", "lang2program_tf.cli.main", "fuzz", "--domain=all"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert done.stderr == "error: `lang2program fuzz` is a tool of developers: run it in a clone\n"


def test_help_lists_every_command(capsys):
    assert cli.main(["--help"]) == 0
    out = capsys.readouterr().out
    assert all(
        f"  {name} " in out and command.help in out for name, command in cli.COMMANDS.items()
    )


def test_no_command_prints_the_help_and_exits_2(capsys):
    assert cli.main([]) == 2
    assert "usage: lang2program" in capsys.readouterr().err


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from lang2program_tf.cli.main import main; main(['--help']);"
        "sys.exit(bool({'tensorflow', 'numpy'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0
