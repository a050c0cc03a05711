"""SCONE: lines of worlds and utterances, and the training and evaluation examples made of them."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import gin
from lang2program_tf.corpus.gold import Command, seen_from
from lang2program_tf.errors import UserError
from lang2program_tf.language import Domain, State, WorldError, get_domain

UNKNOWN_WORLD = "?"
MAX_UTTERANCES = 5
# What stands before the first utterance: the id and the first world.
_HEAD = 2


class Line(NamedTuple):
    """One interaction.

    Attributes:
        id: the data set's name for it.
        worlds: M + 1 worlds, the one before each utterance and the last; None if unknown.
        utterances: M utterances.
        gold_programs: M commands, each as its tokens; None if nobody knows them.
    """

    id: str
    worlds: tuple[str | None, ...]
    utterances: tuple[str, ...]
    gold_programs: tuple[Command, ...] | None = None


class Example(NamedTuple):
    """What a learner gets: a world, utterances, and the world they lead to.

    Attributes:
        id: the line's id, with `:FIRST-LAST` utterance (from 1) if the example is a part of it,
            with `:LAST` if it is a turn.
        world: the world at the start; of a turn, the world before its last utterance.
        utterances: M utterances; of a turn, all up to its own.
        target: the world after the last.
        line: the number of the line in its file, from 0.
        gold_programs: M commands, each as its tokens, whose history references count from the first
            of these utterances; None if nobody knows them or one refers to an earlier utterance.
        start: of a turn, `world` with the hidden numbers of its people, and the M − 1 commands so
            far; None if nothing is known to have happened before `world`.
        first_world: of a turn, the world before its first utterance.
    """

    id: str
    world: str
    utterances: tuple[str, ...]
    target: str
    line: int
    gold_programs: tuple[Command, ...] | None = None
    start: State | None = None
    first_world: str | None = None


def read_lines(path: str | os.PathLike[str], domain: str) -> tuple[Line, ...]:
    """Reads a SCONE file: on each line, tab-separated, id, world, utterance, world and so on.

    Args:
        path: the file.
        domain: whose worlds they are.

    Raises:
        UserError: there is no such file, or a line is malformed; no line is ever skipped.
    """
    path = Path(path)
    try:
        rows = path.read_bytes().split(b"\n")
    except OSError as error:
        raise UserError(f"cannot read {path} ({error.strerror}); name a SCONE .tsv file") from None
    if not rows[-1]:
        rows.pop()
    if not rows:
        raise UserError(f"{path} is empty; get a whole copy with `lang2program fetch scone`")
    reader = _Reader(get_domain(domain))
    lines = []
    for number, row in enumerate(rows, start=1):
        try:
            lines.append(reader.line(row.rstrip(b"\r").split(b"\t")))
        except _BadField as bad:
            raise UserError(f"{path}, line {number}, column {bad.column}: {bad}") from None
    return tuple(lines)


class _BadField(Exception):
    """A field that is not as it should be; `column` counts fields from 1."""

    def __init__(self, column: int, message: str) -> None:
        super().__init__(message)
        self.column = column


class _Reader:
    """Turns the fields of a line into a `Line`."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        # Neighbouring lines share worlds, and a world is often the same as another's.
        self._check_world = functools.lru_cache(maxsize=None)(domain.parse_world)

    def line(self, fields: Sequence[bytes]) -> Line:
        texts = [self._decode(field, column) for column, field in enumerate(fields, start=1)]
        if len(texts) < _HEAD + 2 or len(texts) % 2:
            raise _BadField(
                len(texts),
                f"the line ends after {len(texts)} tab-separated fields; expected an id, a world "
                "and then pairs of utterance and world (an empty row is an empty last field)",
            )
        if not texts[0].strip():
            raise _BadField(1, "the line has no id")
        return Line(
            texts[0],
            worlds=tuple(self._world(texts[i], i + 1) for i in range(1, len(texts), 2)),
            utterances=tuple(self._utterance(texts[i], i + 1) for i in range(2, len(texts), 2)),
        )

    @staticmethod
    def _decode(field: bytes, column: int) -> str:
        try:
            return field.decode("utf-8")
        except UnicodeDecodeError as error:
            raise _BadField(column, f"byte {error.start + 1} is not UTF-8 text") from None

    def _world(self, text: str, column: int) -> str | None:
        if text == UNKNOWN_WORLD:
            return None
        try:
            self._check_world(text)
        except WorldError as error:
            raise _BadField(
                column, f"not a world of {self._domain.name}, {text!r}: {error}"
            ) from None
        return text

    @staticmethod
    def _utterance(text: str, column: int) -> str:
        if not text.strip():
            raise _BadField(column, "the utterance is empty")
        return text


@gin.configurable
def substrings(lines: Iterable[Line], *, lengths: Sequence[int] = (1, 2)) -> tuple[Example, ...]:
    """All contiguous parts of these lengths: the paper's training examples, 9 of a line of 5."""
    if not lengths or any(length not in range(1, MAX_UTTERANCES + 1) for length in lengths):
        raise ValueError(f"lengths={lengths!r} must be numbers from 1 to {MAX_UTTERANCES}")
    return tuple(
        _part(line, number, start, start + length)
        for number, line in enumerate(lines)
        for length in lengths
        for start in range(len(line.utterances) - length + 1)
    )


def prefixes(
    lines: Iterable[Line], *, lengths: Sequence[int] = range(1, MAX_UTTERANCES + 1)
) -> tuple[Example, ...]:
    """The beginnings of these lengths of every line: the evaluation examples."""
    return tuple(
        _part(line, number, 0, length)
        for number, line in enumerate(lines)
        for length in lengths
        if length <= len(line.utterances)
    )


def orig_examples(lines: Iterable[Line]) -> tuple[Example, ...]:
    """Every line of a `-orig` file as one example: the released code's training examples."""
    return tuple(
        _part(line, number, 0, len(line.utterances))._replace(id=line.id)
        for number, line in enumerate(lines)
    )


def known_world(line: Line, number: int, place: int) -> str:
    """The world before utterance `place` (from 0) of a line, or after its last.

    Raises:
        UserError: nobody knows it; the message says where in the file it should stand.
    """
    world = line.worlds[place]
    if world is None:
        raise UserError(
            f"line {number + 1} ({line.id}), column {_HEAD + 2 * place}: the world is unknown "
            f"({UNKNOWN_WORLD}), and an example needs its first and its last world"
        )
    return world


def _part(line: Line, number: int, start: int, stop: int) -> Example:
    return Example(
        f"{line.id}:{start + 1}-{stop}",
        world=known_world(line, number, start),
        utterances=line.utterances[start:stop],
        target=known_world(line, number, stop),
        line=number,
        gold_programs=line.gold_programs and seen_from(line.gold_programs[:stop], start),
    )


def select(examples: Iterable[Example], places: Iterable[tuple[int, int]]) -> tuple[Example, ...]:
    """The examples at these places, in the order of the places.

    Args:
        examples: not two with the same line and number of utterances.
        places: (number of the line from 0, number of utterances) of each example wanted.
    """
    by_place = {(example.line, len(example.utterances)): example for example in examples}
    return tuple(by_place[line, length] for line, length in places)
