"""A client for exported parsers behind TF Serving, or any server with its protocols."""

from __future__ import annotations

import random
import time
import urllib.parse
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from lang2program_tf.language import LanguageError, get_domain
from lang2program_tf.language.verify import Request, verify
from lang2program_tf.serving.answers import (
    Columns,
    Metadata,
    ParseAnswer,
    ParseRequest,
    ScoreAnswer,
    metadata_answer,
    parse_answers,
    request_columns,
    score_answers,
)
from lang2program_tf.serving.rest import RestTransport
from lang2program_tf.serving.transport import ServingError, Transport


class VerificationError(Exception):
    """A served program does not lead to the world that the server says."""


@dataclass(frozen=True)
class Retries:
    """When to ask again. Only transient errors are retried.

    Attributes:
        attempts: how often to ask in all.
        first_delay: seconds before the second attempt; each further delay is twice as long.
        max_delay: the longest delay.
    """

    attempts: int = 4
    first_delay: float = 0.1
    max_delay: float = 2.0

    def __post_init__(self) -> None:
        if self.attempts < 1:
            raise ValueError(f"attempts={self.attempts} must be 1 or more")

    def delay(self, attempt: int) -> float:
        """Seconds to wait after attempt number `attempt`, from 1.

        They are random, so that clients that failed together do not come back together.
        """
        longest = min(self.max_delay, self.first_delay * 2 ** (attempt - 1))
        return longest * random.uniform(0.5, 1.0)


class Client:
    """Asks an exported parser. Its methods may be called from several threads at a time."""

    def __init__(
        self,
        transport: Transport,
        *,
        timeout: float = 30.0,
        retries: Retries | None = None,
        batch_size: int = 64,
        concurrency: int = 1,
        verify_answers: bool = False,
    ) -> None:
        """Binds how to ask.

        Args:
            transport: the way to the model; see `connect`.
            timeout: seconds for one request, all attempts together.
            retries: when to ask again.
            batch_size: how many questions to put into one request.
            concurrency: how many requests may be under way.
            verify_answers: whether to run every program of every answer with the executor.
        """
        for name, value in (("batch_size", batch_size), ("concurrency", concurrency)):
            if value < 1:
                raise ValueError(f"{name}={value} must be 1 or more")
        self._transport = transport
        self._timeout = timeout
        self._retries = retries or Retries()
        self._batch_size = batch_size
        self._concurrency = concurrency
        self._verify = verify_answers
        self._metadata: Metadata | None = None

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Gives up all connections."""
        self._transport.close()

    def metadata(self) -> Metadata:
        """What the model is; asked once."""
        if self._metadata is None:
            self._metadata = metadata_answer(self._ask("metadata", {"request": [""]}))
        return self._metadata

    def parse(self, world: str, utterances: Sequence[str]) -> ParseAnswer:
        """The programs for utterances about a world.

        Raises:
            ServingError: there is no answer; a question that is wrong in itself gets an answer
                with an error.
            VerificationError: a program does not lead to its world.
        """
        return self.parse_many([ParseRequest(world, tuple(utterances))])[0]

    def parse_many(self, requests: Iterable[ParseRequest]) -> list[ParseAnswer]:
        """The answers to many questions, in their order."""
        questions = list(requests)
        size = self._batch_size
        batches = [questions[start : start + size] for start in range(0, len(questions), size)]
        if batches:
            self.metadata()
        threads = min(self._concurrency, len(batches))
        if threads <= 1:  # to start a thread takes a millisecond
            return [answer for batch in batches for answer in self._parse_batch(batch)]
        with ThreadPoolExecutor(threads) as pool:
            return [answer for found in pool.map(self._parse_batch, batches) for answer in found]

    def score(self, world: str, utterances: Sequence[str], program: str = "") -> ScoreAnswer:
        """The scores of all tokens after the beginning of a program."""
        return self.score_many(world, utterances, [program])[0]

    def score_many(
        self, world: str, utterances: Sequence[str], programs: Sequence[str]
    ) -> list[ScoreAnswer]:
        """The scores of all tokens after several beginnings of programs."""
        request = ParseRequest(world, tuple(utterances))
        inputs = self._columns([request] * len(programs))
        return score_answers(self._ask("score", {**inputs, "program": list(programs)}))

    def _columns(self, requests: Sequence[ParseRequest]) -> dict[str, list[Any]]:
        return request_columns(requests, max_utterances=self.metadata().settings["max_utterances"])

    def _parse_batch(self, requests: Sequence[ParseRequest]) -> list[ParseAnswer]:
        outputs = self._ask("serving_default", self._columns(requests))
        answers = parse_answers(outputs, requests)
        if self._verify:
            for request, answer in zip(requests, answers):
                check_answer(self.metadata().domain, request, answer)
        return answers

    def _ask(self, signature: str, inputs: Columns) -> dict[str, Any]:
        """Asks until there is an answer, an error that will not pass, or no time left."""
        deadline = time.monotonic() + self._timeout
        attempt = 0
        while True:
            attempt += 1
            try:
                left = max(deadline - time.monotonic(), 0.001)
                return self._transport.predict(signature, inputs, timeout=left)
            except ServingError as error:
                delay = self._retries.delay(attempt)
                late = time.monotonic() + delay >= deadline
                if not error.is_transient or attempt == self._retries.attempts or late:
                    raise
            time.sleep(delay)


def check_answer(domain: str, request: ParseRequest, answer: ParseAnswer) -> None:
    """Runs every program of an answer.

    Raises:
        VerificationError: a program does not lead to its world.
    """
    if not answer.alternatives:
        return
    row = {
        "program": [alternative.program for alternative in answer.alternatives],
        "world": [alternative.world for alternative in answer.alternatives],
        "worlds": list(answer.worlds),
    }
    try:
        asked = Request(request.world, request.num_utterances)
        verdict = verify(get_domain(domain), asked, row)
    except LanguageError as error:
        raise VerificationError(str(error)) from error
    if verdict.problems:
        raise VerificationError("; ".join(verdict.problems))


def connect(url: str, *, model: str, version: int | None = None, **options: Any) -> Client:
    """A client for a server.

    Args:
        url: `http://HOST:PORT` for REST, `grpc://HOST:PORT` for gRPC.
        model: the model's name, usually that of its domain.
        version: of the model; the server's choice if None.
        **options: of `Client`.
    """
    parts = urllib.parse.urlsplit(url)
    if parts.scheme != "grpc":
        return Client(RestTransport(url, model=model, version=version), **options)
    from lang2program_tf.serving.grpc_transport import GrpcTransport  # imports TensorFlow

    return Client(GrpcTransport(parts.netloc, model=model, version=version), **options)
