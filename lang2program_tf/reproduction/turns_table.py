"""The table of ablations for the parser in context: what each of its parts is worth."""

from __future__ import annotations

from typing import NamedTuple

from lang2program_tf.reproduction.cells import DOMAINS, Cell, Percentages, Table

TURNS = "turns"

_Goals = dict[str, Percentages]
_ONE_PARSER: _Goals = {"alchemy": (85, 79), "tangrams": (82, 66), "scene": (76, 66)}
_THREE_PARSERS: _Goals = {"alchemy": (88, 84), "tangrams": (86, 72), "scene": (79, 71)}

_CAPTION = """\
The parser in context (`gin/turns/`), and what is left of it without each of its parts. Accuracy in
percent after 3 and 5 sentences, median over seeds (lowest–highest): on dev, with the goal beside
it, and on held-out dialogues, a tenth of those for training, which no run of this table has seen.
The checkpoint is the one that was best on dev, so the held-out figures are the fairer ones to
choose by.

The full parser predicts by worlds, four at a time, with a beam of 16, and its β goes from 0 to 1.
`best program`, `one world`, `beam of 32` and `three together` are the same trained parsers,
evaluated otherwise. Scene has a prior over programs, alchemy and tangrams have none; the rows on
the prior are about the other choice. `words alone` is the paper's network, taught by the same
memory of programs; below it are the paper's learners with that network on the same turns, which
tell learning from model and data.
There is one decoder, the feed-forward one: an LSTM cell was no better ("Tried" in the README beside
this page). The parsers that ship have learned from the held-out dialogues too, so they are not
among these runs (`exported/README.md` has their accuracies)."""


class _Row(NamedTuple):
    """A row of the table; its name is that of a file in `gin/turns/ablations/`.

    Attributes:
        name: of the file.
        label: what people read.
        seeds: that it is run with.
        domains: where it differs from the full parser.
        goals: by domain, if there are any.
        evaluates: so many full parsers are evaluated as one, and nothing is trained.
    """

    name: str
    label: str
    seeds: tuple[int, ...] = (0, 1)
    domains: tuple[str, ...] = DOMAINS
    goals: _Goals | None = None
    evaluates: int = 0


_ONE = (0,)
_FULL = _Row("full", "full", seeds=(0, 1, 2), goals=_ONE_PARSER)
_ROWS = (
    _FULL,
    _Row("best_program", "full, best program", seeds=(0, 1, 2), evaluates=1),
    _Row("one_world", "full, one world", seeds=(0, 1, 2), evaluates=1),
    _Row("beam_32", "full, beam of 32", seeds=(0, 1, 2), evaluates=1),
    _Row("three_together", "full, three together", (0,), goals=_THREE_PARSERS, evaluates=3),
    _Row("without_world", "without world"),
    _Row("without_sentences", "without earlier sentences"),
    _Row("without_commands", "without commands"),
    _Row("without_stack", "without stack"),
    _Row("randomized_beam", "randomized beam, no memory"),
    _Row("beta_0", "β = 0"),
    _Row("beta_1", "β = 1"),
    _Row("without_prior", "without prior", domains=("scene",)),
    _Row("with_prior", "with prior", domains=("alchemy", "tangrams")),
    _Row("without_dropout", "without dropout", seeds=_ONE),
    _Row("fixed_words", "word vectors not trained", seeds=_ONE),
    _Row("white_space", "word vectors not trained, words split at white space", seeds=_ONE),
    _Row("constant_rate", "constant learning rate", seeds=_ONE),
    _Row("without_clipping", "gradient not clipped", seeds=_ONE),
    _Row("without_averaging", "weights not averaged", seeds=_ONE),
    _Row("words_alone", "words alone"),
    _Row("randomer", "words alone, RandoMer", seeds=_ONE),
    _Row("bs_mml", "words alone, BS-MML", seeds=_ONE),
    _Row("reinforce", "words alone, REINFORCE", seeds=_ONE),
)


def turns_table() -> Table:
    """The table, with a cell for every row and each of its domains."""
    cells = [_cell(row, domain) for row in _ROWS for domain in row.domains]
    return Table(TURNS, _CAPTION, tuple(cells), reference="goal", holdout=True)


def _cell(row: _Row, domain: str) -> Cell:
    return Cell(
        gin_files=(f"turns/{domain}.gin", f"turns/ablations/{row.name}.gin"),
        row=row.name,
        label=row.label,
        domain=domain,
        reference=row.goals[domain] if row.goals else None,
        seeds=row.seeds,
        evaluates=row.evaluates,
        source=_cell(_FULL, domain) if row.evaluates else None,
    )
