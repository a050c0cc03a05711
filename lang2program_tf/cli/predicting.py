"""The arguments of commands that predict with a run or an export, and the predictions."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tqdm import tqdm

from lang2program_tf.cli.arguments import add_gin_arguments
from lang2program_tf.corpus.corpora import WHAT_THERE_IS, is_corpus
from lang2program_tf.errors import UserError

if TYPE_CHECKING:
    from lang2program_tf.analysis.predictors import Predictor
    from lang2program_tf.learning.evaluation import Prediction


def add_predictor_arguments(parser: argparse.ArgumentParser, *, splits: Sequence[str]) -> None:
    """Declares where the parser and the examples come from."""
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "--root_dir",
        nargs="+",
        metavar="RUN",
        help="a run folder, its best checkpoint; of several, the average of their token "
        "probabilities",
    )
    source.add_argument("--export", metavar="DIR", help="an exported parser, DOMAIN/VERSION")
    data = parser.add_mutually_exclusive_group()
    data.add_argument("--tsv", metavar="FILE", help="a file in SCONE's format")
    data.add_argument(
        "--split",
        default="dev",
        choices=splits,
        help="of the corpus (dev); holdout: the training dialogues that the run was not trained on",
    )
    parser.add_argument(
        "--corpus",
        metavar="scone|embedded|FOLDER",
        help="SCONE, the corpus that needs no files, or a folder with files such as scene-dev.tsv; "
        "default: the one the run was trained on",
    )
    parser.add_argument(
        "--batch_size", type=int, default=32, help="examples at a time (32); changes no result"
    )
    add_gin_arguments(parser, required=False, use=" of a run's evaluation, over its own")


def check_predictor_arguments(arguments: argparse.Namespace) -> None:
    """Refuses what `predict` could not do, before anything heavy is imported."""
    if arguments.batch_size < 1:
        raise UserError(f"--batch_size must be 1 or more, got {arguments.batch_size}")
    if arguments.export and (arguments.gin_file or arguments.gin_param):
        raise UserError("--gin_file and --gin_param are for runs; an export's settings are fixed")
    if arguments.corpus and not is_corpus(arguments.corpus):
        raise UserError(f"--corpus must be {WHAT_THERE_IS}, got {arguments.corpus!r}")


def predict(
    arguments: argparse.Namespace, *, doing: str, perturbation: str = "none"
) -> tuple[Predictor, list[Prediction]]:
    """The parser and its predictions, under a progress bar that says what is being done.

    Args:
        arguments: as declared above.
        doing: what the bar says.
        perturbation: how utterances are changed before they are predicted.
    """
    from lang2program_tf.analysis import predictors
    from lang2program_tf.corpus.perturb import perturb

    predictor: Predictor
    if arguments.root_dir:
        predictor = predictors.RunPredictor(
            *arguments.root_dir,
            batch_size=arguments.batch_size,
            gin_files=arguments.gin_file,
            gin_params=arguments.gin_param,
        )
    else:
        predictor = predictors.ExportPredictor(arguments.export, batch_size=arguments.batch_size)
    examples = predictors.load(
        predictor, split=arguments.split, corpus=arguments.corpus, tsv=arguments.tsv
    )
    examples = perturb(examples, perturbation)
    bar = tqdm(predictor.predict(examples), total=len(examples), desc=doing, unit="example")
    return predictor, list(bar)
