"""Many clients at once over REST: each is answered rightly, or told to come back."""

from __future__ import annotations

import asyncio
import collections
import json
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import aiohttp
from tqdm import tqdm

from lang2program_tf.serving.answers import (
    ParseAnswer,
    ParseRequest,
    parse_answers,
    request_columns,
)

# Sums over a batch end in other last bits than those of one row, so two programs may change places.
_SAME_LOG_PROB = 1e-3


class Question(NamedTuple):
    """A request and the answer that it should get.

    Attributes:
        request: one row.
        expected: its answer, from a parser in this process.
    """

    request: ParseRequest
    expected: ParseAnswer


class Crowd:
    """Clients that ask without a pause, and count what they get."""

    def __init__(self, url: str, questions: Sequence[Question], *, max_utterances: int) -> None:
        """Binds what to ask.

        Args:
            url: of the model, as in `http://localhost:8501/v1/models/scene`.
            questions: asked in turn.
            max_utterances: columns of every request, so that they can be merged.
        """
        self._url = f"{url}:predict"
        self._questions = questions
        self._bodies = [
            json.dumps(
                {"inputs": request_columns([question.request], max_utterances=max_utterances)}
            )
            for question in questions
        ]
        self._found: collections.Counter[str] = collections.Counter()

    def run(self, *, clients: int, seconds: float) -> dict[str, int]:
        """How many requests ended in which way: `right`, `wrong`, `come back`, or a failure."""
        asyncio.run(self._run(clients, seconds))
        return dict(sorted(self._found.items()))

    async def _run(self, clients: int, seconds: float) -> None:
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(connector=connector) as session:
            end = time.monotonic() + seconds
            asking = [self._client(session, first, clients, end) for first in range(clients)]
            with tqdm(total=round(seconds), desc=f"{clients} clients", unit=" s") as bar:
                watching = asyncio.ensure_future(_tick(bar))
                await asyncio.gather(*asking)
                watching.cancel()

    async def _client(
        self, session: aiohttp.ClientSession, first: int, step: int, end: float
    ) -> None:
        number = first
        while time.monotonic() < end:
            place = number % len(self._questions)
            try:
                async with session.post(self._url, data=self._bodies[place]) as response:
                    answer = await response.json(content_type=None)
                    delay = response.headers.get("Retry-After")
                    ending = self._judge(place, response.status, answer, delay)
            except (aiohttp.ClientError, asyncio.TimeoutError, OSError, ValueError) as error:
                delay, ending = None, type(error).__name__
            self._found[ending] += 1
            if delay is not None:
                await asyncio.sleep(float(delay))
            else:
                number += step

    def _judge(self, place: int, status: int, answer: Any, delay: str | None) -> str:
        if status in (429, 503) and delay is not None:
            return "come back"
        if status != 200:
            return f"HTTP {status}"
        request, expected = self._questions[place]
        (found,) = parse_answers(answer["outputs"], [request])
        return "right" if _same(found, expected) else "wrong"


def _same(found: ParseAnswer, expected: ParseAnswer) -> bool:
    if found.best is None or expected.best is None:
        return found.error == expected.error
    if found.best[:2] == expected.best[:2]:
        return True
    return abs(found.best.log_prob - expected.best.log_prob) < _SAME_LOG_PROB


async def _tick(bar: tqdm[Any]) -> None:
    while True:
        await asyncio.sleep(1)
        bar.update()
