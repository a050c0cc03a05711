"""`lang2program benchmark workers`: what several workers are worth."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path

from lang2program_tf.cli.arguments import OneLineParser, add_gin_arguments
from lang2program_tf.files import write_atomically


def main(argv: Sequence[str]) -> int:
    """Measures as one of the workers of TF_CONFIG; without it, starts workers on this machine."""
    arguments = _parser().parse_args(argv)
    from lang2program_dev.benchmarks.workers import compare, measure
    from lang2program_tf.gin_files import load_gin

    sizes = arguments.batch_sizes
    if os.environ.get("TF_CONFIG"):
        load_gin(arguments.gin_file, arguments.gin_param)
        line = json.dumps(measure(batch_sizes=sizes, steps=arguments.steps))
    else:
        table, figures = compare(["benchmark", "workers", *argv], batch_sizes=sizes)
        print(table)
        line = json.dumps(figures)
    if arguments.json is not None:
        write_atomically(Path(arguments.json), line + "\n")
    print(line)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(
        "lang2program benchmark workers",
        description="ms of training an example: two processes with one thread each against one. "
        "With TF_CONFIG, ms a step of the workers that it names. The last line of output is one "
        "JSON object.",
    )
    add_gin_arguments(parser, required=True)
    parser.add_argument(
        "--batch_sizes", type=int, nargs="+", default=[8, 64, 256], help="examples a step"
    )
    parser.add_argument("--steps", type=int, default=20, help="measured after the warm-up")
    parser.add_argument("--json", metavar="FILE", help="write the figures to a file as well")
    return parser
