"""The short table of results in a README, out of the files of results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lang2program_tf.files import write_atomically
from lang2program_tf.reproduction.cells import DOMAINS, UTTERANCES
from lang2program_tf.reproduction.tables import AS_RUN, TEXT, read_table
from lang2program_tf.text_tables import markdown_table

BEGIN = "<!-- written by `lang2program reproduce`: begin -->"
END = "<!-- written by `lang2program reproduce`: end -->"
_MISSING = "–"
# The table whose rows are shown: the learners.
_TABLE = "table1"
_OURS = {AS_RUN: "as run", TEXT: "as its text says"}


def update_readme(results: Path) -> bool:
    """Writes the table of learners into the README beside a folder of results.

    Returns:
        Whether there is such a README with a place for it.
    """
    path = results.resolve().parent / "README.md"
    if not path.exists():
        return False
    text = path.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        return False
    new = f"{before}{BEGIN}\n{short_table(results)}\n{END}{after}"
    if new != text:
        write_atomically(path, new)
    return True


def short_table(results: Path) -> str:
    """Medians on dev with the number of seeds, in both readings, and the paper's figures."""
    found = {
        reading: _rows(results / f"{read_table(_TABLE, reading=reading).name}.json")
        for reading in _OURS
    }
    cells = {(cell.row, cell.domain): cell for cell in read_table(_TABLE).cells}
    labels = {cell.row: cell.label for cell in reversed(read_table(_TABLE).cells)}
    lines = []
    for row, label in labels.items():
        for reading, how in _OURS.items():
            texts = [_ours(found[reading].get((row, domain))) for domain in DOMAINS]
            lines.append([f"{label} {how}: ours, dev", *texts])
        figures = [cells[row, domain].reference for domain in DOMAINS]
        if any(figures):
            texts = [" / ".join(map(str, figure or ())) for figure in figures]
            lines.append([f"{label}: the paper, test", *texts])
    return markdown_table(["", *DOMAINS], lines)


def _rows(path: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """The summaries in a file of results, by row and domain; none if there is no file."""
    if not path.exists():
        return {}
    rows = json.loads(path.read_text(encoding="utf-8"))["rows"]
    return {(row["row"], row["domain"]): row for row in rows}


def _ours(row: dict[str, Any] | None) -> str:
    if row is None or not row["seeds"]:
        return _MISSING
    medians = [row["accuracy"][length]["median"] for length in UTTERANCES]
    texts = [_MISSING if value is None else f"{value:.1f}" for value in medians]
    seeds = len(row["seeds"])
    return f"{' / '.join(texts)} ({seeds} seed{'s' if seeds > 1 else ''})"
