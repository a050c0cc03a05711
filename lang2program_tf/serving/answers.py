"""What a client asks of an exported parser and what it gets, as Python values."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

# One list of values for each input or output of a signature; the lists have a value a row.
Columns = Mapping[str, Sequence[Any]]


class ParseRequest(NamedTuple):
    """One question.

    Attributes:
        world: in the data set's notation.
        utterances: one or more sentences.
    """

    world: str
    utterances: tuple[str, ...]

    @property
    def num_utterances(self) -> int:
        """How many sentences there are; blank ones at the end do not count."""
        return sum(bool(utterance.strip()) for utterance in self.utterances)


class Alternative(NamedTuple):
    """One program for a request.

    Attributes:
        program: tokens by the paper's names, separated by spaces.
        world: the world that it leads to.
        log_prob: its log-probability, or that of the world if the parser goes by worlds.
        agreeing: how many programs for the last utterance are part of that probability.
    """

    program: str
    world: str
    log_prob: float
    agreeing: int = 1

    @property
    def probability(self) -> float:
        """The exponential of the log-probability."""
        return math.exp(self.log_prob)


class ParseAnswer(NamedTuple):
    """The answer to one request.

    Attributes:
        alternatives: programs, the most probable first; none if there is an error.
        worlds: the world after each utterance for the first program.
        num_found: how many complete programs the search found.
        error: why there is no program, "" if there is one.
        read_as: for each utterance the words that the parser has read, a space between two.
        unknown_words: for each utterance those of them that it does not know.
    """

    alternatives: tuple[Alternative, ...]
    worlds: tuple[str, ...]
    num_found: int
    error: str
    read_as: tuple[str, ...] = ()
    unknown_words: tuple[tuple[str, ...], ...] = ()

    @property
    def best(self) -> Alternative | None:
        """The most probable program, None if there is an error."""
        return self.alternatives[0] if self.alternatives else None


class ScoreAnswer(NamedTuple):
    """What may follow the beginning of a program.

    Attributes:
        log_probs: log-probability of every token, in the order of `Metadata.tokens`.
        allowed: whether a search keeps the program with this token.
        attention: the words of the present utterance, and how much each is attended to.
        utterance: the number of the present utterance, from 1.
        world: the world after the program so far.
        error: what is wrong with the request, "" if nothing is.
    """

    log_probs: tuple[float, ...]
    allowed: tuple[bool, ...]
    attention: tuple[tuple[str, float], ...]
    utterance: int
    world: str
    error: str


class Metadata(NamedTuple):
    """What an export is.

    Attributes:
        domain: the name of a domain.
        tokens: names of tokens by id.
        config: the training configuration, as gin text.
        step: training steps.
        data_fingerprint: identifies the training data.
        settings: `ExportSettings` and `max_words`.
        versions: of the software that made it.
    """

    domain: str
    tokens: tuple[str, ...]
    config: str
    step: int
    data_fingerprint: str
    settings: Mapping[str, int]
    versions: Mapping[str, str]


def request_columns(
    requests: Sequence[ParseRequest], *, max_utterances: int
) -> dict[str, list[Any]]:
    """The inputs of a signature for some requests.

    All requests of all clients get the same width if they can, so that a server can merge them.
    """
    width = max(max_utterances, *(len(request.utterances) for request in requests), 1)
    return {
        "world": [request.world for request in requests],
        "utterances": [
            [*request.utterances, *[""] * (width - len(request.utterances))] for request in requests
        ],
    }


def parse_answers(outputs: Columns, requests: Sequence[ParseRequest]) -> list[ParseAnswer]:
    """The answers to requests from the outputs of the signature `parse`."""
    return [
        _parse_answer(row, request.num_utterances) for row, request in zip(_rows(outputs), requests)
    ]


def _parse_answer(row: Mapping[str, Any], num_utterances: int) -> ParseAnswer:
    # Exports of earlier versions do not tell how many agree.
    agreeing = row.get("agreeing", [1] * len(row["program"]))
    found = zip(row["program"], row["world"], row["log_prob"], agreeing)
    alternatives = tuple(Alternative(*fields) for fields in found if fields[0])
    return ParseAnswer(
        alternatives=alternatives,
        worlds=tuple(row["worlds"][:num_utterances]) if alternatives else (),
        num_found=int(row.get("num_found", len(alternatives))),
        error=row["error"],
        # Exports of earlier versions do not tell.
        read_as=tuple(row.get("read_as", ())[:num_utterances]),
        unknown_words=tuple(
            tuple(words.split()) for words in row.get("unknown_words", ())[:num_utterances]
        ),
    )


def score_answers(outputs: Columns) -> list[ScoreAnswer]:
    """The answers from the outputs of the signature `score`."""
    return [
        ScoreAnswer(
            log_probs=tuple(row["log_prob"]),
            allowed=tuple(row["allowed"]),
            attention=tuple(pair for pair in zip(row["words"], row["attention"]) if pair[0]),
            utterance=int(row["utterance"]),
            world=row["world"],
            error=row["error"],
        )
        for row in _rows(outputs)
    ]


def metadata_answer(outputs: Columns) -> Metadata:
    """The answer from the outputs of the signature `metadata` for one row."""
    (row,) = _rows(outputs)
    return Metadata(
        domain=row["domain"],
        tokens=tuple(row["tokens"]),
        config=row["config"],
        step=int(row["step"]),
        data_fingerprint=row["data_fingerprint"],
        settings=json.loads(row["settings"]),
        versions=json.loads(row["versions"]),
    )


def decode_texts(value: Any) -> Any:
    """Nested lists with texts in place of their UTF-8 bytes."""
    if isinstance(value, list):
        return [decode_texts(item) for item in value]
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _rows(outputs: Columns) -> Iterator[dict[str, Any]]:
    return (dict(zip(outputs, values)) for values in zip(*outputs.values()))
