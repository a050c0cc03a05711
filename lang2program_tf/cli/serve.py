"""`lang2program serve`: serves exported parsers on the protocols of TF Serving."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence

from lang2program_tf.cli.arguments import OneLineParser
from lang2program_tf.cli.running_server import (
    load_models,
    log_to_stderr,
    need_serve_extra,
    stop_on_signals,
)
from lang2program_tf.errors import UserError
from lang2program_tf.server.limits import ServerLimits

_EPILOG = """example:
  lang2program serve --export exported/scene
  curl -d '{"instances": [{"world": "1:r_ 2:__ 3:__ 4:__ 5:__ 6:__ 7:__ 8:__ 9:__ 10:yo",
      "utterances": ["the man in red leaves"]}]}' http://localhost:8501/v1/models/scene:predict
"""

_POSITIVE = (
    "timeout",
    "max_request_bytes",
    "max_rows",
    "max_waiting_rows",
    "max_connections",
    "workers",
    "max_batch_rows",
    "poll_seconds",
)


def main(argv: Sequence[str]) -> int:
    """Runs the command until SIGINT or SIGTERM."""
    arguments = _parser().parse_args(argv)
    _check(arguments)
    need_serve_extra()
    log_to_stderr()
    stop = stop_on_signals()
    from lang2program_tf.server.server import Server, in_address

    models = load_models(arguments.export, arguments.model_name, warm_up=arguments.warmup)
    server = Server(
        models,
        host=arguments.host,
        grpc_port=arguments.port,
        rest_port=arguments.rest_port,
        limits=_limits(arguments),
        poll_seconds=arguments.poll_seconds,
        access_log=arguments.access_log,
    )
    host = in_address(arguments.host)
    for served in models:
        print(
            f"serving {served.model.folder} as {served.name}: gRPC at {host}:{server.grpc_port}, "
            f"REST at http://{host}:{server.rest_port}/v1/models/{served.name}"
        )
    print(f"a page to play on: http://{host}:{server.rest_port}/", flush=True)
    stop.wait()
    print("stopping", file=sys.stderr)
    server.stop()
    return 0


def _limits(arguments: argparse.Namespace) -> ServerLimits:
    return ServerLimits(
        max_request_bytes=arguments.max_request_bytes,
        max_rows=arguments.max_rows,
        timeout=arguments.timeout,
        workers=arguments.workers,
        max_batch_rows=arguments.max_batch_rows,
        batch_timeout=arguments.batch_timeout_ms / 1000,
        max_waiting_rows=arguments.max_waiting_rows,
        max_connections=arguments.max_connections,
    )


def _check(arguments: argparse.Namespace) -> None:
    for name in _POSITIVE:
        if not 0 < getattr(arguments, name) < math.inf:
            raise UserError(f"--{name} must be above 0, got {getattr(arguments, name)}")
    if not 0 <= arguments.batch_timeout_ms < math.inf:
        raise UserError(f"--batch_timeout_ms must be 0 or more, got {arguments.batch_timeout_ms}")
    for name in ("port", "rest_port"):
        if not 0 <= getattr(arguments, name) < 2**16:
            raise UserError(f"--{name} must be 0 to 65535, got {getattr(arguments, name)}")


def _parser() -> argparse.ArgumentParser:
    limits = ServerLimits()
    parser = OneLineParser(
        "lang2program serve",
        description="Serves exported parsers over gRPC and REST as TF Serving does, with a page to "
        "play on. A new version that appears beside the served one takes its place.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add(
        "--export",
        required=True,
        action="append",
        metavar="DIR",
        help="DOMAIN, for its latest version and those to come, or DOMAIN/VERSION; may be repeated",
    )
    add("--model_name", action="append", help="one for each --export; default: the domain")
    add("--host", default="127.0.0.1", help="address to listen at; default: this machine only")
    add("--port", type=int, default=8500, help="of gRPC (8500); 0 for any free one")
    add("--rest_port", type=int, default=8501, help="of REST (8501); 0 for any free one")

    def number(name: str, default: float, text: str) -> None:
        shown = f"{default:,}" if isinstance(default, int) else f"{default:g}"
        add(f"--{name}", type=type(default), default=default, help=f"{text} ({shown})")

    number("timeout", limits.timeout, "seconds for a request to arrive, be computed, be taken")
    number("max_request_bytes", limits.max_request_bytes, "of a request")
    number("max_rows", limits.max_rows, "of a request")
    number("max_waiting_rows", limits.max_waiting_rows, "of all; then 503, to come back later")
    number("max_connections", limits.max_connections, "of REST; likewise")
    number("workers", limits.workers, "batches that are computed at a time")
    number("max_batch_rows", limits.max_batch_rows, "that requests are merged up to")
    number("batch_timeout_ms", 1000 * limits.batch_timeout, "to wait for requests to merge")
    number("poll_seconds", 1.0, "between looks for new versions")
    add("--access_log", action="store_true", help="a line for every HTTP request, not errors only")
    add("--no_warmup", dest="warmup", action="store_false", help="listen at once")
    return parser
