"""The paper's Figure 3 out of the records of its runs."""

from __future__ import annotations

from pathlib import Path

from lang2program_tf.files import replacing
from lang2program_tf.learning.curves import Curve, draw_curves, join_points
from lang2program_tf.reproduction.cells import Table
from lang2program_tf.reproduction.results import Records

_LEVEL = 60.0  # percent; the paper marks where each learner surpasses it


def figure_curves(table: Table, records: Records) -> dict[str, Curve]:
    """Accuracy on a sample of the validation examples by step, for the rows that have runs."""
    curves = {}
    for cell in table.cells:
        points = [
            {step: accuracy for step, accuracy in record["curve"]["sample"]}
            for (key, _), record in records.items()
            if key == cell.key
        ]
        points = [curve for curve in points if curve]
        if points:
            curves[cell.label] = join_points(cell.label, points)
    return curves


def speeds(table: Table, records: Records) -> str:
    """In words, when the runs of each row first surpass the level that the paper marks."""
    lines = [f"First step at which a run surpasses {_LEVEL:.0f} % of the sample of dev:", ""]
    for cell in table.cells:
        found = {
            seed: [step for step, accuracy in record["curve"]["sample"] if 100 * accuracy > _LEVEL]
            for (key, seed), record in sorted(records.items())
            if key == cell.key
        }
        when = [
            f"{steps[0]:,} (seed {seed})" if steps else f"never (seed {seed})"
            for seed, steps in found.items()
        ]
        lines.append(f"- {cell.label}: {', '.join(when) or 'no run is finished'}")
    return "\n".join(lines) + "\n"


def draw_figure(table: Table, records: Records, path: Path) -> bool:
    """Draws the figure; whether there was any run to draw."""
    curves = figure_curves(table, records)
    if curves:
        with replacing(path) as unfinished:
            draw_curves(curves, unfinished, level=_LEVEL)
    return bool(curves)
