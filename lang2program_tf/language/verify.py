"""Checks a served answer: do its programs really lead to its worlds?

An answer is the JSON of a parser's `predict` over HTTP. One row of it has `program` and `world`,
lists of equal length with "" for no program, and `worlds`, the world after each command of the
first program.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence

from lang2program_tf.language.domain import Domain, World
from lang2program_tf.language.errors import LanguageError
from lang2program_tf.language.executor import trace
from lang2program_tf.language.infix import parse_program


class AnswerError(LanguageError):
    """A text or an object is not the JSON of an answer or of a request."""


class Request(NamedTuple):
    """One row of a request.

    Attributes:
        world: the world that the utterances are about.
        num_utterances: how many there are; None if that is not known.
    """

    world: str
    num_utterances: Optional[int] = None


class Verdict(NamedTuple):
    """What became of a row.

    Attributes:
        num_programs: how many programs it holds.
        problems: what is wrong with them, a sentence each.
    """

    num_programs: int
    problems: Sequence[str]


def verify(domain: Domain, request: Request, row: Mapping[str, Any]) -> Verdict:
    """Runs every program of a row of an answer.

    Raises:
        AnswerError: the row is malformed.
        WorldError: the world of the request is not one.
    """
    start = domain.parse_world(request.world)
    programs, worlds = (_texts(row, key) for key in ("program", "world"))
    if len(programs) != len(worlds):
        raise AnswerError(f"there are {len(programs)} programs and {len(worlds)} worlds")
    problems: List[str] = []
    for number, (program, world) in enumerate(zip(programs, worlds), start=1):
        on_the_way = _texts(row, "worlds") if number == 1 and "worlds" in row else None
        if program:
            problem = _problem(domain, start, request.num_utterances, program, world, on_the_way)
            problems += [f"program {number}, {program!r}: {problem}"] if problem else []
    return Verdict(sum(map(bool, programs)), tuple(problems))


def _problem(
    domain: Domain,
    start: World,
    num_utterances: Optional[int],
    program: str,
    world: str,
    on_the_way: Optional[Sequence[str]],
) -> Optional[str]:
    """Why a program does not lead where it should, None if it does."""
    try:
        states = trace(domain, start, parse_program(domain, program))
        expected = domain.parse_world(world)
    except LanguageError as error:
        return str(error)
    end = states[-1]
    if end.stack:
        return "values are left on the stack"
    if num_utterances not in (None, end.utterance):
        return f"it has {end.utterance} commands for {num_utterances} utterances"
    if end.world != expected:
        return f"it leads to {str(end.world)!r}, not to {world!r}"
    if on_the_way is not None:
        shown = {state.utterance: str(state.world) for state in states}
        lead = [shown[number] for number in range(1, end.utterance + 1)]
        if [*on_the_way[: len(lead)]] != lead or any(on_the_way[len(lead) :]):
            return f"its commands lead to {lead}, not to {[*on_the_way]}"
    return None


def answer_rows(answer: Any) -> List[Mapping[str, Any]]:
    """The rows of a JSON answer: by rows (`predictions`), by columns (`outputs`), or one row."""
    return _rows(answer, by_rows="predictions", by_columns="outputs")


def request_rows(request: Any) -> List[Request]:
    """The rows of a JSON request: by rows (`instances`), by columns (`inputs`), or one row."""
    rows = _rows(request, by_rows="instances", by_columns="inputs")
    return [_request(row) for row in rows]


def _request(row: Mapping[str, Any]) -> Request:
    world = row.get("world")
    if not isinstance(world, str):
        raise AnswerError(f"a request has a text `world`, not {world!r}")
    utterances = _texts(row, "utterances")
    return Request(world, sum(bool(text.strip()) for text in utterances))


def _rows(value: Any, *, by_rows: str, by_columns: str) -> List[Mapping[str, Any]]:
    if isinstance(value, dict) and by_columns in value:
        return _transposed(value[by_columns])
    rows = value.get(by_rows, [value]) if isinstance(value, dict) else value
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise AnswerError(f"expected an object with `{by_rows}` or `{by_columns}`, or one row")
    return rows


def _transposed(columns: Any) -> List[Mapping[str, Any]]:
    if not isinstance(columns, dict) or not all(isinstance(c, list) for c in columns.values()):
        raise AnswerError("expected an object of columns, each a list")
    if len({len(column) for column in columns.values()}) > 1:
        raise AnswerError("the columns are not of the same length")
    count = max(map(len, columns.values()), default=0)
    rows: List[Dict[str, Any]] = [{} for _ in range(count)]
    for name, column in columns.items():
        for row, value in zip(rows, column):
            row[name] = value
    return list(rows)


def _texts(row: Mapping[str, Any], key: str) -> List[str]:
    """The list of texts of a row; one text alone is a list of one."""
    value = row.get(key)
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise AnswerError(f"`{key}` is a list of texts, not {value!r}")
    return texts
