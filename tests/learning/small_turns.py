"""Turns of tangrams, written down, and all the programs that they have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lang2program_tf.corpus.programs import ProgramMemory, list_programs
from lang2program_tf.corpus.scone import Example as Turn
from lang2program_tf.corpus.scone import Line
from lang2program_tf.corpus.turns import turns
from lang2program_tf.language import get_domain
from lang2program_tf.learning.recall import ProgramRecall
from lang2program_tf.machine import Examples, get_machine
from tests.search.reference import Example
from tests.search.toys import tensors_of

DOMAIN = get_domain("tangrams")
MACHINE = get_machine("tangrams")
# A removal, a return, a swap, a removal of what was swapped, and what no command does.
LINE = Line(
    "a",
    ("1:2 2:0 3:4", "1:0 2:4", "1:0 2:2 3:4", "1:4 2:2 3:0", "1:2 2:0", "1:2 2:0 3:1 4:3"),
    ("take it away", "bring it back", "swap them", "now the other", "what is this"),
)
TURNS = turns([LINE], domain="tangrams")
MEMORY: ProgramMemory = list_programs(DOMAIN, TURNS)
RICH = 3  # the turn with six programs, of which two have an index
WITHOUT = 4  # the turn that has no program


def plain_turns(turns: Sequence[Turn] = TURNS) -> list[Example]:
    """The turns as a search knows them; each sentence is a word."""
    return [
        Example(
            world=DOMAIN.parse_world(turn.first_world or turn.world),
            target=DOMAIN.parse_world(turn.target),
            utterances=[[5 + number] for number in range(len(turn.utterances))],
            start=turn.start,
        )
        for turn in turns
    ]


def turn_tensors() -> Examples:
    """The turns as tensors."""
    return tensors_of(MACHINE, plain_turns())


def programs_in_memory(turn: int) -> list[tuple[int, ...]]:
    """All programs of a turn."""
    rows = MEMORY.tokens[MEMORY.offsets[turn] : MEMORY.offsets[turn + 1]]
    return [tuple(int(token) for token in row if token >= 0) for row in rows]


def recall(**options: Any) -> ProgramRecall:
    """Recalls the programs of the turns."""
    return ProgramRecall(MACHINE, **{"programs": MEMORY, "seed": 0, "size": 3, **options})
