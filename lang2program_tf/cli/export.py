"""`lang2program export`: writes the parser of a run as a SavedModel."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from lang2program_tf.cli.arguments import OneLineParser
from lang2program_tf.errors import UserError

_EPILOG = """example:
  lang2program export --root_dir runs/scene --export_dir exported/scene
  lang2program parse --export exported/scene \\
      --world "1:r_ 2:__ 3:__ 4:gp 5:__ 6:__ 7:__ 8:__ 9:__ 10:yo" "the man in red leaves"
"""


def main(argv: Sequence[str]) -> int:
    """Runs the command."""
    arguments = _parser().parse_args(argv)
    for name in ("beam_size", "top_k", "max_utterances"):
        value = getattr(arguments, name)
        if value is not None and value < 1:
            raise UserError(f"--{name} must be 1 or more, got {value}")
    from lang2program_tf.serving.export_run import export_run

    version = export_run(
        arguments.root_dir,
        arguments.export_dir,
        beam_size=arguments.beam_size,
        top_k=arguments.top_k,
        max_utterances=arguments.max_utterances,
    )
    print(version)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(
        "lang2program export",
        description="Writes the best parser of a run, or those of several runs as one, to the "
        "next free EXPORT_DIR/VERSION: a SavedModel that takes sentences and a world as texts and "
        "gives programs and worlds. Prints the folder of the version, which is complete at the "
        "moment it appears.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--root_dir",
        required=True,
        nargs="+",
        metavar="RUN",
        help="a run folder; of several, the average of their token probabilities is exported",
    )
    parser.add_argument("--export_dir", required=True, metavar="DIR", help="exported/DOMAIN")
    parser.add_argument(
        "--beam_size", type=int, help="of the search; default: as the run is evaluated"
    )
    parser.add_argument(
        "--top_k", type=int, default=5, help="how many programs an answer holds (5)"
    )
    parser.add_argument(
        "--max_utterances", type=int, default=5, help="how many a request may have (5)"
    )
    return parser
