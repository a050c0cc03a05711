"""`lang2program explore`: what the search of training finds with the weights of a run."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

from lang2program_tf.cli.arguments import OneLineParser, add_gin_arguments
from lang2program_tf.errors import UserError
from lang2program_tf.text_tables import text_table

_SEARCHES_PLAINLY = "train/BeamSearch.jit_compile = False"  # compiling takes longer than this does
_EPILOG = """columns: share of examples with a rewarded program; share where the program that was
complete first is rewarded; rewarded and complete programs an example; the sum of p over the
rewarded ones.

examples:
  lang2program explore --root_dir runs/tangrams
  lang2program explore --root_dir runs/tangrams --gin_param 'Rollouts.epsilon = 0.2'"""


def main(argv: Sequence[str]) -> int:
    """Runs the command."""
    parser = OneLineParser(
        "lang2program explore",
        description="What the search of training finds on the sample of training examples that "
        "runs are evaluated on, by number of utterances; nothing is learned. The last line of "
        "output is one JSON object.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--root_dir", required=True, metavar="RUN", help="its best weights")
    parser.add_argument("--size", type=int, default=150, help="examples (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the search (default: 0)")
    add_gin_arguments(parser, required=False, use=" over those of the run")
    arguments = parser.parse_args(argv)
    if arguments.size < 1:
        raise UserError(f"--size: {arguments.size} is not a whole number, 1 or more")
    from lang2program_tf.learning.experiment import open_run
    from lang2program_tf.learning.explored import explore

    learner = open_run(
        arguments.root_dir,
        gin_files=arguments.gin_file,
        gin_params=[*arguments.gin_param, _SEARCHES_PLAINLY],
    )
    if learner.recalls:
        raise UserError(
            f"{arguments.root_dir} learns from a memory of programs, so it explores by no search; "
            "`lang2program describe --programs` tells what is in that memory"
        )
    found = explore(learner, size=arguments.size, seed=arguments.seed)
    head = ["utterances", "examples", "hit", "first right", "rewarded", "complete", "sum of p"]
    lines = [
        [str(length), str(row.examples), *(f"{number:.3f}" for number in row[1:])]
        for length, row in found.items()
    ]
    print(text_table([head, *lines], left=0))
    print(json.dumps({str(length): row._asdict() for length, row in found.items()}))
    return 0
