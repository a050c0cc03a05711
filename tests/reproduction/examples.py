"""Runs and records of a table with two rows, for tests."""

from __future__ import annotations

from typing import Any

from lang2program_tf.reproduction.cells import Cell, Table

PAPER = Cell(("paper/x/scene_good.gin",), "good", "Good", "scene", (64.8, 46.2))
OURS = Cell(("paper/x/alchemy_new.gin",), "new", "new", "alchemy", None)
TABLE = Table("table9", "Table 9, this and that.", (PAPER, OURS))


def record(cell: Cell, seed: int, three: float, five: float, **values: Any) -> dict[str, Any]:
    """The record of a finished run."""
    return {
        "gin_file": cell.key,
        "row": cell.row,
        "domain": cell.domain,
        "corpus": "scone",
        "seed": seed,
        "steps": 5000,
        "seconds": 1800.0,
        "best_step": 1000 * (seed + 1),
        "accuracy": {"3": three, "5": five},
        "config": "as now",
        "curve": {"sample": [[100, three], [200, five]], "dev": []},
        **values,
    }


def by_key(*records: dict[str, Any]) -> dict[tuple[str, int], dict[str, Any]]:
    """Records as the package keeps them."""
    return {(one["gin_file"], one["seed"]): one for one in records}


def as_now(one: dict[str, Any]) -> bool:
    """Whether a record has the settings of now."""
    return one["config"] == "as now"
