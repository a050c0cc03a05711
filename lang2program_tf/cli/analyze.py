"""`lang2program analyze`: what holds the accuracy of a run or an export back."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from lang2program_tf.cli.arguments import OneLineParser
from lang2program_tf.cli.predicting import (
    add_predictor_arguments,
    check_predictor_arguments,
    predict,
)
from lang2program_tf.errors import UserError

_DESCRIPTION = """\
Accuracy by utterance position, by action and by way of reference; the most frequent mistakes with
examples; unknown words; calibration."""

_EXAMPLES = """examples:
  lang2program analyze --root_dir runs/scene
  lang2program analyze --export exported/scene --out results
  lang2program analyze --root_dir runs/scene --tsv my-scene.tsv --examples 30
"""

_EXPORT_NOTE = (
    " An export tells its best programs only: a right one that is ranked lower counts as not found."
)


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(
        "lang2program analyze",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    # Examples for training are not all prefixes of their lines; a --tsv of theirs is read as such.
    add_predictor_arguments(parser, splits=["holdout", "dev", "test"])
    parser.add_argument(
        "--out",
        metavar="FOLDER",
        help="write DOMAIN.md, DOMAIN.json and DOMAIN_calibration.png into it",
    )
    parser.add_argument(
        "--examples", type=int, default=10, metavar="N", help="wrong steps to show (10)"
    )
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object instead of the page"
    )
    return parser


def main(argv: Sequence[str]) -> int:
    """Runs the command."""
    arguments = _parser().parse_args(argv)
    check_predictor_arguments(arguments)
    if arguments.examples < 0:
        raise UserError(f"--examples must be 0 or more, got {arguments.examples}")
    folder = _folder(arguments.out) if arguments.out else None
    from lang2program_tf.analysis.calibration import calibration_picture
    from lang2program_tf.analysis.page import page
    from lang2program_tf.analysis.report import analyze, to_json
    from lang2program_tf.files import write_atomically

    predictor, predictions = predict(arguments, doing="predicting")
    analysis = analyze(
        predictor.domain,
        predictions,
        vocabulary=predictor.vocabulary,
        tokenizer=predictor.tokenizer,
        by_worlds=predictor.by_worlds,
    )
    subject, shown = _subject(arguments, predictor.corpus), arguments.examples
    record = json.dumps(to_json(analysis))
    if folder:
        name = predictor.domain.name
        picture = f"{name}_calibration.png"
        text = page(analysis, subject=subject, examples=shown, picture=picture)
        write_atomically(
            folder / picture, calibration_picture(analysis.bins, name, answer=analysis.answer)
        )
        write_atomically(folder / f"{name}.json", record + "\n")
        write_atomically(folder / f"{name}.md", text)
    if arguments.json:
        print(record)
    else:
        print(page(analysis, subject=subject, examples=shown, picture=None))
    return 0


def _folder(path: str) -> Path:
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"cannot write to {path}: {error.strerror}") from error
    return Path(path)


def _subject(arguments: argparse.Namespace, trained_on: str) -> str:
    """Which parser was analyzed on which data; a page is for others, who have other folders."""
    paths = [Path(path).absolute() for path in arguments.root_dir or [arguments.export]]
    kind = ("Runs" if len(paths) > 1 else "Run") if arguments.root_dir else "Export"
    source = f"{kind} {', '.join(f'`{path.parent.name}/{path.name}`' for path in paths)}"
    split = f"the {arguments.split} split of {arguments.corpus or trained_on}"
    data = f"the file `{Path(arguments.tsv).name}`" if arguments.tsv else split
    note = "" if arguments.root_dir else _EXPORT_NOTE
    return f"{source}, on {data}.{note}"
