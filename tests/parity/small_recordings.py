"""A small copy of a folder of recordings, and altering it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any, Callable

import numpy as np

# For each recording, which of its records the copy has: the first ones, or one in so many.
FIRST = {
    "model.tangrams.stack.cases.jsonl.gz": 4,
    "model.tangrams.stack.step150.cases.jsonl.gz": 4,
    "model.tangrams.history.cases.jsonl.gz": 4,
    "beams.tangrams.stack.step150.jsonl.gz": 3,  # not a whole batch
    "caseweights.tangrams.stack.step150.jsonl.gz": 3,
    "grads.tangrams.stack.cases.jsonl.gz": None,
    "checkpoint/dev_predictions.jsonl.gz": 4,
}
ONE_IN = {
    "executor.tangrams.jsonl.gz": 50,
    "executor.scene.jsonl.gz": 50,
    "eps_greedy.jsonl.gz": 20,
    "softmax_alpha_beta.jsonl.gz": 60,
}
WHOLE = (
    "dataset.tangrams.json",
    "word_vocab.json.gz",
    "word_embeds.npz",
    "model.tangrams.stack.meta.json",
    "model.tangrams.stack.step150.meta.json",
    "model.tangrams.history.meta.json",
    "weights.tangrams.stack.npz",
    "weights.tangrams.stack.step150.npz",
    "weights.tangrams.history.npz",
    "grads.tangrams.stack.meta.json",
    "grads.tangrams.stack.npz",
    "adamsparse.scene.history.npz",
    "checkpoint/weights-999.index",
    "checkpoint/weights-999.data-00000-of-00001",
)


def copy_small(source: Path, target: Path) -> None:
    """Copies some recordings, cut."""
    (target / "checkpoint").mkdir(parents=True)
    for name, count in FIRST.items():
        write_records(target / name, read_records(source / name)[:count])
    for name, step in ONE_IN.items():
        write_records(target / name, read_records(source / name)[::step])
    for name in WHOLE:
        (target / name).symlink_to((source / name).resolve())
    predicates = json.loads((source / "predicates.json").read_text())
    del predicates["alchemy"]
    (target / "predicates.json").write_text(json.dumps(predicates))


def read_records(path: Path) -> list[Any]:
    with gzip.open(path, "rt", encoding="ascii") as lines:
        return [json.loads(line) for line in lines]


def write_records(path: Path, records: list[Any]) -> None:
    with gzip.open(path, "wt", encoding="ascii", compresslevel=1) as lines:
        lines.writelines(json.dumps(record) + "\n" for record in records)


def alter(path: Path, change: Callable[[Any], None]) -> None:
    """Changes what a file holds: a list of records, an object, or a dict of arrays."""
    if path.name.endswith(".jsonl.gz"):
        records = read_records(path)
        change(records)
        write_records(path, records)
    elif path.suffix == ".json":
        content = json.loads(path.read_text())
        change(content)
        path.unlink()
        path.write_text(json.dumps(content))
    else:
        with np.load(path) as file:
            arrays = {name: file[name] for name in file.files}
        change(arrays)
        path.unlink()
        np.savez(path, **arrays)
