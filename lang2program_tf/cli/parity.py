"""`lang2program parity`: compares this project with recordings of the original system."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

from lang2program_tf.cli.arguments import OneLineParser
from lang2program_tf.errors import UserError

_SECTIONS = (
    "executor",
    "selection",
    "model",
    "beams",
    "weights",
    "gradients",
    "dataset",
    "checkpoint",
)
_EXECUTORS = {"python": ("python",), "tensor": ("tensor",), "both": ("python", "tensor")}
_EPILOG = """\
Exit codes: 0 if everything that the folder holds was compared and nothing differs, 1 if something
differs, 2 if something is missing, truncated or could not be compared, and for bad usage.
Examples:

  lang2program parity --recordings ~/data/parity
  lang2program parity --recordings ~/data/parity --section executor --executor tensor --json -
"""


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(
        "lang2program parity",
        description="Compares this project with recordings of the original system.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--recordings", metavar="DIR", required=True, type=Path, help="the folder of recordings"
    )
    parser.add_argument(
        "--executor",
        choices=list(_EXECUTORS),
        default="both",
        help="which executor runs the recorded walks (both)",
    )
    parser.add_argument(
        "--section",
        nargs="+",
        action="extend",
        default=[],
        choices=_SECTIONS,
        metavar="NAME",
        help=f"compare only these: {', '.join(_SECTIONS)} (all that the folder holds)",
    )
    parser.add_argument(
        "--json", metavar="FILE", help="write the report as JSON too; - for standard output alone"
    )
    return parser


def main(argv: Sequence[str]) -> int:
    """Runs the command; returns its exit code."""
    arguments = _parser().parse_args(argv)
    from lang2program_tf.files import write_atomically
    from lang2program_tf.parity.folder import RecordingsFolder
    from lang2program_tf.parity.registry import find_checks
    from lang2program_tf.parity.report import exit_code, report_json, report_text

    if arguments.json not in (None, "-") and not Path(arguments.json).absolute().parent.is_dir():
        raise UserError(f"cannot write {arguments.json}: there is no such folder")
    checks = find_checks(
        RecordingsFolder(arguments.recordings),
        sections=arguments.section,
        executors=_EXECUTORS[arguments.executor],
    )
    comparisons = []
    with tqdm(checks, unit="recording", file=sys.stderr) as bar:
        for check in bar:
            bar.set_description(f"{check.section} {check.name}")
            comparisons += check.run()
    text = json.dumps(report_json(comparisons), indent=1, allow_nan=False)
    if arguments.json == "-":
        print(text)
    else:
        print(report_text(comparisons))
        if arguments.json:
            write_atomically(Path(arguments.json), text + "\n")
    return exit_code(comparisons)
