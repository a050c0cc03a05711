"""`lang2program COMMAND ...`: imports the command's module, runs it, reports errors in one line."""

from __future__ import annotations

import difflib
import importlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from lang2program_tf import __version__
from lang2program_tf.errors import UserError
from lang2program_tf.gin_errors import without_calls
from lang2program_tf.tensorflow_defaults import set_tensorflow_defaults

# Commands of this package are those of developers: a clone has it, the installed package has not.
_DEVELOPERS = "lang2program_dev"
_USER_ERROR = 2
_INTERRUPTED = 130


class Command(NamedTuple):
    """One command of `lang2program`.

    Attributes:
        module: what to import when, and only when, the command is called; it has `main(argv) ->
            int`.
        help: one line for the list of commands.
        keeps_name: whether `argv` begins with the command's name (a module may serve several).
    """

    module: str
    help: str
    keeps_name: bool = False


COMMANDS = {
    "fetch": Command("lang2program_tf.cli.fetch", "download SCONE and GloVe into the data folder"),
    "describe": Command("lang2program_tf.cli.describe", "print facts about a data set"),
    "generate": Command("lang2program_tf.cli.generate", "make a corpus in the SCONE format"),
    "fuzz": Command("lang2program_dev.cli.fuzz", "compare the executors on random programs"),
    "parity": Command("lang2program_tf.cli.parity", "compare with recordings of the original"),
    "import_original": Command(
        "lang2program_tf.cli.import_original", "make a run folder of a model of the 2017 code"
    ),
    "train": Command("lang2program_tf.cli.train", "train a parser, or go on with a run"),
    "reproduce": Command("lang2program_tf.cli.reproduce", "train and write a table of the paper"),
    "evaluate": Command("lang2program_tf.cli.evaluate", "accuracy of a run or an export"),
    "explore": Command("lang2program_tf.cli.explore", "what the search of training finds"),
    "analyze": Command("lang2program_tf.cli.analyze", "what holds accuracy back, as a page"),
    "benchmark": Command("lang2program_dev.cli.benchmark", "measure search, training, serving"),
    "plot": Command("lang2program_tf.cli.plot", "draw learning curves of runs"),
    "export": Command("lang2program_tf.cli.export", "write the parser of a run as a SavedModel"),
    "parse": Command("lang2program_tf.cli.parse", "ask an exported parser"),
    "chat": Command("lang2program_tf.cli.chat", "talk with an exported parser"),
    "playground": Command("lang2program_tf.cli.playground", "a page to play on with parsers"),
    "serve": Command("lang2program_tf.cli.serve", "serve exported parsers"),
    "verify": Command(
        "lang2program_tf.language.cli", "check the programs of a served answer", keeps_name=True
    ),
    "run": Command("lang2program_tf.language.cli", "run programs on a world", keeps_name=True),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command.

    Args:
        argv: the arguments after the program's name; those of this process if None.

    Returns:
        The exit code: the command's own, 2 for a user's error, 130 when interrupted.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not arguments:
        print(_help(), file=sys.stderr)
        return _USER_ERROR
    name, rest = arguments[0], arguments[1:]
    if name in ("-h", "--help", "help"):
        print(_help())
        return 0
    if name == "--version":
        print(__version__)
        return 0
    set_tensorflow_defaults()
    try:
        command = _find(name)
        if command.module.startswith(f"{_DEVELOPERS}."):
            _find_developers_tools(name)
        module = importlib.import_module(command.module)
        code: int = module.main([name, *rest] if command.keeps_name else rest)
        return code
    except UserError as error:
        print(f"error: {without_calls(str(error))}", file=sys.stderr)
        return _USER_ERROR
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return _INTERRUPTED


def _find(name: str) -> Command:
    if name in COMMANDS:
        return COMMANDS[name]
    near = difflib.get_close_matches(name, COMMANDS, n=1)
    hint = f"did you mean {near[0]!r}?" if near else "`lang2program --help` lists the commands"
    raise UserError(f"unknown command {name!r}; {hint}")


def _find_developers_tools(name: str) -> None:
    """Makes the tools of the clone, beside the package, importable; without a clone: UserError."""
    folder = Path(__file__).resolve().parents[2] / "tools"
    if not (folder / _DEVELOPERS).is_dir():
        raise UserError(f"`lang2program {name}` is a tool of developers: run it in a clone")
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


def _help() -> str:
    width = max(map(len, COMMANDS))
    rows = [f"  {name:<{width}}  {command.help}" for name, command in sorted(COMMANDS.items())]
    return "\n".join(
        [
            "usage: lang2program COMMAND ...",
            "",
            "From Language to Programs, for TensorFlow 2. Commands:",
            *rows,
            "",
            "`lang2program COMMAND --help` explains one command.",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
