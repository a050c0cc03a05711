"""What finished runs gave, out of their folders and out of the results files of tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from lang2program_tf.errors import UserError
from lang2program_tf.learning.run_folder import RunFolder
from lang2program_tf.reproduction.cells import Cell, Run, Table

Record = dict[str, Any]
Records = dict[tuple[str, int], Record]  # by a cell's key and seed

_CURVES = ("sample", "dev")


def finished_run(run: Run, root_dir: Path) -> Record | None:
    """The record of a run whose folder says that it is finished, None of any other."""
    folder = RunFolder(run.folder(root_dir))
    result = folder.result()
    if result is None:
        return None
    log = folder.records()
    return {
        "gin_file": run.cell.key,
        "row": run.cell.row,
        **result,
        "seed": run.seed,
        "config": folder.config(),
        "curve": {
            kind: [[line["step"], line["accuracy"]] for line in log if line["kind"] == kind]
            for kind in _CURVES
        },
    }


def finished_runs(table: Table, root_dir: Path) -> Records:
    """The records of all finished runs of a table below a folder, whatever their seeds."""
    found = {}
    for cell in table.cells:
        for seed in _seeds(cell, root_dir):
            record = finished_run(Run(cell, seed), root_dir)
            if record is not None:
                found[cell.key, seed] = record
    return found


def _seeds(cell: Cell, root_dir: Path) -> Iterator[int]:
    for path in Run(cell, 0).folder(root_dir).parent.glob("seed_*"):
        number = path.name[len("seed_") :]
        if path.is_dir() and number.isdigit():
            yield int(number)


def read_records(path: Path) -> Records:
    """The records of a results file; none if there is no such file."""
    try:
        runs = json.loads(path.read_text(encoding="utf-8"))["runs"]
        return {(run["gin_file"], run["seed"]): run for run in runs}
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError):
        raise UserError(
            f"{path} is not a file of results; move it away or choose another --results"
        ) from None


def records_of(table: Table, records: Records) -> Records:
    """Those of the records that are of a table's runs."""
    keys = {cell.key for cell in table.cells}
    return {key: record for key, record in records.items() if key[0] in keys}


def merge(sources: Sequence[Records], *, fits: Callable[[Record], bool]) -> Records:
    """One record for each run: of the first source whose record fits, else of the first source.

    Args:
        sources: records of folders, of results files; maybe made on other machines.
        fits: whether a record has the settings that the run would be trained with now.
    """
    merged = {}
    for key in dict.fromkeys(key for records in sources for key in records):
        candidates = [records[key] for records in sources if key in records]
        merged[key] = next(filter(fits, candidates), candidates[0])
    return merged
