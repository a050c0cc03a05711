"""A table out of the records of its runs: medians and ranges, with the paper's figures beside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

from lang2program_tf.reproduction.cells import UTTERANCES, Table
from lang2program_tf.reproduction.results import Record, Records

_MISSING = "–"


def summarize(table: Table, records: Records) -> list[dict[str, Any]]:
    """One row for each cell of a table; what no run has given is None.

    Accuracies are in percent: `median`, `min` and `max` over seeds, and the figure beside them,
    `paper` or `goal`.
    """
    rows = []
    for cell in table.cells:
        runs = [record for (key, _), record in records.items() if key == cell.key]
        row: dict[str, Any] = {
            "row": cell.row,
            "label": cell.label,
            "domain": cell.domain,
            "gin_file": cell.key,
            "seeds": sorted(run["seed"] for run in runs),
            "best_step": median(run["best_step"] for run in runs) if runs else None,
            "accuracy": _accuracies([run["accuracy"] for run in runs]),
        }
        for place, length in enumerate(UTTERANCES):
            figure = cell.reference[place] if cell.reference else None
            row["accuracy"][length][table.reference] = figure
        if table.holdout:
            held_out = [run["holdout"]["accuracy"] for run in runs if "holdout" in run]
            row["holdout"] = _accuracies(held_out)
        rows.append(row)
    return rows


def _accuracies(found: Sequence[dict[str, float]]) -> dict[str, dict[str, float | None]]:
    """For each number of utterances the middle and the range of what runs have found."""
    accuracies: dict[str, dict[str, float | None]] = {}
    for length in UTTERANCES:
        values = [100 * of_run[length] for of_run in found if length in of_run]
        accuracies[length] = {
            "median": median(values) if values else None,
            "min": min(values, default=None),
            "max": max(values, default=None),
        }
    return accuracies


def markdown(table: Table, records: Records, *, fits: Callable[[Record], bool]) -> str:
    """The table as text.

    Args:
        table: the table.
        records: of its finished runs.
        fits: whether a record has the settings that its run would be trained with now.
    """
    head = _head(table)
    lines = [f"# {table.name}", "", _caption(table), ""]
    lines += [f"| {' | '.join(head)} |", "|---|---|" + "---:|" * (len(head) - 2)]
    lines += [f"| {' | '.join(_texts(table, row))} |" for row in summarize(table, records)]
    lines += _notes(table, records, fits)
    return "\n".join(lines) + "\n"


def _caption(table: Table) -> str:
    return f"{table.caption} {_MISSING} means that no run is finished."


def _head(table: Table) -> list[str]:
    head = ["learner", "domain", "seeds"]
    for length in UTTERANCES:
        head += [f"{length} utterances", table.reference]
    if table.holdout:
        head += [f"{length} held out" for length in UTTERANCES]
    return [*head, "median best step"]


def _texts(table: Table, row: dict[str, Any]) -> list[str]:
    texts = [row["label"], row["domain"], str(len(row["seeds"]) or _MISSING)]
    for length in UTTERANCES:
        accuracy = row["accuracy"][length]
        texts += [_with_range(accuracy), _percent(accuracy[table.reference])]
    if table.holdout:
        texts += [_with_range(row["holdout"][length]) for length in UTTERANCES]
    best_step = row["best_step"]
    return [*texts, _MISSING if best_step is None else f"{best_step:.0f}"]


def _with_range(accuracy: dict[str, float | None]) -> str:
    low, high = _percent(accuracy["min"]), _percent(accuracy["max"])
    middle = _percent(accuracy["median"])
    return middle if low == high else f"{middle} ({low}–{high})"


def _percent(value: float | None) -> str:
    return _MISSING if value is None else f"{value:.1f}"


def _notes(table: Table, records: Records, fits: Callable[[Record], bool]) -> list[str]:
    """What a reader must know of runs that are not as the table says."""
    keys = {cell.key for cell in table.cells}
    shown = [record for (key, _), record in sorted(records.items()) if key in keys]
    notes = {
        "Not on SCONE but on the embedded corpus, so not to be compared "
        f"with the {table.reference}": [record for record in shown if record["corpus"] != "scone"],
        "With other settings than the gin files and bindings give now": [
            record for record in shown if not fits(record)
        ],
    }
    lines = []
    for note, runs in notes.items():
        if runs:
            names = [f"{run['gin_file']} seed {run['seed']}" for run in runs]
            lines += ["", f"{note}: {', '.join(names)}."]
    return lines
