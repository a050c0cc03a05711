"""`lang2program benchmark search|train|serve`: how fast it is here."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from typing import Any

from lang2program_dev.cli import benchmark_serve
from lang2program_tf.cli.arguments import OneLineParser, add_gin_arguments
from lang2program_tf.errors import UserError


def _with_gin(parser: argparse.ArgumentParser) -> None:
    add_gin_arguments(parser, required=True)
    parser.add_argument("--json", metavar="FILE", help="write the figures to a file as well")


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(
        "lang2program benchmark",
        description="Measures speed, warm-up excluded. The last line of output is one JSON object.",
    )
    kinds = parser.add_subparsers(dest="kind", required=True, parser_class=OneLineParser)
    search = kinds.add_parser("search", help="the search, in evaluation and in training")
    _with_gin(search)
    search.add_argument("--repeats", type=int, default=15, help="of which the median is taken")
    search.add_argument("--batch_size", type=int, default=64, help="of evaluation")
    search.add_argument("--scaling", action="store_true", help="also over beams and batch sizes")
    train = kinds.add_parser("train", help="training steps")
    _with_gin(train)
    train.add_argument("--steps", type=int, default=300, help="measured after the warm-up")
    train.add_argument("--batch_size", type=int, default=8, help="examples a step")
    train.add_argument("--beam_size", type=int, help="of exploration; default: as gin says")
    kinds.add_parser("serve", help="an exported parser: `lang2program benchmark serve --help`")
    return parser


def main(argv: Sequence[str]) -> int:
    """Runs the command."""
    argv = list(argv)
    started = time.perf_counter()
    if argv[:1] == ["serve"]:
        return benchmark_serve.main(argv[1:])
    arguments = _parser().parse_args(argv)
    from lang2program_tf.gin_files import load_gin

    if arguments.kind == "search":
        from lang2program_dev.benchmarks.search import SearchBenchmark

        load_gin(arguments.gin_file, arguments.gin_param)
        benchmark = SearchBenchmark(batch_size=arguments.batch_size, repeats=arguments.repeats)
        return _show(*benchmark.run(scaling=arguments.scaling), arguments.json)
    from lang2program_dev.benchmarks.train import TrainBenchmark

    beam = arguments.beam_size
    beam_param = [] if beam is None else [f"train/BeamSearch.beam_size = {beam}"]
    load_gin(arguments.gin_file, [*arguments.gin_param, *beam_param])
    training = TrainBenchmark(batch_size=arguments.batch_size, started=started)
    return _show(*training.run(steps=arguments.steps), arguments.json)


def _show(table: str, figures: dict[str, Any], path: str | None) -> int:
    print(table)
    line = json.dumps(figures)
    if path is not None:
        try:
            with open(path, "w", encoding="utf-8") as file:
                file.write(line + "\n")
        except OSError as error:
            raise UserError(f"cannot write {path}: {error.strerror}") from error
    print(line)
    return 0
