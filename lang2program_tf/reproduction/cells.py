"""What a table is made of: cells, each trained or evaluated with some seeds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from lang2program_tf.errors import UserError

DOMAINS = ("alchemy", "tangrams", "scene")  # in the paper's order
UTTERANCES = ("3", "5")

Percentages = tuple[float, float]  # for 3 and for 5 utterances


class Cell(NamedTuple):
    """What one set of gin files gives: one row of a table, in one domain.

    Attributes:
        gin_files: their names in the folder of gin files; later ones go on top of the first.
        row: what the command line calls the row.
        label: the row's name for people.
        domain: the domain.
        reference: the figures that ours stand beside, in percent, if there are any.
        seeds: that it is run with, unless others are asked for.
        evaluates: nothing is trained: so many runs of `source` are evaluated as one parser.
        source: the cell whose runs are evaluated.
    """

    gin_files: tuple[str, ...]
    row: str
    label: str
    domain: str
    reference: Percentages | None = None
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    evaluates: int = 0
    source: Cell | None = None

    @property
    def key(self) -> str:
        """Names it in files of results."""
        return " + ".join(self.gin_files)


class Table(NamedTuple):
    """A table that can be reproduced.

    Attributes:
        name: what the command line calls it.
        caption: what it compares, and of what kind the figures are.
        cells: in their order.
        reference: what the figures beside ours are called.
        holdout: whether accuracy on held-out dialogues is shown too.
        reading: how the paper was read, if there is more than one way to.
        draws_curves: whether it comes with a picture of learning curves.
    """

    name: str
    caption: str
    cells: tuple[Cell, ...]
    reference: str = "paper"
    holdout: bool = False
    reading: str | None = None
    draws_curves: bool = False


class Run(NamedTuple):
    """One run of a table.

    Attributes:
        cell: what is trained or evaluated.
        seed: its seed.
    """

    cell: Cell
    seed: int

    def __str__(self) -> str:
        return f"{self.cell.key} seed {self.seed}"

    def folder(self, root_dir: Path) -> Path:
        """Where the run is kept."""
        first, *others = (Path(name).with_suffix("") for name in self.cell.gin_files)
        return Path(root_dir, first, *(other.name for other in others), f"seed_{self.seed}")

    def sources(self) -> list[Run]:
        """The runs that it evaluates, none if it is trained itself."""
        if self.cell.source is None:
            return []
        return [Run(self.cell.source, self.seed + i) for i in range(self.cell.evaluates)]


def select_runs(
    table: Table, *, domains: Sequence[str], rows: Sequence[str], seeds: Sequence[int]
) -> list[Run]:
    """The runs of some domains and rows, of all if none are named: every row's first seed first.

    Args:
        table: the table.
        domains: their names.
        rows: their names.
        seeds: the same for all cells; if none are named, each has its own.
    """
    known = list(dict.fromkeys(cell.row for cell in table.cells))
    for row in rows:
        if row not in known:
            raise UserError(f"{table.name} has no row {row!r}; its rows are {', '.join(known)}")
    cells = [
        cell
        for cell in table.cells
        if (not domains or cell.domain in domains) and (not rows or cell.row in rows)
    ]
    if not cells:
        wanted = ", ".join(rows or ["any row"])
        raise UserError(f"{table.name} has no gin file for {wanted} in {', '.join(domains)}")
    runs = [
        (place, number, Run(cell, seed))
        for number, cell in enumerate(cells)
        for place, seed in enumerate(dict.fromkeys(seeds or cell.seeds))
    ]
    return [run for _, _, run in sorted(runs, key=lambda found: found[:2])]
