"""Merges requests of several clients into batches, and computes these in a few threads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple, Union

import numpy as np
from numpy.typing import NDArray

from lang2program_tf.server.limits import ServerLimits
from lang2program_tf.serving.model import Model
from lang2program_tf.serving.transport import ServingError

Arrays = Mapping[str, NDArray[Any]]
_Result = Union[dict[str, NDArray[Any]], Exception]


class _Kind(NamedTuple):
    """What merged requests have in common; `inputs` are pairs of a name and the shape of a row."""

    model: Model
    signature: str
    inputs: tuple[tuple[str, tuple[int, ...]], ...]


@dataclass(eq=False)
class _Question:
    kind: _Kind
    inputs: Arrays
    rows: int
    came: float
    answer: asyncio.Future[dict[str, NDArray[Any]]]


class Batcher:
    """Answers requests to models, several at once where they are of one kind.

    All methods belong to one event loop.
    """

    def __init__(self, limits: ServerLimits, *, observe: Callable[[int], None]) -> None:
        """Starts to work.

        Args:
            limits: of batches, and of what may wait.
            observe: is told the rows of every batch.
        """
        self._limits = limits
        self._observe = observe
        self._waiting: list[_Question] = []  # in the order of their coming
        self._arrived = asyncio.Event()
        self._turn = asyncio.Lock()  # of the worker that gathers the next batch
        self._pool = ThreadPoolExecutor(limits.workers, thread_name_prefix="predict")
        self._workers = [asyncio.ensure_future(self._work()) for _ in range(limits.workers)]
        self._closed = False

    @property
    def waiting_rows(self) -> int:
        """How many rows no batch has taken yet."""
        return sum(question.rows for question in self._waiting)

    async def run(
        self, model: Model, signature: str, inputs: Arrays, *, timeout: float | None = None
    ) -> dict[str, NDArray[Any]]:
        """Calls a signature of a model; a request that is cancelled while it waits costs nothing.

        Args:
            model: whom to ask.
            signature: the name, "" for the default.
            inputs: arrays of bytes objects, all with the same number of rows.
            timeout: seconds to the answer, None if they do not matter.

        Raises:
            ServingError: the model refuses, too much waits, time is up, or the server is being
                stopped. Whose turn has not come when time is up may come back.
        """
        if self._closed:
            raise _stopping()
        rows = len(next(iter(inputs.values()))) if inputs else 0
        if self._waiting and self.waiting_rows + rows > self._limits.max_waiting_rows:
            raise _overloaded()
        shapes = tuple(sorted((name, array.shape[1:]) for name, array in inputs.items()))
        loop = asyncio.get_running_loop()
        question = _Question(
            _Kind(model, signature, shapes), inputs, rows, loop.time(), loop.create_future()
        )
        self._waiting.append(question)
        self._arrived.set()
        try:
            return await asyncio.wait_for(question.answer, timeout)
        except asyncio.TimeoutError:
            if question in self._waiting:
                raise _overloaded() from None
            message = f"no answer within {timeout:.3g} s"
            raise ServingError("DEADLINE_EXCEEDED", message) from None
        finally:
            if question in self._waiting:
                self._waiting.remove(question)

    async def close(self) -> None:
        """Gives up what waits, and lets batches under way end."""
        self._closed = True
        for worker in self._workers:
            worker.cancel()
        await asyncio.gather(*self._workers, return_exceptions=True)
        for question in self._waiting:
            if not question.answer.done():
                question.answer.set_exception(_stopping())
        await asyncio.get_running_loop().run_in_executor(None, self._pool.shutdown)

    async def _work(self) -> None:
        while True:
            async with self._turn:
                batch = await self._gather()
            self._observe(sum(question.rows for question in batch))
            inputs = [question.inputs for question in batch]
            loop = asyncio.get_running_loop()
            running = loop.run_in_executor(self._pool, _compute, batch[0].kind, inputs)
            try:
                results: Sequence[_Result] = await asyncio.shield(running)
            except asyncio.CancelledError:
                _deliver(batch, await running)
                raise
            _deliver(batch, results)

    async def _gather(self) -> list[_Question]:
        """Takes the first question that waits, and those of its kind that come in time."""
        while True:
            while not self._waiting:
                self._arrived.clear()
                await self._arrived.wait()
            first = self._waiting[0]
            age = asyncio.get_running_loop().time() - first.came
            if age < self._limits.batch_timeout:
                await asyncio.sleep(self._limits.batch_timeout - age)
            if self._waiting:  # else those who asked have gone away
                break
        batch = list(self._first_of_one_kind())
        for question in batch:
            self._waiting.remove(question)
        return batch

    def _first_of_one_kind(self) -> Iterator[_Question]:
        first = self._waiting[0]
        yield first
        rows = first.rows
        for question in self._waiting[1:]:
            if question.kind == first.kind:
                rows += question.rows
                if rows > self._limits.max_batch_rows:
                    return
                yield question


def _deliver(batch: Sequence[_Question], results: Sequence[_Result]) -> None:
    for question, result in zip(batch, results):
        if question.answer.done():
            continue  # its client has gone away
        if isinstance(result, Exception):
            question.answer.set_exception(result)
        else:
            question.answer.set_result(result)


def _compute(kind: _Kind, requests: Sequence[Arrays]) -> list[_Result]:
    """The outputs for each request, or what went wrong with it."""
    names = [name for name, _ in kind.inputs]
    try:
        if len(requests) == 1:
            return [kind.model.run(kind.signature, requests[0])]
        merged = {name: np.concatenate([inputs[name] for inputs in requests]) for name in names}
        outputs = kind.model.run(kind.signature, merged)
    except Exception as error:
        if len(requests) == 1:
            return [error]
        # One of them is to blame, and the others must not suffer.
        return [result for inputs in requests for result in _compute(kind, [inputs])]
    ends = np.cumsum([len(inputs[names[0]]) for inputs in requests])[:-1]
    parts = {name: np.split(array, ends) for name, array in outputs.items()}
    return [{name: part[number] for name, part in parts.items()} for number in range(len(requests))]


def _overloaded() -> ServingError:
    return ServingError("UNAVAILABLE", "too many requests are waiting; try again later")


def _stopping() -> ServingError:
    return ServingError("UNAVAILABLE", "the server is shutting down")
