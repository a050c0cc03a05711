"""`lang2program train`: trains a parser in a run folder, or goes on with one."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from lang2program_tf.cli.arguments import OneLineParser, add_gin_arguments
from lang2program_tf.learning.supervision import LOST, supervise, wants_supervision

_EPILOG = """examples:
  lang2program train --gin_file released/scene.gin --root_dir runs/scene
  lang2program train --gin_file released/scene.gin --gin_param 'Task.corpus = "embedded"' …

The same command again goes on where the run stopped. The last line of output is the result, one
JSON object. Exit codes: 0 when the run is finished, 2 for an error, 130 and 143 when it was stopped
by Ctrl-C and by SIGTERM (it has saved itself)."""


def main(argv: Sequence[str]) -> int:
    """Runs the command."""
    arguments = _parser().parse_args(argv)
    if wants_supervision():
        return supervise([sys.executable, "-m", "lang2program_tf.cli.main", "train", *argv])
    from lang2program_tf.gin_files import load_gin
    from lang2program_tf.learning.experiment import train
    from lang2program_tf.learning.loop import Interrupted
    from lang2program_tf.learning.workers import WorkerLost

    load_gin(arguments.gin_file, arguments.gin_param)
    try:
        result = train(arguments.root_dir)
    except Interrupted as stop:
        print(stop, file=sys.stderr)
        return 128 + stop.signal
    except WorkerLost as lost:
        print(lost, file=sys.stderr)
        return LOST
    print(json.dumps(result))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(
        "lang2program train",
        description="Trains a parser.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--root_dir", required=True, metavar="RUN", help="the folder of the run")
    add_gin_arguments(parser, required=True)
    return parser
