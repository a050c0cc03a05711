"""`lang2program plot`: learning curves of several runs in one picture, as the paper's Figure 3."""

from __future__ import annotations

from collections.abc import Sequence

from lang2program_tf.cli.arguments import OneLineParser


def main(argv: Sequence[str]) -> int:
    """Runs the command."""
    parser = OneLineParser(
        "lang2program plot",
        description="Draws learning curves. Runs with the same label are seeds of one learner: the "
        "line is their median, the shade their range.",
    )
    parser.add_argument("runs", nargs="+", metavar="LABEL=RUN", help="a label and a run folder")
    parser.add_argument("--out", required=True, metavar="PNG", help="the picture to write")
    parser.add_argument(
        "--kind",
        default="sample",
        choices=["train", "sample", "dev"],
        help="accuracy on a sample of train, on a sample of dev (default), or on all of dev",
    )
    parser.add_argument("--utterances", help="accuracy for this number of utterances only")
    parser.add_argument(
        "--level", type=float, metavar="PERCENT", help="mark where medians first surpass it"
    )
    arguments = parser.parse_args(argv)
    from lang2program_tf.learning.curves import draw_curves, read_curves

    curves = read_curves(arguments.runs, kind=arguments.kind, utterances=arguments.utterances)
    draw_curves(curves, arguments.out, level=arguments.level)
    print(f"wrote {arguments.out}")
    return 0
