"""The tables that can be reproduced: the gin files of the paper's, with the paper's figures."""

from __future__ import annotations

from typing import NamedTuple

from lang2program_tf.errors import UserError
from lang2program_tf.gin_files import gin_root
from lang2program_tf.reproduction.cells import DOMAINS, Cell, Percentages, Table
from lang2program_tf.reproduction.turns_table import TURNS, turns_table


class PaperRow(NamedTuple):
    """A row of a table in the paper, in percent of the test examples.

    Attributes:
        label: what it is called in our tables.
        alchemy, tangrams, scene: accuracy for 3 and for 5 utterances.
    """

    label: str
    alchemy: Percentages
    tangrams: Percentages
    scene: Percentages


_RANDOMER = PaperRow("RandoMer", (66.9, 52.9), (65.8, 37.1), (64.8, 46.2))
_Q_MML = ((61.3, 48.3), (65.2, 34.3), (50.8, 33.5))

# By folder of gin files, then by row; the order is the paper's.
_PAPER: dict[str, dict[str, PaperRow]] = {
    "paper/table1_main": {
        "reinforce": PaperRow("REINFORCE", (58.3, 44.6), (68.5, 37.3), (47.8, 33.9)),
        "bs_mml": PaperRow("BS-MML", (58.7, 47.3), (62.6, 32.2), (53.5, 32.5)),
        "randomer": _RANDOMER,
    },
    "paper/table2_exploration": {
        "classic_beam_32": PaperRow("classic, beam 32", (30.3, 23.2), (0.0, 0.0), (33.4, 20.1)),
        "classic_beam_128": PaperRow("classic, beam 128", (59.0, 46.4), (60.9, 28.6), (24.5, 13.9)),
        "epsilon_0.05": PaperRow("ε = 0.05, beam 32", (58.7, 45.5), (61.1, 32.5), (33.4, 23.0)),
        "epsilon_0.15": PaperRow("ε = 0.15, beam 32", *_Q_MML),
        "epsilon_0.25": PaperRow("ε = 0.25, beam 32", (60.5, 48.6), (60.0, 27.3), (54.1, 35.7)),
    },
    "paper/table3_beta": {
        "q_rl": PaperRow("q_RL", (0.2, 0.0), (0.9, 0.6), (0.0, 0.0)),
        "q_mml": PaperRow("q_MML (β = 1)", *_Q_MML),
        "beta_0.25": PaperRow("β = 0.25", (64.4, 48.9), (60.6, 29.0), (42.4, 29.7)),
        "beta_0": PaperRow("β = 0", (63.6, 46.3), (54.0, 23.5), (61.0, 42.4)),
    },
    "paper/table4_history": {
        "tokens": PaperRow("TOKENS", *_Q_MML),
        "stack": PaperRow("STACK", (64.2, 53.2), (63.0, 32.4), (59.5, 43.1)),
    },
    "released": {
        "released": _RANDOMER._replace(label="as released"),
        "ordinary_adam": _RANDOMER._replace(label="ordinary Adam"),
    },
}
_MEDIAN = "the paper's figures are medians of 5 seeds"
_BEST = "the paper's figures are of the seed that was best in validation"
_TABLES = {
    "table1": ("paper/table1_main", f"Table 1, learners; {_BEST}"),
    "table2": ("paper/table2_exploration", f"Table 2, exploration; {_MEDIAN}"),
    "table3": ("paper/table3_beta", f"Table 3, gradient weights; {_MEDIAN}"),
    "table4": ("paper/table4_history", f"Table 4, execution history; {_MEDIAN}"),
    "released": ("released", f"The released code's settings, beside RandoMer of Table 1; {_BEST}"),
}
FIGURE = "figure3"
_FIGURE_TITLE = "The runs of Figure 3; the paper's figures are those of Tables 1 and 3"
_FIGURE_FILES = {
    "paper/table3_beta/alchemy_beta_0.gin": "RandoMer, β = 0",
    "paper/table3_beta/alchemy_q_mml.gin": "RandoMer, β = 1",
    "paper/table1_main/alchemy_bs_mml.gin": "BS-MML",
    "paper/table1_main/alchemy_reinforce.gin": "REINFORCE",
}
NAMES = (*_TABLES, FIGURE, TURNS)


def read_table(name: str) -> Table:
    """A table, of the gin files that there are."""
    if name == TURNS:
        return turns_table()
    if name == FIGURE:
        cells = [_cell(file)._replace(label=label) for file, label in _FIGURE_FILES.items()]
        return Table(name, _caption(_FIGURE_TITLE), tuple(cells))
    folder, title = _TABLES[name]
    files = sorted((gin_root() / folder).glob("*.gin"))
    cells = [_cell(f"{folder}/{path.name}") for path in files if path.name != "common.gin"]
    order = list(_PAPER[folder])

    def place(cell: Cell) -> tuple[int, str, int]:
        known = order.index(cell.row) if cell.row in order else len(order)
        return known, cell.row, DOMAINS.index(cell.domain)

    return Table(name, _caption(title), tuple(sorted(cells, key=place)))


def _cell(gin_file: str) -> Cell:
    folder, _, name = gin_file.rpartition("/")
    domain, _, row = name[: -len(".gin")].partition("_")
    if domain not in DOMAINS:
        raise UserError(f"gin/{gin_file}: its name must begin with one of {', '.join(DOMAINS)}")
    row = row or folder.rpartition("/")[2]
    paper = _PAPER[folder].get(row)
    label = paper.label if paper else row.replace("_", " ")
    return Cell((gin_file,), row, label, domain, getattr(paper, domain) if paper else None)


def _caption(title: str) -> str:
    return (
        f"{title}. Accuracy in percent. Ours is on the validation examples, median over "
        "seeds (lowest–highest); the paper's is on the test examples, so the two are not the "
        "same measure."
    )
