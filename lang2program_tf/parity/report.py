"""What comparing recordings has found, as a table and as JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from lang2program_tf.parity.comparison import Comparison
from lang2program_tf.text_tables import text_table

_HEADER = (
    "section",
    "recording",
    "records",
    "values",
    "differences",
    "near-ties",
    "largest error",
    "tolerance",
)
_TEXT_COLUMNS = 2
DIFFERS, NOT_COMPARED = 1, 2
_NEAR_TIES = (
    "near-ties: programs that another float32 computation ranks in another order, or lets fall off "
    "the end of a full beam, because scores are equal within the tolerance; each is checked"
)


def exit_code(comparisons: Sequence[Comparison]) -> int:
    """0 if all was compared and nothing differs, 1 if something differs, else 2."""
    if any(comparison.differences for comparison in comparisons):
        return DIFFERS
    return 0 if all(comparison.passed for comparison in comparisons) else NOT_COMPARED


def report_text(comparisons: Sequence[Comparison]) -> str:
    """The table, then what is wrong, then a verdict."""
    table = text_table([_HEADER, *map(_cells, comparisons)], left=_TEXT_COLUMNS)
    lines = [table]
    if any(comparison.near_ties for comparison in comparisons):
        lines += ["", _NEAR_TIES]
    lines += [f"note: {note}" for comparison in comparisons for note in comparison.notes]
    for comparison in comparisons:
        lines += _complaints(comparison)
    return "\n".join([*lines, "", _verdict(comparisons)])


def report_json(comparisons: Sequence[Comparison]) -> dict[str, Any]:
    """The same as one JSON object."""
    return {
        "passed": exit_code(comparisons) == 0,
        "comparisons": [
            {
                "section": comparison.section,
                "recording": comparison.subject,
                "passed": comparison.passed,
                "records": comparison.records,
                "values": comparison.values,
                "differences": comparison.differences,
                "near_ties": comparison.near_ties,
                "largest_error": _plain(comparison.largest_error),
                "tolerance": comparison.tolerance and comparison.tolerance._asdict(),
                "first_differences": [
                    {"place": d.place, "expected": _plain(d.expected), "found": _plain(d.found)}
                    for d in comparison.first
                ],
                "notes": comparison.notes,
                "problem": comparison.problem,
            }
            for comparison in comparisons
        ],
    }


def _plain(value: Any) -> Any:
    """JSON has no NaN, no infinity and no sets."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return sorted(value) if isinstance(value, set) else value


def _cells(comparison: Comparison) -> tuple[str, ...]:
    start = (comparison.section, comparison.subject)
    if comparison.problem is not None:
        return (*start, "-", "-", "-", "-", "-", "not compared")
    exact = comparison.tolerance is None
    return (
        *start,
        f"{comparison.records:,}",
        f"{comparison.values:,}",
        f"{comparison.differences:,}",
        f"{comparison.near_ties:,}",
        "-" if exact else f"{comparison.largest_error:.1e}",
        "exact" if exact else str(comparison.tolerance),
    )


def _complaints(comparison: Comparison) -> list[str]:
    title = f"{comparison.section}, {comparison.subject}"
    if comparison.problem is not None:
        return ["", f"{title}: not compared: {comparison.problem}"]
    if not comparison.values:
        return ["", f"{title}: not compared: it holds no value"]
    if not comparison.differences:
        return []
    shown = len(comparison.first)
    head = f"{title}: {comparison.differences:,} of {comparison.values:,} values differ"
    if shown < comparison.differences:
        head += f"; the first {shown}:"
    return ["", head, *(f"  {difference}" for difference in comparison.first)]


def _verdict(comparisons: Sequence[Comparison]) -> str:
    values = sum(comparison.values for comparison in comparisons)
    differences = sum(comparison.differences for comparison in comparisons)
    left_out = sum(not c.passed and not c.differences for c in comparisons)
    if exit_code(comparisons) == 0:
        return f"all {values:,} values agree"
    parts = [f"{differences:,} of {values:,} values differ"] if differences else []
    parts += [f"{left_out} recordings could not be compared"] if left_out else []
    return "; ".join(parts)
