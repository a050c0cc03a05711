"""`lang2program fetch`: downloads SCONE and GloVe into the data folder."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from lang2program_tf.cli.arguments import OneLineParser
from lang2program_tf.corpus.archives import ARCHIVES
from lang2program_tf.corpus.data_dir import data_dir
from lang2program_tf.corpus.fetch import fetch
from lang2program_tf.errors import UserError

_ALL = "all"


def main(argv: Sequence[str]) -> int:
    """Fetches what the arguments name."""
    options = _parser().parse_args(argv)
    if options.archive == _ALL and (options.source or options.url or options.sha256):
        raise UserError("--from, --url and --sha256 are about one archive: say scone or glove")
    for name in ARCHIVES if options.archive == _ALL else [options.archive]:
        done = fetch(
            ARCHIVES[name],
            root=options.data_dir,
            source=options.source,
            url=options.url,
            sha256=options.sha256,
            force=options.force,
        )
        if done.files:
            print(f"{name}: {len(done.files)} files in {done.folder}; archive sha256 {done.sha256}")
        else:
            print(f"{name}: already in {done.folder} (--force fetches it again)")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(
        prog="lang2program fetch",
        description="Downloads data, checks it, and unpacks what is needed into the data folder. "
        "A download that was cut off is resumed. Nothing changes in the data folder unless the "
        "whole archive is sound, has the known SHA-256 sums, and is no larger than it may be.",
        epilog="The official archives: "
        + "; ".join(f"{archive.name} is {archive.url}" for archive in ARCHIVES.values()),
    )
    parser.add_argument(
        "archive",
        choices=[*ARCHIVES, _ALL],
        help="scone: the data sets; glove: word vectors (822 MB)",
    )
    parser.add_argument(
        "--data_dir",
        type=Path,
        default=data_dir(),
        metavar="DIR",
        help="the data folder (default: $LANG2PROGRAM_DATA, else ~/.cache/lang2program)",
    )
    parser.add_argument(
        "--from", dest="source", type=Path, metavar="FILE", help="use an archive that is on disk"
    )
    parser.add_argument("--url", metavar="URL", help="download from here instead")
    parser.add_argument(
        "--sha256",
        metavar="HEX",
        help="what the archive must hash to, instead of the sums that are known",
    )
    parser.add_argument(
        "--force", action="store_true", help="fetch and replace files that are already there"
    )
    return parser
