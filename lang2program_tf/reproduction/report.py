"""A table out of the records of its runs: medians and ranges, with the paper's figures beside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

from lang2program_tf.reproduction.results import Record, Records
from lang2program_tf.reproduction.tables import UTTERANCES, Cell, Table

_MISSING = "–"
_HEAD = (
    *("learner", "domain", "seeds"),
    *("3 utterances", "paper", "5 utterances", "paper"),
    "median best step",
)


def summarize(table: Table, records: Records) -> list[dict[str, Any]]:
    """One row for each cell of a table; what no run has given is None.

    Accuracies are in percent: `median`, `min` and `max` over seeds, and `paper`.
    """
    rows = []
    for cell in table.cells:
        runs = [record for (gin_file, _), record in records.items() if gin_file == cell.gin_file]
        rows.append(
            {
                "row": cell.row,
                "label": cell.label,
                "domain": cell.domain,
                "gin_file": cell.gin_file,
                "seeds": sorted(run["seed"] for run in runs),
                "best_step": median(run["best_step"] for run in runs) if runs else None,
                "accuracy": _accuracies(cell, runs),
            }
        )
    return rows


def _accuracies(cell: Cell, runs: Sequence[Record]) -> dict[str, dict[str, float | None]]:
    accuracies: dict[str, dict[str, float | None]] = {}
    for place, length in enumerate(UTTERANCES):
        values = [100 * run["accuracy"][length] for run in runs if length in run["accuracy"]]
        accuracies[length] = {
            "median": median(values) if values else None,
            "min": min(values, default=None),
            "max": max(values, default=None),
            "paper": cell.paper[place] if cell.paper else None,
        }
    return accuracies


def markdown(table: Table, records: Records, *, fits: Callable[[Record], bool]) -> str:
    """The table as text.

    Args:
        table: the table.
        records: of its finished runs.
        fits: whether a record has the settings that its run would be trained with now.
    """
    lines = [f"# {table.name}", "", _caption(table), ""]
    lines += [f"| {' | '.join(_HEAD)} |", "|---|---|" + "---:|" * (len(_HEAD) - 2)]
    lines += [f"| {' | '.join(_texts(row))} |" for row in summarize(table, records)]
    lines += _notes(table, records, fits)
    return "\n".join(lines) + "\n"


def _caption(table: Table) -> str:
    return (
        f"{table.title}. Accuracy in percent. Ours is on the validation examples, median over "
        "seeds (lowest–highest); the paper's is on the test examples, so the two are not the "
        f"same measure. {_MISSING} means that no run is finished."
    )


def _texts(row: dict[str, Any]) -> list[str]:
    texts = [row["label"], row["domain"], str(len(row["seeds"]) or _MISSING)]
    for length in UTTERANCES:
        accuracy = row["accuracy"][length]
        texts += [_with_range(accuracy), _percent(accuracy["paper"])]
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
    files = {cell.gin_file for cell in table.cells}
    shown = [record for (gin_file, _), record in sorted(records.items()) if gin_file in files]
    notes = {
        "Not on SCONE but on the embedded corpus, so not to be compared with the paper": [
            record for record in shown if record["corpus"] != "scone"
        ],
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
