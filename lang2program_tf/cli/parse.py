"""`lang2program parse`: asks an exported parser and shows what it understood."""

from __future__ import annotations

import argparse
import io
import json
import sys
from collections.abc import Sequence

from lang2program_tf.cli.arguments import OneLineParser
from lang2program_tf.cli.asking import add_source, open_client
from lang2program_tf.errors import UserError
from lang2program_tf.serving import Client, ParseRequest, ServingError, VerificationError
from lang2program_tf.serving.showing import answer_json, show_answer

_NO_PROGRAM = 1

_EPILOG = """example:
  lang2program parse --export exported/scene \\
      --world "1:r_ 2:__ 3:__ 4:gp 5:__ 6:__ 7:__ 8:__ 9:__ 10:yo" \\
      "the man in red leaves" "he comes back"

The exit code is 1 if there is no program for the request.
"""


def main(argv: Sequence[str]) -> int:
    """Runs the command."""
    arguments = _parser().parse_args(argv)
    request = ParseRequest(arguments.world, tuple(arguments.utterances))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # for terminals without box characters
    try:
        with open_client(arguments) as client:
            return _show(client, request, arguments)
    except (ServingError, VerificationError) as error:
        raise UserError(str(error)) from error


def _show(client: Client, request: ParseRequest, arguments: argparse.Namespace) -> int:
    answer = client.parse(request.world, request.utterances)
    if arguments.json:
        print(json.dumps(answer_json(client.metadata().domain, request, answer)))
    elif answer.best is None:
        print(f"no program: {answer.error}")
    else:
        print(show_answer(client, request, answer, ansi=sys.stdout.isatty()))
    return 0 if answer.best else _NO_PROGRAM


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(
        "lang2program parse",
        description="Parses utterances about a world with an exported parser: draws the world "
        "after each, and shows the program, the alternatives with their probabilities, and which "
        "words each token looked at. Every program is run again to check the answer.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_source(parser)
    parser.add_argument("--world", required=True, help="the world in the notation of SCONE")
    parser.add_argument("utterances", nargs="+", metavar="UTTERANCE", help="one or more sentences")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser
