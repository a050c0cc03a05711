"""Speed of an exported parser: latency, throughput, cold start, load over gRPC, and malice."""

from __future__ import annotations

import multiprocessing
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from tqdm import tqdm

from lang2program_dev.benchmarks.timing import table
from lang2program_tf.corpus.embedded.load import load_embedded
from lang2program_tf.errors import UserError
from lang2program_tf.serving import Client, ParseRequest, connect

PARTS = ("latency", "cold", "load", "crowd", "malformed")
BATCHES = (1, 8, 64)
UTTERANCES = (1, 3, 5)
_CLIENTS = 8
_WARM_UP = 3
_PERCENTILES = (50, 95, 99)
_SETTLING = 0.25  # the share of a load test after which memory must not grow


class Latency(NamedTuple):
    """Times of one kind of request.

    Attributes:
        batch: rows of a request.
        utterances: of a row.
        p50: median in ms,
        p95: and the
        p99: slow ones.
        parses_per_second: rows answered a second.
    """

    batch: int
    utterances: int
    p50: float
    p95: float
    p99: float
    parses_per_second: float


class ServerProcess(NamedTuple):
    """A server in another process.

    Attributes:
        pid: of the process.
        grpc_target: `HOST:PORT` of gRPC.
        rest_address: host and port of REST.
    """

    pid: int
    grpc_target: str
    rest_address: tuple[str, int]


class ServeBenchmark:
    """Measures one exported parser on sentences of the embedded corpus."""

    def __init__(self, export: str | os.PathLike[str], *, repeats: int) -> None:
        """Loads the export.

        Args:
            export: an exported parser.
            repeats: how often each kind of request is sent.
        """
        # Imported here, so that cold starts in other processes measure it.
        from lang2program_tf.serving.model import LocalTransport, Model

        model = Model(export)
        self._export, self._repeats = model.folder, repeats
        self._domain = model.domain
        self._local = Client(LocalTransport(model), batch_size=max(BATCHES))
        self._examples = load_embedded(model.domain, split="test")

    def run(
        self,
        parts: Collection[str],
        *,
        utterances: int | None,
        seconds: float,
        crowd: int,
        malformed: int,
    ) -> tuple[str, dict[str, Any]]:
        """Measures; a text and the figures.

        Args:
            parts: some of PARTS.
            utterances: of each request of the two load tests; None for 1 to 5.
            seconds: how long each of the two load tests takes.
            crowd: how many clients the second has.
            malformed: how many malformed requests to send.
        """
        figures: dict[str, Any] = {}
        if "latency" in parts:
            figures["in_process"] = self._latencies(self._local, "in process")
        if "cold" in parts:
            ways = (("as is", False), ("warmed up", True))
            figures["cold_start"] = {name: self._cold_start(warm) for name, warm in ways}
        with _server(self._export) as server:
            if "latency" in parts:
                target = f"grpc://{server.grpc_target}"
                with connect(target, model=self._domain, batch_size=64) as client:
                    figures["grpc"] = self._latencies(client, "over gRPC")
            if "load" in parts:
                figures["load"] = self._load(server, seconds, self._asked(utterances))
            if "crowd" in parts:
                figures["crowd"] = self._crowd(server, crowd, seconds, self._asked(utterances))
            if "malformed" in parts:
                figures["malformed"] = self._malformed(server, malformed)
        return _text(figures), figures

    def _asked(self, utterances: int | None) -> list[ParseRequest]:
        """The requests of a load test, in turn."""
        return [
            ParseRequest(e.world, e.utterances)
            for e in self._examples
            if utterances in (None, len(e.utterances))
        ]

    def _requests(self, batch: int, utterances: int) -> list[ParseRequest]:
        found = [e for e in self._examples if len(e.utterances) == utterances]
        return [
            ParseRequest(found[i % len(found)].world, found[i % len(found)].utterances)
            for i in range(batch)
        ]

    def _latencies(self, client: Client, where: str) -> list[dict[str, float]]:
        kinds = [(batch, utterances) for batch in BATCHES for utterances in UTTERANCES]
        bar = tqdm(kinds, where, unit=" kinds")
        return [self._latency(client, *kind)._asdict() for kind in bar]

    def _latency(self, client: Client, batch: int, utterances: int) -> Latency:
        requests = self._requests(batch, utterances)
        times = []
        for _ in range(_WARM_UP + self._repeats):
            started = time.perf_counter()
            client.parse_many(requests)
            times.append(time.perf_counter() - started)
        times = times[_WARM_UP:]
        p50, p95, p99 = (1000 * float(np.percentile(times, p)) for p in _PERCENTILES)
        return Latency(batch, utterances, p50, p95, p99, batch * len(times) / sum(times))

    def _cold_start(self, warm: bool) -> dict[str, float]:
        """What happens in a process that has just begun."""
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(1, mp_context=context) as pool:
            future = pool.submit(cold_start, self._export, self._requests(1, 3), warm)
            return future.result()

    def _load(
        self, server: ServerProcess, seconds: float, requests: Sequence[ParseRequest]
    ) -> dict[str, float]:
        """Clients that ask without a pause."""
        times: list[float] = []
        failures: list[Exception] = []
        end = time.monotonic() + seconds

        def ask(first: int) -> None:
            with connect(f"grpc://{server.grpc_target}", model=self._domain) as client:
                number = first
                while time.monotonic() < end and not failures:
                    started = time.perf_counter()
                    try:
                        client.parse_many([requests[number % len(requests)]])
                    except Exception as error:
                        failures.append(error)
                    times.append(time.perf_counter() - started)
                    number += _CLIENTS

        threads = [threading.Thread(target=ask, args=[i]) for i in range(_CLIENTS)]
        for thread in threads:
            thread.start()
        memory = list(_watch(server.pid, end))
        for thread in threads:
            thread.join()
        if failures:
            raise UserError(f"the server failed under load: {failures[0]}")
        settled = memory[int(_SETTLING * len(memory)) :]
        p50, p95, p99 = (1000 * float(np.percentile(times, p)) for p in _PERCENTILES)
        return {
            "clients": _CLIENTS,
            "seconds": seconds,
            "parses_per_second": len(times) / seconds,
            "p50": p50,
            "p95": p95,
            "p99": p99,
            "memory_mb": settled[-1],
            "growth_mb": settled[-1] - settled[0],
        }

    def _crowd(
        self,
        server: ServerProcess,
        clients: int,
        seconds: float,
        requests: Sequence[ParseRequest],
    ) -> dict[str, Any]:
        """Many more clients than the server has room for, over REST."""
        from lang2program_dev.benchmarks.crowd import Crowd, Question

        answers = self._local.parse_many(requests)
        host, port = server.rest_address
        questions = [Question(*pair) for pair in zip(requests, answers)]
        size = self._local.metadata().settings["max_utterances"]
        url = f"http://{host}:{port}/v1/models/{self._domain}"
        endings = Crowd(url, questions, max_utterances=size).run(clients=clients, seconds=seconds)
        if set(endings) - {"right", "come back"}:
            raise UserError(f"the server failed {clients} clients: {endings}")
        return {"clients": clients, "seconds": seconds, "endings": endings}

    def _malformed(self, server: ServerProcess, count: int) -> dict[str, int]:
        """Sends malformed requests, and a good one again and again."""
        from lang2program_dev.benchmarks.malformed import MalformedRequests

        question = self._requests(1, 2)
        sender = MalformedRequests(
            self._domain, grpc_target=server.grpc_target, rest_address=server.rest_address, seed=0
        )
        found: dict[str, int] = {}
        with connect(f"grpc://{server.grpc_target}", model=self._domain) as client:
            expected = [a[:2] for a in client.parse_many(question)[0].alternatives]
            for done in tqdm(range(0, count, 100), "malformed requests", unit=" hundreds"):
                for way, number in sender.send(min(100, count - done)).items():
                    found[way] = found.get(way, 0) + number
                answer = client.parse_many(question)[0]
                if [a[:2] for a in answer.alternatives] != expected:
                    raise UserError(f"after {done + 100} malformed requests an answer changed")
        sender.close()
        hung = [way for way in found if "DEADLINE" in way or "UNAVAILABLE" in way]
        if hung:
            raise UserError(f"malformed requests without an answer: {', '.join(hung)}")
        return dict(sorted(found.items()))


def cold_start(export: Path, requests: Sequence[ParseRequest], warm: bool) -> dict[str, float]:
    """Seconds until a fresh process has imported, loaded, warmed up, and answered twice."""
    laps = [time.perf_counter()]
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    from lang2program_tf.serving.model import LocalTransport, Model

    laps.append(time.perf_counter())
    model = Model(export)
    laps.append(time.perf_counter())
    if warm:
        model.warm_up()
    laps.append(time.perf_counter())
    client = Client(LocalTransport(model))
    client.metadata()
    for _ in range(2):
        client.parse_many(requests)
        laps.append(time.perf_counter())
    names = ("import_s", "load_s", "warm_up_s", "first_s", "second_s")
    return {name: after - before for name, before, after in zip(names, laps, laps[1:])}


@contextmanager
def _server(export: Path) -> Iterator[ServerProcess]:
    """A server in another process, warmed up."""
    command = [sys.executable, "-m", "lang2program_tf.cli.main", "serve", "--export", str(export)]
    process = subprocess.Popen(
        [*command, "--port=0", "--rest_port=0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"gRPC at ([^,]+), REST at http://([^:/]+):(\d+)/", line)
        if not found:
            raise UserError("the server did not start; try `lang2program serve` to see why")
        yield ServerProcess(process.pid, found[1], (found[2], int(found[3])))
        if process.poll() is not None:
            raise UserError(f"the server ended with code {process.returncode}")
    finally:
        process.terminate()
        process.wait(60)


def _watch(pid: int, end: float) -> Iterator[float]:
    """The resident memory of a process in MB, several times a second until `end`."""
    with tqdm(total=100, desc="under load", unit="%") as bar:
        started = time.monotonic()
        while time.monotonic() < end:
            pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
            yield pages * os.sysconf("SC_PAGE_SIZE") / 2**20
            time.sleep(0.25)
            share = 100 * (time.monotonic() - started) / max(end - started, 1e-9)
            bar.update(min(round(share), 100) - bar.n)


def _text(figures: dict[str, Any]) -> str:
    """What was measured, to be read."""
    blocks = []
    head = ["batch", "utterances", "p50 ms", "p95 ms", "p99 ms", "parses/s"]
    for key, title in (("in_process", "in process"), ("grpc", "over gRPC, one client")):
        if key in figures:
            rows = [list(row.values()) for row in figures[key]]
            blocks.append(f"{title}\n{table(rows, head)}")
    if "cold_start" in figures:
        head = ["cold start", "import s", "load s", "warm-up s", "first s", "second s"]
        rows = [
            [name, *(f"{seconds:.2f}" for seconds in times.values())]
            for name, times in figures["cold_start"].items()
        ]
        blocks.append(table(rows, head))
    if "load" in figures:
        load = figures["load"]
        blocks.append(
            f"{load['clients']} clients over gRPC for {load['seconds']:.0f} s: "
            f"{load['parses_per_second']:.1f} parses/s, p50 {load['p50']:.1f} ms, p95 "
            f"{load['p95']:.1f} ms, p99 {load['p99']:.1f} ms; memory {load['memory_mb']:.0f} MB, "
            f"{load['growth_mb']:+.1f} MB after the first quarter"
        )
    if "crowd" in figures:
        crowd = figures["crowd"]
        blocks.append(
            f"{crowd['clients']} clients over REST for {crowd['seconds']:.0f} s: {crowd['endings']}"
        )
    if "malformed" in figures:
        found = figures["malformed"]
        blocks.append(f"{sum(found.values())} malformed requests: {found}")
    return "\n\n".join(blocks)
