"""`lang2program import_original`: makes a run folder of a model that the 2017 code has trained."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lang2program_tf.cli.arguments import OneLineParser
from lang2program_tf.errors import UserError
from lang2program_tf.gin_files import load_gin
from lang2program_tf.language import DOMAINS, get_domain

_EPILOG = """\
The folder then evaluates, exports and goes on training like any other run. Its settings are those
of --gin_file with the shape of the model; its words lie in it as words.npz. Nothing is written if a
variable is missing, unknown or of the wrong shape. Examples:

  lang2program import_original --checkpoint checkpoint/weights-999 --domain scene \\
      --word_vocab word_vocab.json.gz --root_dir runs/imported
  lang2program evaluate --root_dir runs/imported
  lang2program train --gin_file runs/imported/config.gin --root_dir runs/imported
"""


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(
        "lang2program import_original",
        description="Makes a run folder of a model that the 2017 code has trained.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "--checkpoint",
        metavar="PREFIX",
        type=Path,
        help="a TensorFlow 0.12 checkpoint: its path without .index",
    )
    source.add_argument(
        "--weights", metavar="FILE", type=Path, help="recorded variables, weights.NAME.npz"
    )
    parser.add_argument("--domain", required=True, choices=list(DOMAINS))
    parser.add_argument("--root_dir", metavar="RUN", type=Path, required=True, help="the new run")
    parser.add_argument(
        "--meta",
        metavar="FILE",
        type=Path,
        help="a model.NAME.meta.json that says what each variable is for; without one the names of "
        "the variables tell",
    )
    parser.add_argument(
        "--word_vocab",
        metavar="FILE",
        type=Path,
        help="the words of the rows of word_embeds: a JSON list (.json, .json.gz), or the GloVe "
        "file that they are the first words of (default: the one in the data folder)",
    )
    parser.add_argument(
        "--word_embeds",
        metavar="FILE",
        type=Path,
        help="an .npz with word_embeds, if they are not among the variables",
    )
    parser.add_argument(
        "--gin_file",
        action="append",
        metavar="FILE",
        help="settings of the run (default: released/DOMAIN.gin)",
    )
    parser.add_argument(
        "--gin_param", action="append", default=[], metavar="BINDING", help="and bindings over them"
    )
    return parser


def main(argv: Sequence[str]) -> int:
    """Runs the command."""
    arguments = _parser().parse_args(argv)
    from lang2program_tf.parity.import_original import import_run, run_bindings
    from lang2program_tf.parity.imported_words import name_rows
    from lang2program_tf.parity.original_weights import read_checkpoint, read_npz

    source = arguments.checkpoint or arguments.weights
    read = read_checkpoint if arguments.checkpoint else read_npz
    arrays = read(source)
    model = _model(arguments, arrays, source)
    words = name_rows(_word_rows(arguments, arrays, source), arguments.word_vocab)
    files = arguments.gin_file or [f"released/{arguments.domain}.gin"]
    load_gin(files, [*arguments.gin_param, *run_bindings(model)])
    imported = import_run(arguments.root_dir, model=model, arrays=arrays, words=words)
    moments = (
        "Adam's moments are not among the variables, so that training goes on without them"
        if imported.updates is None
        else f"Adam has made {imported.updates} updates"
    )
    print(
        f"{arguments.root_dir}: {model.domain.name}, history {' and '.join(model.history)}, ReLU "
        f"layers {', '.join(map(str, model.query_layers))}, {len(words):,} words, step "
        f"{imported.step}; {moments}"
    )
    return 0


def _model(arguments: argparse.Namespace, arrays: Any, source: Path) -> Any:
    from lang2program_tf.parity.original_names import infer_model
    from lang2program_tf.parity.original_weights import read_model

    if arguments.meta is None:
        return infer_model(arrays, get_domain(arguments.domain), source=source)
    model = read_model(arguments.meta)
    if model.domain.name != arguments.domain:
        raise UserError(
            f"{arguments.meta} describes a model of {model.domain.name}, not of {arguments.domain}"
        )
    return model


def _word_rows(arguments: argparse.Namespace, arrays: Any, source: Path) -> Any:
    from lang2program_tf.parity.imported_words import word_rows

    if arguments.word_embeds is not None:
        return word_rows(arguments.word_embeds)
    if "word_embeds" not in arrays:
        raise UserError(f"{source} holds no word_embeds; name a file that does with --word_embeds")
    return arrays["word_embeds"]
