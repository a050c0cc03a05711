"""The tables that can be reproduced: the rows of the paper's, their gin files and its figures."""

from __future__ import annotations

from typing import NamedTuple

from lang2program_tf.errors import UserError
from lang2program_tf.reproduction.cells import DOMAINS, Cell, Percentages, Table
from lang2program_tf.reproduction.turns_table import TURNS, turns_table

AS_RUN = "as_run"
TEXT = "text"
READINGS = {
    AS_RUN: "as the configuration and the code of 2017 have it (`gin/paper/`)",
    TEXT: "as the paper's text says (`gin/paper/text.gin` on top of `gin/paper/`)",
}
_TEXT_FILE = "paper/text.gin"


class PaperRow(NamedTuple):
    """A row of a table in the paper, in percent of the test examples.

    Attributes:
        name: what the command line calls it.
        label: what it is called in our tables.
        figures: accuracy for 3 and for 5 utterances, by domain in the order of `DOMAINS`; none for
            a row that is not the paper's.
        files: gin files in the same order.
        seeds: that it is run with.
    """

    name: str
    label: str
    figures: tuple[Percentages | None, ...]
    files: tuple[str, ...]
    seeds: tuple[int, ...] = (0, 1, 2)

    def cells(self) -> list[Cell]:
        """One for each domain that has a file."""
        return [
            Cell((file,), self.name, self.label, domain, figures, self.seeds)
            for domain, file, figures in zip(DOMAINS, self.files, self.figures)
            if file
        ]


def _files(name: str) -> tuple[str, ...]:
    return tuple(f"paper/{domain}_{name}.gin" for domain in DOMAINS)


_FIVE = (0, 1, 2, 3, 4)
_RANDOMER = ((66.9, 52.9), (65.8, 37.1), (64.8, 46.2))
_DEFAULT = ((61.3, 48.3), (65.2, 34.3), (50.8, 33.5))  # β = 1, ε = 0.15, TOKENS
_BETA_0 = ((63.6, 46.3), (54.0, 23.5), (61.0, 42.4))
_RANDOMER_FILES = (
    "paper/alchemy_epsilon_0.05.gin",
    "paper/tangrams_default.gin",
    "paper/scene_beta_0_stack.gin",
)
_REINFORCE = PaperRow(
    *("reinforce", "REINFORCE", ((58.3, 44.6), (68.5, 37.3), (47.8, 33.9))),
    files=_files("reinforce"),
)
_NO_BASELINE = PaperRow(
    *("reinforce_no_baseline", "REINFORCE, c = 0", (None, None, None)),
    files=_files("reinforce_no_baseline"),
)
_BS_MML = PaperRow(
    *("bs_mml", "BS-MML", ((58.7, 47.3), (62.6, 32.2), (53.5, 32.5))),
    files=_files("classic_beam_128"),
)
_MAIN = (
    _REINFORCE,
    _NO_BASELINE,
    _BS_MML,
    PaperRow("randomer", "RandoMer", _RANDOMER, _RANDOMER_FILES, _FIVE),
)
_EXPLORATION = (
    PaperRow(
        *("classic_beam_32", "classic, beam 32", ((30.3, 23.2), (0.0, 0.0), (33.4, 20.1))),
        files=_files("classic_beam_32"),
    ),
    PaperRow(
        *("classic_beam_128", "classic, beam 128", ((59.0, 46.4), (60.9, 28.6), (24.5, 13.9))),
        files=_files("classic_beam_128"),
    ),
    PaperRow(
        *("epsilon_0.05", "ε = 0.05, beam 32", ((58.7, 45.5), (61.1, 32.5), (33.4, 23.0))),
        files=_files("epsilon_0.05"),
    ),
    PaperRow("epsilon_0.15", "ε = 0.15, beam 32", _DEFAULT, _files("default")),
    PaperRow(
        *("epsilon_0.25", "ε = 0.25, beam 32", ((60.5, 48.6), (60.0, 27.3), (54.1, 35.7))),
        files=_files("epsilon_0.25"),
    ),
)
_BETA = (
    PaperRow("q_rl", "q_RL", ((0.2, 0.0), (0.9, 0.6), (0.0, 0.0)), _files("q_rl")),
    PaperRow("q_mml", "q_MML (β = 1)", _DEFAULT, _files("default")),
    PaperRow(
        *("beta_0.25", "β = 0.25", ((64.4, 48.9), (60.6, 29.0), (42.4, 29.7))),
        files=_files("beta_0.25"),
    ),
    PaperRow("beta_0", "β = 0", _BETA_0, _files("beta_0")),
)
_HISTORY = (
    PaperRow("tokens", "TOKENS", _DEFAULT, _files("default")),
    PaperRow("stack", "STACK", ((64.2, 53.2), (63.0, 32.4), (59.5, 43.1)), _files("stack")),
)
_RELEASED = (
    PaperRow(
        *("released", "as released", _RANDOMER),
        files=tuple(f"released/{domain}.gin" for domain in DOMAINS),
    ),
    PaperRow(
        *("ordinary_adam", "ordinary Adam", _RANDOMER),
        files=("", "", "released/scene_ordinary_adam.gin"),
    ),
)
_CURVES = (
    PaperRow("beta_0", "RandoMer, β = 0", _BETA_0, _files("beta_0")[:1], _FIVE),
    PaperRow("beta_1", "RandoMer, β = 1", _DEFAULT, _files("default")[:1], _FIVE),
    _BS_MML._replace(files=_BS_MML.files[:1], seeds=_FIVE),
    _REINFORCE._replace(files=_REINFORCE.files[:1], seeds=_FIVE),
)
_MEDIAN = "the paper's figures are medians of 5 seeds"
_BEST = "the paper's figures are of the seed that was best in validation"
FIGURE = "figure3"
_RELEASED_TABLE = "released"
_TABLES = {
    "table1": (f"Table 1, learners; {_BEST}", _MAIN),
    "table2": (f"Table 2, exploration; {_MEDIAN}", _EXPLORATION),
    "table3": (f"Table 3, gradient weights; {_MEDIAN}", _BETA),
    "table4": (f"Table 4, execution history; {_MEDIAN}", _HISTORY),
    _RELEASED_TABLE: (
        f"The released code's settings, beside RandoMer of Table 1; {_BEST}",
        _RELEASED,
    ),
    FIGURE: ("The runs of Figure 3; the paper's figures are those of Tables 1 and 3", _CURVES),
}
NAMES = (*_TABLES, TURNS)
BEAMS = "beams"  # the paper's last table, which no run is trained for
_READ_TWICE = tuple(name for name in _TABLES if name != _RELEASED_TABLE)
# What files of results are called.
RESULT_NAMES = (*NAMES, *(f"{name}_{TEXT}" for name in _READ_TWICE))


def read_table(name: str, *, reading: str = AS_RUN) -> Table:
    """A table.

    Args:
        name: one of `NAMES`.
        reading: one of `READINGS`, for the tables of the paper; another reading is another table.
    """
    if reading != AS_RUN and name not in _READ_TWICE:
        raise UserError(
            f"--reading {reading} is for the paper's tables, {', '.join(_READ_TWICE)}; not {name}"
        )
    if name == TURNS:
        return turns_table()
    title, rows = _TABLES[name]
    cells = [cell for row in rows for cell in row.cells()]
    how = ""
    if name in _READ_TWICE:
        how = f" Settings are {READINGS[reading]}."
    if reading == TEXT:
        cells = [cell._replace(gin_files=(*cell.gin_files, _TEXT_FILE)) for cell in cells]
    return Table(
        name=name if reading == AS_RUN else f"{name}_{reading}",
        caption=_caption(title, how),
        cells=tuple(cells),
        reading=reading if name in _READ_TWICE else None,
        draws_curves=name == FIGURE,
    )


def _caption(title: str, how: str) -> str:
    return (
        f"{title}.{how} Accuracy in percent. Ours is on the validation examples, median over "
        "seeds (lowest–highest); the paper's is on the test examples, so the two are not the "
        "same measure."
    )
