"""`lang2program evaluate`: accuracy of a trained run or of an exported parser."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lang2program_tf.cli.arguments import OneLineParser
from lang2program_tf.cli.predicting import (
    add_predictor_arguments,
    check_predictor_arguments,
    predict,
)
from lang2program_tf.corpus.perturb import KINDS
from lang2program_tf.errors import UserError


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(
        "lang2program evaluate",
        description="Accuracy for 1 to 5 utterances. The last line of output is one JSON object.",
    )
    add_predictor_arguments(parser, splits=["train", "holdout", "dev", "test"])
    parser.add_argument(
        "--perturb",
        choices=KINDS,
        default="none",
        help="change every utterance as other people might have typed it: a full stop at its end, "
        "commas, capitals, or a typo in one word; always the same changes",
    )
    parser.add_argument("--predictions", metavar="FILE", help="write predictions as JSON lines")
    return parser


def main(argv: Sequence[str]) -> int:
    """Runs the command."""
    arguments = _parser().parse_args(argv)
    check_predictor_arguments(arguments)
    if arguments.predictions and not Path(arguments.predictions).absolute().parent.is_dir():
        raise UserError(f"cannot write {arguments.predictions}: there is no such folder")
    from lang2program_tf.learning.summary import summary_json, summary_table

    predictor, predictions = predict(arguments, doing="evaluating", perturbation=arguments.perturb)
    if arguments.predictions:
        _write(arguments.predictions, [p.to_json(predictor.domain) for p in predictions])
    summary = summary_json(predictor.domain, predictions)
    print(summary_table(predictions))
    if "spurious" in summary:
        print("{spurious} of {measured} right answers are spurious".format(**summary["spurious"]))
    print(json.dumps({**summary, "perturb": arguments.perturb}))
    return 0


def _write(path: str, records: list[dict[str, Any]]) -> None:
    from lang2program_tf.files import write_atomically

    write_atomically(Path(path), "".join(json.dumps(record) + "\n" for record in records))
