"""`dataset.DOMAIN`: which examples the splits hold, their order, and the evaluation sample."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from lang2program_tf.corpus.data_dir import data_dir
from lang2program_tf.corpus.load import examples_of
from lang2program_tf.corpus.order import evaluation_sample
from lang2program_tf.corpus.scone import Example, read_lines
from lang2program_tf.errors import UserError
from lang2program_tf.parity.comparison import Comparison
from lang2program_tf.parity.folder import RecordingsFolder, domain_of
from lang2program_tf.parity.recordings import Record, read_json, reading

NAME = "dataset"
_START, _END = "dataset.", ".json"
_FORM = "orig"
# For each recorded split our name of it, and the file that it is made of.
_SPLITS = {"train": ("train", "train-orig"), "valid": ("dev", "dev"), "final": ("test", "test")}


def find(folder: RecordingsFolder) -> list[str]:
    """Names of domains."""
    return folder.names(_START, _END)


def check(folder: RecordingsFolder, name: str) -> Iterable[Comparison]:
    """Reads the splits whose files are in the data folder or beside the recordings."""
    domain = domain_of(name)
    path = folder.file(f"{_START}{name}{_END}")
    comparison = Comparison(NAME, name)
    with reading(path, "the splits"):
        missing = []
        for split, record in read_json(path).items():
            ours, kind = _SPLITS[split]
            tsv = _find_tsv(folder, f"{domain.name}-{kind}.tsv")
            if tsv is None:
                missing.append(f"{domain.name}-{kind}.tsv")
                continue
            lines = read_lines(tsv, domain.name)
            examples = examples_of(lines, domain=domain.name, split=ours, form=_FORM)
            _compare_split(comparison, examples, record, f"{split},")
        if not comparison.records:
            raise UserError(
                f"{path}: none of {', '.join(missing)} is in the folder `scone` of {data_dir()} or "
                "beside the recordings; `lang2program fetch scone` gets them"
            )
        comparison.notes += [
            f"{path.name}: no {file}, its split is not compared" for file in missing
        ]
    yield comparison


def _find_tsv(folder: RecordingsFolder, name: str) -> Path | None:
    candidates = (data_dir() / "scone" / name, folder.path.resolve().parent / "scone" / name)
    return next((path for path in candidates if path.is_file()), None)


def _compare_split(
    comparison: Comparison, examples: Sequence[Example], record: Record, place: str
) -> None:
    comparison.records += 1
    comparison.same(record["n"], len(examples), place, "n")
    first = record["first20"]
    _compare_places(comparison, first, examples[: len(first)], f"{place} first20")
    sample = evaluation_sample(examples)
    _compare_places(comparison, record["eval150"], sample, f"{place} eval150")
    lengths = Counter(str(len(example.utterances)) for example in sample)
    comparison.same(record["eval150_by_nutts"], dict(lengths), place, "eval150_by_nutts")


def _compare_places(
    comparison: Comparison, expected: list[list[int]], examples: Sequence[Example], place: str
) -> None:
    """Compares lines and numbers of utterances of examples."""
    comparison.same(len(expected), len(examples), place, "length")
    for number, (wanted, example) in enumerate(zip(expected, examples), start=1):
        found = [example.line, len(example.utterances)]
        comparison.same(wanted, found, f"{place}, example {number},", "line and utterances")
