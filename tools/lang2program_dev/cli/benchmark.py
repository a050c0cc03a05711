"""`lang2program benchmark search|train|scaling|workers|serve`: how fast it is here."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lang2program_dev.benchmarks.checkouts import check_checkout
from lang2program_dev.cli import benchmark_serve, benchmark_workers
from lang2program_tf.cli.arguments import OneLineParser, add_gin_arguments
from lang2program_tf.errors import UserError

_TRAIN_BATCH = 8
_SEARCH_BATCH = 64


def _with_run(parser: argparse.ArgumentParser) -> None:
    add_gin_arguments(parser, required=False)
    parser.add_argument(
        "--root_dir", metavar="RUN", help="a run: its settings, its best weights or its latest"
    )
    parser.add_argument(
        "--learned_steps",
        type=int,
        default=500,
        help="without --root_dir: steps that are trained first, for weights with which programs "
        "are found; the cache keeps them (default: %(default)s)",
    )


def _with_against(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--against",
        metavar="DIR",
        help="another checkout of this project: it and this one are timed in turn, on the same "
        "examples from the same weights, and their ratio is told",
    )
    parser.add_argument(
        "--against_gin_param",
        action="append",
        default=[],
        metavar="GIN_PARAM",
        help="a binding for the other checkout only (which may be this one again)",
    )
    parser.add_argument("--json", metavar="FILE", help="write the figures to a file as well")


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(
        "lang2program benchmark",
        description="Measures speed, warm-up excluded. The last line of output is one JSON object.",
    )
    kinds = parser.add_subparsers(dest="kind", required=True, parser_class=OneLineParser)
    search = kinds.add_parser("search", help="the search, in evaluation and in training")
    _with_run(search)
    _with_against(search)
    search.add_argument("--repeats", type=int, default=15, help="of which the median is taken")
    search.add_argument("--batch_size", type=int, default=_SEARCH_BATCH, help="of evaluation")
    train = kinds.add_parser("train", help="training steps")
    _with_run(train)
    _with_against(train)
    train.add_argument("--steps", type=int, default=300, help="measured after the warm-up")
    train.add_argument("--batch_size", type=int, default=_TRAIN_BATCH, help="examples a step")
    train.add_argument("--beam_size", type=int, help="of exploration; default: as gin says")
    scaling = kinds.add_parser("scaling", help="time and memory over beams and batches")
    _with_run(scaling)
    scaling.add_argument(
        "--figures",
        metavar="FILE",
        required=True,
        help="where to keep what was measured, as JSON; what is there already is not repeated",
    )
    scaling.add_argument("--plot", metavar="PICTURE", help="draw them, .png or .svg")
    kinds.add_parser("workers", help="several: `lang2program benchmark workers --help`")
    kinds.add_parser("serve", help="an exported parser: `lang2program benchmark serve --help`")
    return parser


def main(argv: Sequence[str]) -> int:
    """Runs the command."""
    argv = list(argv)
    if argv[:1] == ["serve"]:
        return benchmark_serve.main(argv[1:])
    if argv[:1] == ["workers"]:
        return benchmark_workers.main(argv[1:])
    arguments = _parser().parse_args(argv)
    _check(arguments)
    started = time.perf_counter()
    import tensorflow  # noqa: F401

    import_seconds = time.perf_counter() - started
    run = _run(arguments)
    if arguments.kind == "scaling":
        return _scaling(arguments, run)
    params = list(arguments.gin_param)
    if arguments.kind == "train" and arguments.beam_size is not None:
        params.append(f"train/BeamSearch.beam_size = {arguments.beam_size}")
    if arguments.against is not None:
        return _show(*_compare(arguments, run, params), arguments.json)
    settings = {"gin_files": arguments.gin_file, "gin_params": params}
    if arguments.kind == "search":
        from lang2program_dev.benchmarks.search import SearchBenchmark

        benchmark = SearchBenchmark(
            run, **settings, batch_size=arguments.batch_size, repeats=arguments.repeats
        )
        return _show(*benchmark.run(), arguments.json)
    from lang2program_dev.benchmarks.train import TrainBenchmark

    training = TrainBenchmark(
        run, **settings, batch_size=arguments.batch_size, import_seconds=import_seconds
    )
    return _show(*training.run(steps=arguments.steps), arguments.json)


def _check(arguments: argparse.Namespace) -> None:
    """Refuses what cannot be measured."""
    if bool(arguments.gin_file) == bool(arguments.root_dir):
        raise UserError("give --gin_file or --root_dir, one of the two")
    if arguments.kind != "scaling":
        if arguments.against_gin_param and arguments.against is None:
            raise UserError("--against_gin_param is for the checkout that --against names")
        if arguments.against is not None:
            check_checkout(Path(arguments.against))
    for name in ("learned_steps", "batch_size", "steps", "repeats", "beam_size"):
        value = getattr(arguments, name, None)
        if value is not None and value < 1:
            raise UserError(f"--{name} {value} must be 1 or more")


def _run(arguments: argparse.Namespace) -> Path:
    """The folder of the run whose weights are used."""
    from lang2program_dev.benchmarks.trained import trained_run
    from lang2program_tf.learning.run_folder import RunFolder

    if arguments.root_dir is None:
        return trained_run(arguments.gin_file, arguments.gin_param, steps=arguments.learned_steps)
    folder = RunFolder(arguments.root_dir)
    folder.config()  # says what is wrong if there is no run
    return folder.path


def _compare(
    arguments: argparse.Namespace, run: Path, params: list[str]
) -> tuple[str, dict[str, Any]]:
    """Times this checkout and another in turn."""
    from lang2program_dev.benchmarks.against import compare
    from lang2program_dev.benchmarks.train import STEPS_A_TURN
    from lang2program_dev.benchmarks.worker_process import Measured

    this = Measured(arguments.kind, run, arguments.gin_file, params, arguments.batch_size)
    other = this._replace(gin_params=[*params, *arguments.against_gin_param])
    if arguments.kind == "search":
        turns, count = arguments.repeats, 1
    else:
        turns, count = max(1, arguments.steps // STEPS_A_TURN), min(STEPS_A_TURN, arguments.steps)
    return compare(this, other, checkout=Path(arguments.against), turns=turns, count=count)


def _scaling(arguments: argparse.Namespace, run: Path) -> int:
    from lang2program_dev.benchmarks.scaling import draw_points, measure_all, points_text

    points = measure_all(
        run,
        gin_files=arguments.gin_file,
        gin_params=arguments.gin_param,
        figures=Path(arguments.figures),
    )
    print(points_text(points))
    if arguments.plot is not None:
        draw_points(points, Path(arguments.plot))
    return 0


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
