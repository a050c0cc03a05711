"""`lang2program generate`: writes an embedded corpus as SCONE files, with its gold programs."""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from lang2program_tf.cli.arguments import OneLineParser
from lang2program_tf.corpus.embedded.splits import Sizes, generate_splits, orig_lines
from lang2program_tf.corpus.scone import UNKNOWN_WORLD, Line
from lang2program_tf.errors import UserError
from lang2program_tf.files import put_in_place
from lang2program_tf.language import DOMAINS

_DEFAULT = Sizes()


def main(argv: Sequence[str]) -> int:
    """Runs the command; returns the exit code."""
    arguments = _parser().parse_args(argv)
    sizes = Sizes(arguments.lines, arguments.eval_lines, arguments.eval_lines)
    contents = corpus_files(arguments.domain, seed=arguments.seed, sizes=sizes)
    write_new_files(arguments.out, contents)
    for name, text in contents.items():
        print(f"{arguments.out / name}: {text.count(chr(10)):,} lines")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(
        prog="lang2program generate",
        description="Writes a corpus in the SCONE format, made by a grammar: DOMAIN-train.tsv, "
        "DOMAIN-train-orig.tsv, DOMAIN-dev.tsv, DOMAIN-test.tsv, and DOMAIN-gold.jsonl with the "
        "program of every utterance.",
    )
    parser.add_argument("--domain", required=True, choices=tuple(DOMAINS))
    parser.add_argument("--out", required=True, type=Path, help="the folder to write to")
    parser.add_argument("--seed", type=int, default=0, help="another seed, another corpus")
    parser.add_argument(
        "--lines", type=_positive, default=_DEFAULT.train, help="lines of train (%(default)s)"
    )
    parser.add_argument(
        "--eval-lines",
        type=_positive,
        default=_DEFAULT.dev,
        help="lines of dev, and as many of test (%(default)s)",
    )
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, got {text}")
    return number


def corpus_files(domain: str, *, seed: int, sizes: Sizes) -> dict[str, str]:
    """The files of a corpus: their names and what is in them."""
    splits = generate_splits(domain, seed=seed, sizes=sizes)
    files = {f"{domain}-{split}.tsv": _tsv(lines) for split, lines in splits.items()}
    files[f"{domain}-train-orig.tsv"] = _tsv(orig_lines(domain, splits["train"]))
    files[f"{domain}-gold.jsonl"] = "".join(
        json.dumps({"id": line.id, "split": split, "programs": line.gold_programs}) + "\n"
        for split, lines in splits.items()
        for line in lines
    )
    return files


def _tsv(lines: Iterable[Line]) -> str:
    return "".join("\t".join(_fields(line)) + "\n" for line in lines)


def _fields(line: Line) -> list[str]:
    worlds = [UNKNOWN_WORLD if world is None else world for world in line.worlds]
    fields = [line.id, worlds[0]]
    for utterance, world in zip(line.utterances, worlds[1:]):
        fields += [utterance, world]
    return fields


def write_new_files(folder: Path, contents: dict[str, str]) -> None:
    """Writes files that are not there yet: all of them, or none if something goes wrong.

    Raises:
        UserError: one of them exists, or the folder cannot be written to.
    """
    for name in contents:
        if (folder / name).exists():
            raise UserError(f"{folder / name} is there already; name another folder with --out")
    placed: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as workshop:
            for name, text in contents.items():
                (Path(workshop) / name).write_bytes(text.encode("utf-8"))
            for name in contents:
                put_in_place(Path(workshop) / name, folder / name)
                placed.append(folder / name)
    except OSError as error:
        for path in placed:
            path.unlink()
        raise UserError(f"cannot write to {folder} ({error.strerror})") from error
