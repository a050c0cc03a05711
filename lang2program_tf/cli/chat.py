"""`lang2program chat`: sentence after sentence to one parser, in a terminal."""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
from collections.abc import Callable, Iterator, Sequence

from lang2program_tf.cli.arguments import OneLineParser
from lang2program_tf.cli.asking import add_source, open_client
from lang2program_tf.errors import UserError
from lang2program_tf.language import LanguageError, get_domain
from lang2program_tf.language.infix import infix_commands
from lang2program_tf.serving import Client, ServingError, VerificationError
from lang2program_tf.serving.conversation import Conversation, Turn
from lang2program_tf.serving.showing import (
    show_alternatives,
    show_attention,
    show_reading,
    show_world,
)

_HELP = """a sentence     what to do
/more          all programs for the last sentence, and the words each token looked at
/undo          takes the last sentence or world back
/world WORLD   goes on with another world, in the notation of SCONE; without one, shows the present
/help          this
/quit          or Ctrl-D: the end"""


def main(argv: Sequence[str]) -> int:
    """Runs the command until the end of the input."""
    arguments = _parser().parse_args(argv)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # for terminals without box characters
    try:
        with open_client(arguments) as client:
            chat = _Chat(client, arguments.world)
            for line in _lines():
                if not chat.hear(line):
                    break
    except (ServingError, VerificationError, LanguageError) as error:
        raise UserError(str(error)) from error
    return 0


def _lines() -> Iterator[str]:
    """The lines that are typed, with a prompt if somebody sees it."""
    if not sys.stdin.isatty():
        yield from sys.stdin
        return
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401  # gives input() a history
    while True:
        try:
            yield input("> ")
        except EOFError:
            print()
            return


class _Chat:
    """Answers lines."""

    def __init__(self, client: Client, world: str | None) -> None:
        self._client = client
        self._domain = get_domain(client.metadata().domain)
        self._ansi = sys.stdout.isatty()
        self._conversation = Conversation(client, world or self._domain.example)
        self._last: Turn | None = None
        self._commands: dict[str, Callable[[str], None]] = {
            "/more": self._more,
            "/undo": self._undo,
            "/world": self._world,
            "/help": lambda _: print(_HELP),
        }
        print(f"This is {self._domain.name}. Say what to do; /help says what else there is.\n")
        self._show_world()

    def hear(self, line: str) -> bool:
        """Answers a line; whether there may be another."""
        text = " ".join(line.split())
        command, _, rest = text.partition(" ")
        if command == "/quit":
            return False
        if command in self._commands:
            self._commands[command](rest)
        elif command.startswith("/"):
            print(f"there is no {command}; /help says what there is")
        elif text:
            self._say(text)
        return True

    def _say(self, sentence: str) -> None:
        try:
            turn = self._conversation.say(sentence)
        except ServingError as error:
            print(f"{error}; say it again later")
            return
        if turn.answer.best is None:
            print(f"no program: {turn.answer.error}")
            return
        self._last = turn
        if turn.forgot:
            print("(too many sentences to read together: earlier ones are forgotten)")
        for line in show_reading(sentence, turn.answer, turn.request.num_utterances - 1):
            print(line.strip())
        commands = infix_commands(self._domain, turn.answer.best.program.split())
        print(f"{commands[-1].infix}   {turn.answer.best.probability:.1%}")
        self._show_world()

    def _more(self, _: str) -> None:
        if self._last is None or self._last.answer.best is None:
            print("nothing has been said yet")
            return
        print("\n".join(show_alternatives(self._domain, self._last.answer)))
        tokens = self._last.answer.best.program.split()
        print("\n".join(show_attention(self._client, self._last.request, tokens)))

    def _undo(self, _: str) -> None:
        if not self._conversation.undo():
            print("there is nothing to undo")
            return
        self._last = None
        self._show_world()

    def _world(self, text: str) -> None:
        if text:
            try:
                self._conversation.change(text)
            except LanguageError as error:
                print(error)
                return
            self._last = None
        self._show_world()

    def _show_world(self) -> None:
        print(show_world(self._domain, self._conversation.world, ansi=self._ansi), flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(
        "lang2program chat",
        description="Talks with an exported parser: one start-up, then sentence after sentence, "
        "each about the world that the last one left.",
        epilog="While it runs:\n" + _HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_source(parser)
    parser.add_argument("--world", help="the first world, in the notation of SCONE")
    return parser
