"""Speed of training with several workers: one process with two threads against two with one."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from lang2program_dev.benchmarks.timing import table
from lang2program_tf.corpus.batches import training_batches
from lang2program_tf.errors import UserError
from lang2program_tf.learning.cluster import own_place, tf_config
from lang2program_tf.learning.learner import Learner
from lang2program_tf.learning.workers import WORKERS, Workers

_WARM_UP = 3
# How many processes, and how many threads each.
_SHAPES = ((1, 2), (2, 1))


def measure(*, batch_sizes: Sequence[int], steps: int) -> dict[str, float]:
    """The median ms a step of the workers of TF_CONFIG, or of this process, by batch size."""
    alone = len(own_place().addresses) == 1
    workers = Workers(None if alone else WORKERS)
    found = {}
    with workers.joined():
        for size in tqdm(batch_sizes, desc=f"{workers.count} workers", unit="batch size"):
            learner = Learner(workers=workers)
            task = learner.task
            maker = task.batch_maker(task.examples("train"))
            batches = iter(training_batches(maker, batch_size=size, seed=learner.seed))
            times = []
            for _ in range(_WARM_UP + steps):
                batch = next(batches)
                start = time.perf_counter()
                float(learner.train(batch).loss)
                times.append(1000 * (time.perf_counter() - start))
            found[str(size)] = float(np.median(times[_WARM_UP:]))
    return found


def compare(
    arguments: Sequence[str], *, batch_sizes: Sequence[int]
) -> tuple[str, dict[str, dict[str, float]]]:
    """A table for people and ms an example by workers, threads and batch size.

    Args:
        arguments: of the command that measures, `lang2program benchmark workers` with TF_CONFIG.
        batch_sizes: what that command measures.
    """
    found = {}
    for processes, threads in _SHAPES:
        name = f"{processes} × {threads} thread{'s' if threads > 1 else ''}"
        found[name] = {
            size: ms / int(size)
            for size, ms in _started(arguments, processes=processes, threads=threads).items()
        }
    rows = [[name, *(times[str(size)] for size in batch_sizes)] for name, times in found.items()]
    return table(rows, ["ms an example", *(f"batch {size}" for size in batch_sizes)]), found


def _started(arguments: Sequence[str], *, processes: int, threads: int) -> dict[str, float]:
    """What processes on this machine measure together."""
    addresses = free_addresses(processes)
    with tempfile.TemporaryDirectory() as folder:
        figures = Path(folder) / "figures.json"
        started = []
        for index in range(processes):
            environment = {
                **os.environ,
                "TF_CONFIG": tf_config(addresses, index),
                "TF_NUM_INTEROP_THREADS": str(threads),
                "TF_NUM_INTRAOP_THREADS": "1",
            }
            command = [sys.executable, "-m", "lang2program_tf.cli.main", *arguments]
            if index == 0:
                command += ["--json", str(figures)]
            output = None if index == 0 else subprocess.DEVNULL
            started.append(subprocess.Popen(command, env=environment, stdout=output, stderr=output))
        try:
            codes = [process.wait() for process in started]
        finally:
            for process in started:
                process.kill()
        if any(codes):
            raise UserError(f"a worker ended with code {max(codes)}; its own words are above")
        result: dict[str, Any] = json.loads(figures.read_text(encoding="utf-8"))
    return result


def free_addresses(count: int) -> list[str]:
    """Addresses on this machine at which nobody listens."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    addresses = [f"127.0.0.1:{each.getsockname()[1]}" for each in sockets]
    for each in sockets:
        each.close()
    return addresses
