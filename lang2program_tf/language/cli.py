"""`python -m lang2program_tf.language`: runs programs on worlds, and checks served answers."""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from typing import Any, Dict, List, NamedTuple, NoReturn, Optional, Sequence, Tuple

from lang2program_tf.language.domain import Domain, World
from lang2program_tf.language.domains import DOMAINS, get_domain
from lang2program_tf.language.errors import ExecutionError, LanguageError
from lang2program_tf.language.executor import State, step
from lang2program_tf.language.infix import InfixCommand, infix_commands, parse_program
from lang2program_tf.language.tokens import Token
from lang2program_tf.language.values import show_value
from lang2program_tf.language.verify_cli import EXAMPLE as VERIFY_EXAMPLE
from lang2program_tf.language.verify_cli import add_arguments, answer_verify

_USER_ERROR = 2
_BROKEN_PIPE = 141  # what a shell reports of a process that SIGPIPE ended

_PROG = "python -m lang2program_tf.language"
_EXAMPLE = """example:
  {prog} run --domain tangrams \\
      --world "1:2 2:1 3:4" --program "remove(index(allObjects, 2)); add(1, prevArg1(-1))"
"""


class _UsageError(Exception):
    """The command line is not one that the parser knows."""


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, like all others."""

    def error(self, message: str) -> NoReturn:
        raise _UsageError(f"{' '.join(message.split())}; see `{self.prog} --help`")


class Run(NamedTuple):
    """A program that ran.

    Attributes:
        domain: the domain.
        world: the world before the program.
        commands: the program's commands; the last one may lack its action.
        worlds: the world after each command that was performed.
        state: the state at the end.
    """

    domain: Domain
    world: World
    commands: Tuple[InfixCommand, ...]
    worlds: Tuple[World, ...]
    state: State


def run(domain: Domain, world: World, commands: Sequence[InfixCommand]) -> Run:
    """Runs a program; if a token fails, an ExecutionError names it and its command."""
    state = State(world)
    worlds: List[World] = []
    count = 0
    for number, command in enumerate(commands, start=1):
        for token in command.tokens:
            count += 1
            try:
                state = step(domain, state, token)
            except ExecutionError as error:
                raise ExecutionError(
                    f"token {count} ({token}) fails in command {number}, {command.infix}: {error}"
                ) from error
        if state.utterance == number:
            worlds.append(state.world)
    return Run(domain, world, tuple(commands), tuple(worlds), state)


def main(argv: Optional[Sequence[str]] = None, *, prog: str = _PROG) -> int:
    """Runs a command line that begins with the name of a subcommand.

    Args:
        argv: the arguments; those of this process if None.
        prog: how the user calls this program.

    Returns:
        The exit code: 2 for a user's error, of which one line on stderr tells.
    """
    try:
        code = _dispatch(argv, prog)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has gone; the interpreter's own flush on exit must not fail as well.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BROKEN_PIPE
    return code


def _dispatch(argv: Optional[Sequence[str]], prog: str) -> int:
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # for terminals without box characters
    try:
        arguments = _build_parser(prog).parse_args(argv)
        text, code = arguments.answer(arguments)
        print(text)
        return int(code)
    except (LanguageError, _UsageError) as error:
        print(f"error: {error}", file=sys.stderr)
        return _USER_ERROR
    except SystemExit:  # after --help
        return 0


def _build_parser(prog: str) -> argparse.ArgumentParser:
    parser = _Parser(
        prog=prog,
        description="The program language of the three SCONE domains.",
        allow_abbrev=False,
    )
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    run_parser = subparsers.add_parser(
        "run",
        help="run a program on a world",
        description="Runs a program on a world and shows the world after every command.",
        epilog=_EXAMPLE.format(prog=prog),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    _add_run_arguments(run_parser)
    verify_parser = subparsers.add_parser(
        "verify",
        help="check that the programs of a served answer lead to its worlds",
        description="Runs the programs of a served answer. The exit code is 1 if one of them does "
        "not lead to the world that the answer says.",
        epilog=VERIFY_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add_arguments(verify_parser)
    verify_parser.set_defaults(answer=answer_verify)
    return parser


def _add_run_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--domain", required=True, help=f"one of: {', '.join(DOMAINS)}")
    parser.add_argument("--world", required=True, help="the world in the notation of SCONE")
    parser.add_argument(
        "--program", required=True, help="postfix or infix, with the paper's or the original names"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--original-names", action="store_true", help="call tokens what the 2017 code calls them"
    )
    parser.add_argument("--no-drawing", action="store_true", help="print worlds as notation only")
    parser.set_defaults(answer=_answer_run)


def _answer_run(arguments: argparse.Namespace) -> Tuple[str, int]:
    domain = get_domain(arguments.domain)
    world = domain.parse_world(arguments.world)
    program = parse_program(domain, arguments.program)
    commands = infix_commands(domain, program, original_names=arguments.original_names)
    result = run(domain, world, commands)
    if arguments.json:
        return json.dumps(_as_json(result, original_names=arguments.original_names)), 0
    return _as_text(result, drawing=not arguments.no_drawing, ansi=sys.stdout.isatty()), 0


def _as_text(result: Run, *, drawing: bool, ansi: bool) -> str:
    def show(world: World) -> str:
        notation = str(world) or '""'
        return f"{notation}\n{world.draw(ansi=ansi)}\n" if drawing else notation

    lines = [show(result.world)]
    for number, (command, world) in enumerate(zip(result.commands, result.worlds), start=1):
        lines += [f"{number}. {command.infix}", show(world)]
    if len(result.commands) > len(result.worlds):
        lines.append(f"{len(result.commands)}. {result.commands[-1].infix} (no action yet)")
    if result.state.stack:
        values = ", ".join(show_value(value) for value in result.state.stack)
        lines.append(f"warning: the program is not complete, its stack still holds {values}")
    return "\n".join(lines).rstrip("\n")


def _as_json(result: Run, *, original_names: bool) -> Dict[str, Any]:
    def names(tokens: Sequence[Token]) -> List[str]:
        return [token.original if original_names else token.name for token in tokens]

    return {
        "domain": result.domain.name,
        "world": str(result.world),
        "program": [name for command in result.commands for name in names(command.tokens)],
        "infix": "; ".join(command.infix for command in result.commands),
        "commands": [
            {"tokens": names(command.tokens), "infix": command.infix, "world": str(world)}
            for command, world in zip(result.commands, result.worlds)
        ],
        "final_world": str(result.state.world),
        "complete": not result.state.stack,
        "stack": [show_value(value) for value in result.state.stack],
    }
