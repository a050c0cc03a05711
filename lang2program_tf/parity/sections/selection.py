"""`eps_greedy`: the released code's randomized selection, draw by draw."""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import groupby

from lang2program_tf.parity.comparison import Comparison
from lang2program_tf.parity.folder import RecordingsFolder
from lang2program_tf.parity.recordings import read_json_lines, reading
from lang2program_tf.parity.selection_records import recorded_draws, select_recorded

NAME = "selection"
_RECORDING = "eps_greedy"
_END = ".jsonl.gz"


def find(folder: RecordingsFolder) -> list[str]:
    """`eps_greedy`, if it is there."""
    return [_RECORDING] if (folder.path / f"{_RECORDING}{_END}").is_file() else []


def check(folder: RecordingsFolder, name: str) -> Iterable[Comparison]:
    """Makes the recorded draws with our selection rule."""
    path = folder.file(f"{name}{_END}")
    comparison = Comparison(NAME, name)
    sorted_records = []
    for number, record in enumerate(read_json_lines(path), start=1):
        with reading(path, f"record {number}"):
            place = f"record {number}"
            draws = recorded_draws(record)
            comparison.same(len(record["uniforms"]), draws.used, place, "number of uniforms")
            if "seed" in record:
                generator = random.Random(record["seed"])
                drawn = [generator.random() for _ in record["uniforms"]]
                comparison.same(record["uniforms"], drawn, place, "uniforms of this seed")
            sorted_records.append((record["n"], record["k"], number, record))
    sorted_records.sort(key=lambda entry: entry[:3])
    for size, group in groupby(sorted_records, key=lambda entry: entry[:2]):
        entries = list(group)
        with reading(path, f"records of n = {size[0]}, k = {size[1]}"):
            chosen = select_recorded([record for *_, record in entries])
        for (_, _, number, record), ranks in zip(entries, chosen):
            comparison.records += 1
            comparison.values += max(len(ranks) - 1, 0)
            comparison.same(record["indices"], ranks, f"record {number}", "indices")
    yield comparison
