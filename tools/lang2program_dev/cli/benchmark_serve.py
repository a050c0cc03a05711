"""`lang2program benchmark serve`: how fast an exported parser answers here."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from lang2program_tf.cli.arguments import OneLineParser
from lang2program_tf.cli.running_server import need_serve_extra
from lang2program_tf.errors import UserError
from lang2program_tf.files import write_atomically


def main(argv: Sequence[str]) -> int:
    """Runs the command."""
    arguments = _parser().parse_args(argv)
    need_serve_extra()
    for name in ("repeats", "seconds", "crowd"):
        if getattr(arguments, name) <= 0:
            raise UserError(f"--{name} must be above 0, got {getattr(arguments, name)}")
    if arguments.malformed < 0:
        raise UserError(f"--malformed must be 0 or more, got {arguments.malformed}")
    from lang2program_dev.benchmarks.serve import PARTS, ServeBenchmark

    parts = arguments.parts or PARTS
    for part in parts:
        if part not in PARTS:
            raise UserError(f"--parts: unknown part {part!r}; there are {', '.join(PARTS)}")

    benchmark = ServeBenchmark(arguments.export, repeats=arguments.repeats)
    text, figures = benchmark.run(
        parts,
        utterances=arguments.utterances,
        seconds=arguments.seconds,
        crowd=arguments.crowd,
        malformed=arguments.malformed,
    )
    print(text)
    line = json.dumps(figures)
    if arguments.json is not None:
        write_atomically(Path(arguments.json), line + "\n")
    print(line)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(
        "lang2program benchmark serve",
        description="Measures an exported parser: latency and throughput in process and over gRPC, "
        "cold start, 8 clients over gRPC, a crowd of them over REST, and malformed requests, "
        "each of which must be refused or answered. The last line of output is one JSON object.",
    )
    parser.add_argument("--export", required=True, metavar="DIR", help="DOMAIN or DOMAIN/VERSION")
    parser.add_argument(
        "--parts", nargs="+", help="some of: latency cold load crowd malformed (all)"
    )
    parser.add_argument(
        "--utterances",
        type=int,
        choices=range(1, 6),
        help="of a request of the load tests (from 1 to 5, in turn)",
    )
    parser.add_argument("--repeats", type=int, default=50, help="of each kind of request (50)")
    parser.add_argument("--seconds", type=float, default=60.0, help="of each load test (60)")
    parser.add_argument("--crowd", type=int, default=200, help="clients at once over REST (200)")
    parser.add_argument("--malformed", type=int, default=10_000, help="requests (10,000)")
    parser.add_argument("--json", metavar="FILE", help="write the figures to a file as well")
    return parser
