"""Requests of one kind are computed together, and none knows of the others."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import numpy as np
import pytest

from lang2program_tf.server.batcher import Batcher
from lang2program_tf.server.limits import ServerLimits
from lang2program_tf.serving import ServingError
from tests.server.fake_models import EchoModel, SlowModel

LIMITS = ServerLimits(workers=1, batch_timeout=0.05, max_batch_rows=4, max_waiting_rows=6)


def texts(*values):
    return {"world": np.array([value.encode() for value in values], object)}


def run(work, limits=LIMITS):
    """Runs `work(batcher)`; what it gives, and the rows of all batches as they were observed."""
    observed: list = []

    async def inside():
        batcher = Batcher(limits, observe=observed.append)
        try:
            return await asyncio.wait_for(work(batcher), 20)
        finally:
            await batcher.close()

    return asyncio.run(inside()), observed


def ask_all(model, *requests):
    async def work(batcher):
        calls = [batcher.run(model, "", texts(*request)) for request in requests]
        return await asyncio.gather(*calls, return_exceptions=True)

    return work


def echoes(results):
    return [r.code if isinstance(r, ServingError) else r["echo"].tolist() for r in results]


def test_requests_that_come_together_are_one_batch_and_each_gets_its_rows():
    model = EchoModel()
    results, observed = run(ask_all(model, ["a", "b"], ["c"], ["d"]))
    assert echoes(results) == [[b"a", b"b"], [b"c"], [b"d"]]
    assert results[0]["twice"].tolist() == [[b"a", b"a"], [b"b", b"b"]]
    assert model.batches == observed == [4]


def test_a_batch_has_no_more_rows_than_the_limit_unless_one_request_has():
    model = EchoModel()
    limits = replace(LIMITS, max_waiting_rows=100)
    results, _ = run(ask_all(model, ["a"] * 3, ["b"] * 2, ["c"] * 9), limits)
    assert [len(found) for found in echoes(results)] == [3, 2, 9]
    assert model.batches == [3, 2, 9]


def test_requests_of_other_shapes_signatures_or_models_are_not_merged():
    one, other = EchoModel(), EchoModel(version=2)

    async def work(batcher):
        wide = {"world": np.array([[b"a", b"b"]], object)}
        await asyncio.gather(
            batcher.run(one, "", texts("a")),
            batcher.run(one, "", wide),
            batcher.run(one, "x", texts("c")),
            batcher.run(other, "", texts("d")),
        )

    run(work)
    assert (one.batches, other.batches) == ([1, 1, 1], [1])


def test_a_request_that_the_model_refuses_fails_alone():
    model = EchoModel()
    results, _ = run(ask_all(model, ["a"], ["bad"], ["c"]))
    assert echoes(results) == [[b"a"], "INVALID_ARGUMENT", [b"c"]]


def test_above_the_rows_that_may_wait_requests_are_to_come_back():
    results, _ = run(ask_all(EchoModel(), ["a"] * 5, ["b"], ["c"]))
    assert [type(found) for found in echoes(results)] == [list, list, str]
    assert results[2].code == "UNAVAILABLE"


def test_one_large_request_may_wait_alone():
    results, _ = run(ask_all(EchoModel(), ["a"] * 50))
    assert len(results[0]["echo"]) == 50


def test_a_request_that_is_given_up_is_never_computed():
    model = SlowModel()

    async def work(batcher):
        first = asyncio.ensure_future(batcher.run(model, "", texts("a")))
        await asyncio.sleep(0.2)  # the only worker is busy with it
        second = asyncio.ensure_future(batcher.run(model, "", texts("b")))
        await asyncio.sleep(0.01)
        assert batcher.waiting_rows == 1
        second.cancel()
        await asyncio.sleep(0.01)
        assert batcher.waiting_rows == 0
        model.may_end.set()
        return await first

    result, observed = run(work)
    assert result["echo"].tolist() == [b"a"]
    assert observed == [1]


def test_closing_lets_a_batch_end_and_gives_up_what_waits():
    model = SlowModel()

    async def work(batcher):
        first = asyncio.ensure_future(batcher.run(model, "", texts("a")))
        await asyncio.sleep(0.2)
        second = asyncio.ensure_future(batcher.run(model, "", texts("b")))
        await asyncio.sleep(0.01)
        asyncio.get_running_loop().call_later(0.2, model.may_end.set)
        await batcher.close()
        with pytest.raises(ServingError, match="shutting down"):
            await second
        with pytest.raises(ServingError, match="shutting down"):
            await batcher.run(model, "", texts("c"))
        return await first

    assert run(work)[0]["echo"].tolist() == [b"a"]


def test_who_waits_in_vain_may_come_back_but_who_is_computed_too_long_may_not():
    model = SlowModel()

    async def work(batcher):
        computed = asyncio.ensure_future(batcher.run(model, "", texts("a"), timeout=0.4))
        await asyncio.sleep(0.2)  # the only worker is busy with it
        with pytest.raises(ServingError, match="too many requests are waiting") as waited:
            await batcher.run(model, "", texts("b"), timeout=0.05)
        with pytest.raises(ServingError, match="no answer within 0.4 s") as late:
            await computed
        model.may_end.set()
        return [(waited.value.code, late.value.code), batcher.waiting_rows]

    result, observed = run(work)
    assert result == [("UNAVAILABLE", "DEADLINE_EXCEEDED"), 0]
    assert observed == [1]
