"""A table out of the records of its runs: medians and ranges, with the paper's figures beside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

from lang2program_tf.reproduction.cells import UTTERANCES, Table
from lang2program_tf.reproduction.results import Record, Records
from lang2program_tf.text_tables import markdown_table

_MISSING = "–"
_PAPER = "paper"
_YES_NO = {True: "yes", False: "no", None: _MISSING}


def summarize(table: Table, records: Records) -> list[dict[str, Any]]:
    """One row for each cell of a table; what no run has given is None.

    Accuracies are in percent: `median`, `min` and `max` over seeds, the figure beside them,
    `paper` or `goal`, and whether it lies within their range, as far as the table shows digits.
    Steps are medians, hours those of all seeds together.
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
            "steps": median(run["steps"] for run in runs) if runs else None,
            "hours": sum(run["seconds"] for run in runs) / 3600 if runs else None,
            "accuracy": _accuracies([run["accuracy"] for run in runs]),
        }
        for place, length in enumerate(UTTERANCES):
            figure = cell.reference[place] if cell.reference else None
            row["accuracy"][length][table.reference] = figure
            row["accuracy"][length]["within"] = _within(figure, row["accuracy"][length])
        if table.holdout:
            held_out = [run["holdout"]["accuracy"] for run in runs if "holdout" in run]
            row["holdout"] = _accuracies(held_out)
        rows.append(row)
    return rows


def _within(figure: float | None, accuracy: dict[str, float | None]) -> bool | None:
    low, high = accuracy["min"], accuracy["max"]
    if figure is None or low is None or high is None:
        return None
    return round(low, 1) <= figure <= round(high, 1)


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
    rows = [_texts(table, row) for row in summarize(table, records)]
    lines = [f"# {table.name}", "", _caption(table), ""]
    lines.append(markdown_table(_head(table), rows, left=2))
    lines += _notes(table, records, fits)
    return "\n".join(lines) + "\n"


def _caption(table: Table) -> str:
    return (
        f"{table.caption} Best step and steps are medians, hours are of all seeds together. "
        f"{_MISSING} means that no run is finished."
    )


def _head(table: Table) -> list[str]:
    head = ["learner", "domain", "seeds"]
    for length in UTTERANCES:
        head += [f"{length} utterances", table.reference]
    if table.reference == _PAPER:
        head.append("within our range")
    if table.holdout:
        head += [f"{length} held out" for length in UTTERANCES]
    return [*head, "best step", "steps", "hours"]


def _texts(table: Table, row: dict[str, Any]) -> list[str]:
    texts = [row["label"], row["domain"], str(len(row["seeds"]) or _MISSING)]
    for length in UTTERANCES:
        accuracy = row["accuracy"][length]
        texts += [_with_range(accuracy), _percent(accuracy[table.reference])]
    if table.reference == _PAPER:
        texts.append(
            " / ".join(_YES_NO[row["accuracy"][length]["within"]] for length in UTTERANCES)
        )
    if table.holdout:
        texts += [_with_range(row["holdout"][length]) for length in UTTERANCES]
    for name, digits in (("best_step", 0), ("steps", 0), ("hours", 1)):
        texts.append(_MISSING if row[name] is None else f"{row[name]:,.{digits}f}")
    return texts


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
    for record in shown:
        code = " then ".join(record.get("code", [])) or "of a version that was not kept"
        notes.setdefault(f"Run with the code {code}", []).append(record)
    lines = []
    for note, runs in notes.items():
        if runs:
            lines += ["", f"{note}: {_names(table, runs)}."]
    return lines


def _names(table: Table, runs: Sequence[Record]) -> str:
    """The runs, by row and domain."""
    names = []
    for cell in table.cells:
        seeds = [str(run["seed"]) for run in runs if run["gin_file"] == cell.key]
        if seeds:
            names.append(f"{cell.label} on {cell.domain} (seed {', '.join(seeds)})")
    return "; ".join(names)
