"""SCONE: lines of worlds and utterances, and the training and evaluation examples made of them."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import gin
from lang2program_tf.corpus.data_dir import scone_file
from lang2program_tf.corpus.gold import Command, seen_from
from lang2program_tf.corpus.order import original_order
from lang2program_tf.errors import UserError
from lang2program_tf.language import Domain, WorldError, get_domain

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
      id: the line's id, with `:FIRST-LAST` utterance (from 1) if the example is a part of it.
      world: the world at the start.
      utterances: M utterances.
      target: the world after the last.
      line: the number of the line in its file, from 0.
      gold_programs: M commands, each as its tokens, whose history references count from the first
        of these utterances; None if nobody knows them or one refers to an earlier utterance.
    """

    id: str
    world: str
    utterances: tuple[str, ...]
    target: str
    line: int
    gold_programs: tuple[Command, ...] | None = None


def read_lines(path: str | os.PathLike[str], domain: str) -> tuple[Line, ...]:
    """Reads a SCONE file: on each line, tab-separated, id, world, utterance, world, utterance, …

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


def _part(line: Line, number: int, start: int, stop: int) -> Example:
    ends = [line.worlds[i] for i in (start, stop)]
    if None in ends:
        column = _HEAD + 2 * (start if ends[0] is None else stop)
        raise UserError(
            f"line {number + 1} ({line.id}), column {column}: the world is unknown ({UNKNOWN_WORLD}"
            "), and an example needs its first and its last world"
        )
    return Example(
        f"{line.id}:{start + 1}-{stop}",
        world=str(ends[0]),
        utterances=line.utterances[start:stop],
        target=str(ends[1]),
        line=number,
        gold_programs=line.gold_programs and seen_from(line.gold_programs[:stop], start),
    )


def examples_of(lines: Iterable[Line], *, split: str, form: str) -> tuple[Example, ...]:
    """The examples that a split's lines stand for, in the original's order.

    Args:
      lines: of `train-orig` for the training form `orig`, else of the split itself.
      split: `train`, `dev` or `test`; the last two are evaluated on prefixes.
      form: of training examples, `orig` (the released code's) or `substrings` (the paper's).
    """
    if split != "train":
        return original_order(prefixes(lines))
    return original_order(orig_examples(lines) if form == "orig" else substrings(lines))


def check_split_and_form(split: str, form: str) -> None:
    """Raises a ValueError unless both are among those that `examples_of` knows."""
    if split not in ("train", "dev", "test"):
        raise ValueError(f"split must be 'train', 'dev' or 'test', got {split!r}")
    if form not in ("orig", "substrings"):
        raise ValueError(f"form must be 'orig' or 'substrings', got {form!r}")


@gin.configurable
def load_examples(domain: str, *, split: str, form: str = "orig") -> tuple[Example, ...]:
    """Examples of the real data, from the data folder, in the original's order.

    Args:
      domain: `alchemy`, `scene` or `tangrams`.
      split: `train`, `dev` or `test`.
      form: of training examples: `orig`, the lines of `DOMAIN-train-orig.tsv`, as the released code
        does; or `substrings` of the lines of `DOMAIN-train.tsv`, as the paper says.

    Raises:
      UserError: a file is missing or malformed.
    """
    check_split_and_form(split, form)
    name = "train-orig" if (split, form) == ("train", "orig") else split
    return examples_of(read_lines(scone_file(domain, name), domain), split=split, form=form)


def select(examples: Iterable[Example], places: Iterable[tuple[int, int]]) -> tuple[Example, ...]:
    """The examples at these places, in the order of the places.

    Args:
      examples: not two with the same line and number of utterances.
      places: (number of the line from 0, number of utterances) of each example wanted.
    """
    by_place = {(example.line, len(example.utterances)): example for example in examples}
    return tuple(by_place[line, length] for line, length in places)
