"""`lang2program playground`: a page to play on, with exported parsers or a running TF Serving."""

from __future__ import annotations

import argparse
import threading
import urllib.parse
import webbrowser
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from lang2program_tf.cli.arguments import OneLineParser
from lang2program_tf.cli.running_server import (
    load_models,
    log_to_stderr,
    need_serve_extra,
    stop_on_signals,
)
from lang2program_tf.errors import UserError
from lang2program_tf.language import DOMAINS

if TYPE_CHECKING:
    from lang2program_tf.server.front import Front
    from lang2program_tf.server.server import Server

_HOST = "127.0.0.1"
_PORT = 8580
_EPILOG = """examples:
  lang2program playground --export exported/scene --export exported/alchemy
  lang2program playground --server http://localhost:8501 --model_name scene
"""


def main(argv: Sequence[str]) -> int:
    """Runs the command until SIGINT or SIGTERM."""
    arguments = _parser().parse_args(argv)
    if not 0 <= arguments.port < 2**16:
        raise UserError(f"--port must be 0 to 65535, got {arguments.port}")
    need_serve_extra()
    log_to_stderr()
    stop = stop_on_signals()
    failures: list[UserError] = []

    def fail(error: UserError) -> None:
        failures.append(error)
        stop.set()

    server, port = _front(arguments) if arguments.server else _server(arguments, fail)
    address = f"http://{_HOST}:{port}/"
    print(f"playing at {address}, Ctrl-C ends it", flush=True)
    if arguments.browser:
        webbrowser.open(address)
    stop.wait()
    server.stop()
    if failures:
        raise failures[0]
    return 0


def _front(arguments: argparse.Namespace) -> tuple[Front, int]:
    from lang2program_tf.server.front import Front

    names = arguments.model_name or list(DOMAINS)
    server = Front(_checked(arguments.server), models=names, port=arguments.port)
    return server, server.port


def _server(arguments: argparse.Namespace, fail: Callable[[UserError], None]) -> tuple[Server, int]:
    from lang2program_tf.server.server import Server

    models = load_models(arguments.export, arguments.model_name, warm_up=False)
    server = Server(models, grpc_port=None, rest_port=arguments.port)

    def warm_up() -> None:
        try:
            for served in models:
                served.model.warm_up()
        except UserError as error:
            fail(error)

    # Beside the first questions: nobody should wait with an empty page before them.
    threading.Thread(target=warm_up, daemon=True).start()
    return server, server.rest_port


def _checked(url: str) -> str:
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UserError(
            f"--server {url!r} is not like http://localhost:8501, the REST address of a TF Serving"
        )
    return url


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(
        "lang2program playground",
        description="Opens a page to play on: worlds to see and change, sentences to say, and what "
        "the parser makes of them. `lang2program serve` has the same page at its REST address.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "--export",
        action="append",
        metavar="DIR",
        help="DOMAIN, for its latest version, or DOMAIN/VERSION; may be repeated",
    )
    source.add_argument(
        "--server", metavar="URL", help="REST address of a TF Serving, to be asked instead"
    )
    parser.add_argument(
        "--model_name",
        action="append",
        metavar="NAME",
        help="what a model is called; with --server, one to offer (the three domains); may be "
        "repeated",
    )
    parser.add_argument("--port", type=int, default=_PORT, help=f"({_PORT}) 0 for any free one")
    parser.add_argument(
        "--no_browser", dest="browser", action="store_false", help="do not open a browser"
    )
    return parser
