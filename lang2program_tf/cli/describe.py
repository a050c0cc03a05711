"""`lang2program describe`: facts about a data set."""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from lang2program_tf.cli.arguments import OneLineParser
from lang2program_tf.corpus.data_dir import scone_file
from lang2program_tf.corpus.describe import describe, to_json, to_text
from lang2program_tf.corpus.embedded.splits import generate_splits
from lang2program_tf.corpus.glove import ORIGINAL_MAX_RANK
from lang2program_tf.corpus.scone import Line, read_lines
from lang2program_tf.corpus.words import load_word_vectors
from lang2program_tf.errors import UserError
from lang2program_tf.language import DOMAINS, Domain, get_domain

_SOURCES = ("shipped", "glove")


def main(argv: Sequence[str]) -> int:
    """Describes the data sets that the arguments name."""
    args = _parser().parse_args(argv)
    source, path = (args.words, None) if args.words in _SOURCES else ("glove", args.words)
    vectors = load_word_vectors(source, path=path, max_rank=args.max_rank)
    found = [
        describe(lines, name=name, domain=domain, vectors=vectors, count_programs=args.programs)
        for name, domain, lines in _data_sets(args)
    ]
    if args.json:
        report = {
            "word_vectors": dataclasses.asdict(vectors.source),
            "data_sets": [to_json(description) for description in found],
        }
        print(json.dumps(report, indent=2, ensure_ascii=False))
    else:
        print("\n\n".join([f"word vectors: {vectors.source}", *map(to_text, found)]))
    return 0


def _data_sets(args: argparse.Namespace) -> Iterator[tuple[str, Domain, Sequence[Line]]]:
    if args.tsv:
        for path in _files(args.tsv, args.domain):
            domain = args.domain or _domain_of(path)
            yield str(path), get_domain(domain), read_lines(path, domain)
        return
    for domain in [args.domain] if args.domain else DOMAINS:
        if args.embedded:
            for split, lines in generate_splits(domain).items():
                yield f"embedded {domain}-{split}", get_domain(domain), lines
        else:
            path = scone_file(domain, args.split)
            yield str(path), get_domain(domain), read_lines(path, domain)


def _files(paths: Sequence[Path], domain: str | None) -> Iterator[Path]:
    """The files, and for each folder those in it; of one domain only, if it is given."""
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        found = [file for name in DOMAINS for file in sorted(path.glob(f"{name}-*.tsv"))]
        found = [file for file in found if domain in (None, _domain_of(file))]
        if not found:
            raise UserError(f"{path} holds no files {domain or 'DOMAIN'}-SPLIT.tsv")
        yield from found


def _domain_of(path: Path) -> str:
    for name in DOMAINS:
        if path.name.startswith(name):
            return name
    raise UserError(f"{path}: say with --domain which of {', '.join(DOMAINS)} it is")


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(
        prog="lang2program describe",
        description="Prints facts about data sets: examples, turns and how many commands fit their "
        "worlds, lengths of utterances, vocabulary, unknown words, and which word vectors were "
        "used.",
    )
    data = parser.add_mutually_exclusive_group(required=True)
    data.add_argument(
        "--tsv",
        type=Path,
        nargs="+",
        metavar="PATH",
        help="files in the SCONE format, or folders of them",
    )
    data.add_argument(
        "--split",
        choices=["train", "train-orig", "dev", "test"],
        help="a file of SCONE in the data folder",
    )
    data.add_argument(
        "--embedded", action="store_true", help="the corpus that needs no files, all its splits"
    )
    parser.add_argument(
        "--domain",
        choices=list(DOMAINS),
        help="default: with --tsv what the name of the file begins with, else all three",
    )
    parser.add_argument(
        "--words",
        default="shipped",
        metavar="shipped|glove|FILE",
        help="word vectors: those of this package (default), the GloVe file in the data folder, "
        "or a GloVe file",
    )
    parser.add_argument(
        "--max_rank",
        type=_positive,
        metavar="N",
        help="know only the N most frequent words of GloVe; "
        f"the original's setting is {ORIGINAL_MAX_RANK}",
    )
    parser.add_argument(
        "--programs",
        action="store_true",
        help="list all programs of every sentence in its context, once, and count them",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number above 0, got {text!r}")
    return int(text)
