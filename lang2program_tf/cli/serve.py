"""`lang2program serve`: a small server for development, on the protocols of TF Serving."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from collections.abc import Sequence

from lang2program_tf.cli.arguments import OneLineParser
from lang2program_tf.errors import UserError

_EPILOG = """example:
  lang2program serve --export exported/scene
  curl -d '{"instances": [{"world": "1:r_ 2:__ 3:__ 4:__ 5:__ 6:__ 7:__ 8:__ 9:__ 10:yo",
      "utterances": ["the man in red leaves"]}]}' http://localhost:8501/v1/models/scene:predict
"""


def main(argv: Sequence[str]) -> int:
    """Runs the command until SIGINT or SIGTERM."""
    arguments = _parser().parse_args(argv)
    _check(arguments)
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    from lang2program_tf.serving.model import Model
    from lang2program_tf.serving.server import Server
    from lang2program_tf.serving.server_core import ServerLimits

    model = Model(arguments.export)
    if arguments.warmup:
        print(f"warmed up with {model.warm_up()} requests", file=sys.stderr)
    server = Server(
        model,
        name=arguments.model_name,
        host=arguments.host,
        grpc_port=arguments.port,
        rest_port=arguments.rest_port,
        limits=ServerLimits(
            max_request_bytes=arguments.max_request_bytes,
            max_rows=arguments.max_rows,
            timeout=arguments.timeout,
            workers=arguments.workers,
        ),
    )
    name = arguments.model_name or model.domain
    print(
        f"serving {model.folder} as {name}: gRPC at {arguments.host}:{server.grpc_port}, "
        f"REST at http://{arguments.host}:{server.rest_port}/v1/models/{name}",
        flush=True,
    )
    stop.wait()
    print("stopping", file=sys.stderr)
    server.stop(arguments.timeout)
    return 0


def _check(arguments: argparse.Namespace) -> None:
    for name in ("max_request_bytes", "max_rows", "timeout", "workers"):
        if getattr(arguments, name) <= 0:
            raise UserError(f"--{name} must be above 0, got {getattr(arguments, name)}")
    for name in ("port", "rest_port"):
        if not 0 <= getattr(arguments, name) < 2**16:
            raise UserError(f"--{name} must be 0 to 65535, got {getattr(arguments, name)}")


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(
        "lang2program serve",
        description="Serves an exported parser over gRPC and REST as TF Serving does. For "
        "development: use TF Serving itself where load and safety matter.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add(
        "--export",
        required=True,
        metavar="DIR",
        help="DOMAIN, for its latest version, or DOMAIN/VERSION",
    )
    add("--host", default="127.0.0.1", help="address to listen at; default: this machine only")
    add("--port", type=int, default=8500, help="of gRPC (8500); 0 for any free one")
    add("--rest_port", type=int, default=8501, help="of REST (8501); 0 for any free one")
    add("--model_name", help="default: the domain")
    add("--timeout", type=float, default=30.0, help="seconds for a request, and to stop (30)")
    add("--max_request_bytes", type=int, default=4 * 1024 * 1024, help="4 MiB by default")
    add("--max_rows", type=int, default=1024, help="of a request (1024)")
    add("--workers", type=int, default=2, help="requests that are computed at a time (2)")
    add("--no_warmup", dest="warmup", action="store_false", help="listen at once")
    return parser
