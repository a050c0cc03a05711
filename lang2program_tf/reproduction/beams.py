"""The paper's last table: what RandoMer and BS-MML make of one training example of scene."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lang2program_tf.corpus.scone import Example
from lang2program_tf.errors import UserError
from lang2program_tf.files import write_atomically
from lang2program_tf.learning.beams import beam_tables
from lang2program_tf.learning.experiment import open_run
from lang2program_tf.reproduction.cells import Run
from lang2program_tf.reproduction.tables import BEAMS, READINGS, read_table

_COUNT = 6  # as many as the paper shows
# Line 9357 of the training examples. SCONE's sentence is without the word "just".
EXAMPLE = Example(
    id="9357",
    world="1:ry 2:__ 3:__ 4:pr 5:__ 6:__ 7:__ 8:__ 9:__ 10:__",
    utterances=(
        "the man in the purple shirt and red hat moves just to the right of the man in the red "
        "shirt and yellow hat",
    ),
    target="1:ry 2:pr 3:__ 4:__ 5:__ 6:__ 7:__ 8:__ 9:__ 10:__",
    line=0,
)
_TABLE, _DOMAIN = "table1", "scene"
_ROWS = ("randomer", "bs_mml")  # the paper's order


def write_beams(
    *, reading: str, seeds: Sequence[int], root_dir: Path, results: Path
) -> tuple[str, Path]:
    """Writes the beams of trained runs; the text and its file.

    Args:
        reading: of the paper, which says whose runs are meant.
        seeds: of these runs.
        root_dir: the folder of all runs.
        results: the folder of results.

    Raises:
        UserError: a run is not there.
    """
    table = read_table(_TABLE, reading=reading)
    parts = [
        f"# {BEAMS}",
        "The most probable programs for a training example of scene, as in the paper's last table. "
        f"A star marks programs that reach the target. Settings are {READINGS[reading]}.",
        f"**{EXAMPLE.utterances[0]}**\n\n    {EXAMPLE.world}\n    {EXAMPLE.target}",
    ]
    for row in _ROWS:
        (cell,) = [cell for cell in table.cells if (cell.row, cell.domain) == (row, _DOMAIN)]
        for seed in seeds:
            run = Run(cell, seed)
            folder = run.folder(root_dir)
            if not folder.is_dir():
                raise UserError(
                    f"there is no run in {folder}; train it with `lang2program reproduce {_TABLE} "
                    f"--reading {reading} --domain {_DOMAIN} --row {row} --seeds {seed}`"
                )
            learner = open_run(folder)
            with learner.evaluation_weights():
                (beam,) = beam_tables(learner, [EXAMPLE], count=_COUNT)
            where = f"`{cell.key}`, seed {seed}, step {int(learner.step):,}"
            parts += [f"## {cell.label}", f"{where}:", beam]
    text = "\n\n".join(parts) + "\n"
    name = BEAMS if table.name == _TABLE else f"{BEAMS}_{reading}"
    path = results / f"{name}.md"
    results.mkdir(parents=True, exist_ok=True)
    write_atomically(path, text)
    return text, path
