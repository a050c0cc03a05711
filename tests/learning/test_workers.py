"""Several processes on one machine, and several devices of one process, as one learner."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import gin
import lang2program_tf
from lang2program_dev.benchmarks.workers import free_addresses
from lang2program_tf.errors import UserError
from lang2program_tf.gin_files import load_gin
from lang2program_tf.learning.cluster import tf_config
from lang2program_tf.learning.learner import Learner
from lang2program_tf.learning.loop import TrainingLoop
from lang2program_tf.learning.run_folder import RunFolder
from lang2program_tf.learning.step_metrics import StepMetrics
from lang2program_tf.learning.workers import DEVICES, WORKERS, Workers
from tests.learning.shared_steps import KINDS, take_steps
from tests.learning.small_runs import BINDINGS, GIN_FILES, checkpoint_values

pytestmark = pytest.mark.slow  # every process builds graphs of its own

LEARNERS = ("randomer", "reinforce", "turns")
WHOLE = LEARNERS[1:]  # RandoMer learns as REINFORCE does, but for the baseline
SETTINGS = [
    *BINDINGS,
    "TrainingLoop.evaluate_every = 12",
    "TrainingLoop.evaluate_all_every = 12",
    f'TrainingLoop.strategy = "{WORKERS}"',
]
PATIENCE = 600


def as_worker(addresses: Sequence[str], index: int) -> dict[str, str]:
    """The environment of one of the workers."""
    return {**os.environ, "TF_CONFIG": tf_config(addresses, index)}


@contextmanager
def running(
    arguments: Sequence[str], *, log: Path, environment: dict[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """A Python process, which does not outlive its test."""
    with open(log, "ab") as output:
        process = subprocess.Popen(
            [sys.executable, *arguments], stdout=output, stderr=output, env=environment
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def training(folder: Path, *bindings: str) -> list[str]:
    files = [f"--gin_file={name}" for name in GIN_FILES]
    params = [f"--gin_param={binding}" for binding in [*SETTINGS, *bindings]]
    return ["-m", "lang2program_tf.cli.main", "train", f"--root_dir={folder}", *files, *params]


def wait_for(path: Path, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not path.exists():
        assert process.poll() is None, "it has ended"
        assert time.monotonic() < deadline, f"{path} did not appear"
        time.sleep(0.05)


def without_time(result: dict[str, Any] | None) -> dict[str, Any]:
    assert result is not None
    return {name: value for name, value in result.items() if name != "seconds"}


class Found(NamedTuple):
    """What learners know after their steps, see `take_steps`.

    Attributes:
        whole: without a strategy, from whole batches; those of WHOLE only.
        alone: one worker, who has all parts of a batch.
        two: of two workers, the first and the second.
        devices: two devices of one process; the last learner only.
    """

    whole: Mapping[str, np.ndarray]
    alone: Mapping[str, np.ndarray]
    two: Sequence[Mapping[str, np.ndarray]]
    devices: Mapping[str, np.ndarray]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Found]:
    """They all learn at the same time."""
    folder = tmp_path_factory.mktemp("found")
    addresses = free_addresses(2)
    log = folder / "log"
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        patch.setenv("XDG_CACHE_HOME", str(folder))  # where lists of programs are kept
        started = {}
        for file, strategy, names, environment in (
            ("0", WORKERS, LEARNERS, as_worker(addresses, 0)),
            ("1", WORKERS, LEARNERS, as_worker(addresses, 1)),
            ("devices", DEVICES, LEARNERS[-1:], None),
        ):
            path = folder / f"{file}.npz"
            steps = ["-m", "tests.learning.shared_steps", str(path), strategy, *names]
            started[path] = stack.enter_context(running(steps, log=log, environment=environment))
        alone, whole = (
            {key: value for name in names for key, value in take_steps(name, workers).items()}
            for names, workers in ((LEARNERS, Workers(WORKERS)), (WHOLE, Workers()))
        )
        assert [each.wait(PATIENCE) for each in started.values()] == [0, 0, 0], log.read_text()
        *two, devices = [np.load(path) for path in started]
        yield Found(whole, alone, two, devices)


def assert_same(values: Mapping[str, np.ndarray], expected: Mapping[str, np.ndarray]) -> None:
    """Bit for bit."""
    assert values.keys() == expected.keys()
    for key, value in expected.items():
        np.testing.assert_array_equal(values[key], value, err_msg=key)


@pytest.mark.parametrize("name", LEARNERS)
def test_two_workers_learn_what_one_learns(found: Found, name: str):
    for optimizer in KINDS[name].optimizers:
        assert found.alone[f"{name}/{optimizer}/decisions"] > 20, "something to learn"
    for worker in found.two:
        assert_same(of_learner(name, worker), of_learner(name, found.alone))


def test_two_devices_learn_what_one_learns(found: Found):
    assert_same(found.devices, of_learner(LEARNERS[-1], found.alone))


@pytest.mark.parametrize("name", WHOLE)
def test_parts_teach_what_their_batch_teaches(found: Found, name: str):
    """But for rounding, of which Adam may make steps in weights that have hardly any gradient."""
    for key, expected in of_learner(name, found.whole).items():
        what = key.rpartition("/")[2]
        off = np.max(np.abs(found.alone[key] - expected))
        if what in ("m", "v", *StepMetrics._fields):
            assert off <= 1e-5 * np.max(np.abs(expected)), key
        elif what in ("kept", "choices"):
            assert off == 0, key


def of_learner(name: str, values: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Those of one learner."""
    return {key: value for key, value in values.items() if key.startswith(f"{name}/")}


class Crash(BaseException):
    """Stands for the end of the process."""


@pytest.fixture(scope="module")
def half_done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A run that one worker began and left, and a copy of it that one has finished."""
    begun, finished = (tmp_path_factory.mktemp(name) for name in ("begun", "finished"))
    load_gin(GIN_FILES, SETTINGS)
    learner = Learner(workers=Workers(WORKERS))
    loop = TrainingLoop(learner, RunFolder(begun))
    train = learner.train

    def crash(batch: object) -> object:
        if int(learner.step) == 4:
            raise Crash
        return train(batch)

    learner.train = crash
    with pytest.raises(Crash):
        loop.run()
    shutil.copytree(begun, finished, dirs_exist_ok=True)
    learner.train = train
    TrainingLoop(learner, RunFolder(finished)).run()
    gin.clear_config()
    return begun, finished


def test_a_worker_that_is_killed_and_started_again_costs_no_more_than_the_steps_since_the_last_save(
    half_done, tmp_path: Path
):
    """The run was begun by one worker and goes on with two, bit for bit as if none were killed."""
    folder, finished = half_done
    addresses = free_addresses(2)
    environments = [as_worker(addresses, index) for index in range(2)]
    logs = [tmp_path / "chief.log", tmp_path / "other.log"]
    command = training(folder)
    with running(command, log=logs[0], environment=environments[0]) as chief:
        with running(command, log=logs[1], environment=environments[1]) as other:
            wait_for(folder / "checkpoints" / "ckpt-6.index", chief)
            other.send_signal(signal.SIGKILL)
            other.wait()
        with running(command, log=logs[1], environment=environments[1]) as other:
            codes = [chief.wait(PATIENCE), other.wait(PATIENCE)]
    said = logs[0].read_text()
    assert codes == [0, 0], said + logs[1].read_text()
    assert "starting again from the last checkpoint" in said
    expected = without_time(RunFolder(finished).result())
    for log in logs:  # the last line of either is the result
        assert without_time(json.loads(log.read_text().splitlines()[-1])) == expected
    assert without_time(RunFolder(folder).result()) == expected
    found, never_killed = (checkpoint_values(path / "checkpoints") for path in (folder, finished))
    assert found.keys() == never_killed.keys()
    for name, values in never_killed.items():
        np.testing.assert_array_equal(found[name], values, err_msg=name)
    told, told_never_killed = (
        [
            (record["step"], record["kind"], record.get("accuracy"), record["rewarded"])
            for record in RunFolder(path).records()
        ]
        for path in (folder, finished)
    )
    assert told == told_never_killed


def the_error(log: Path) -> str:
    (line,) = [line for line in log.read_text().splitlines() if line.startswith("error: ")]
    return line


def test_a_worker_that_never_comes_ends_the_run_with_a_line_that_names_it(
    monkeypatch: pytest.MonkeyPatch,
):
    addresses = free_addresses(2)
    monkeypatch.setenv("TF_CONFIG", tf_config(addresses, 0))
    line = rf"waited 1 seconds for other workers: worker 1 \({addresses[1]}\) did not come"
    with pytest.raises(UserError, match=line), Workers(WORKERS, timeout=1).joined():
        raise AssertionError("nobody has come")


def test_from_python_one_of_several_workers_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Nobody could start it again, nor end it while it waits in vain."""
    monkeypatch.setenv("TF_CONFIG", tf_config(free_addresses(2), 0))
    bindings = [*BINDINGS, f'TrainingLoop.strategy = "{WORKERS}"', 'Task.domain = "tangrams"']
    with pytest.raises(UserError, match="train with the command `lang2program train`"):
        lang2program_tf.train("quickstart.gin", tmp_path, bindings=bindings)
    gin.clear_config()


def test_a_worker_that_vanishes_while_all_are_joining_ends_the_run_likewise(tmp_path: Path):
    addresses = free_addresses(2)
    log = tmp_path / "log"
    command = training(tmp_path / "run", "Workers.timeout = 3")
    with (
        running(command, log=log, environment=as_worker(addresses, 0)) as chief,
        socket.create_server(("127.0.0.1", int(addresses[1].rpartition(":")[2]))) as other,
    ):
        other.accept()  # the chief has seen it
        other.close()
        assert chief.wait(PATIENCE) == 2
    assert f"worker 1 ({addresses[1]}) did not come" in the_error(log)
    assert "Traceback" not in log.read_text()


@pytest.mark.parametrize(
    "config",
    [
        "{",
        "{}",
        '{"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 1}}',
        '{"cluster": {"worker": ["a:1"]}, "task": {"type": "ps", "index": 0}}',
    ],
)
def test_a_cluster_that_does_not_make_sense_is_refused(config, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TF_CONFIG", config)
    with pytest.raises(UserError, match="must name the workers and this one of them"):
        Workers(WORKERS)


def test_the_chief_is_the_first_of_a_cluster(monkeypatch: pytest.MonkeyPatch):
    cluster = {"chief": ["a:1"], "worker": ["b:1", "c:1"]}
    for task, index, rank in (("chief", 0, 0), ("worker", 0, 1), ("worker", 1, 2)):
        config = {"cluster": cluster, "task": {"type": task, "index": index}}
        monkeypatch.setenv("TF_CONFIG", json.dumps(config))
        workers = Workers(WORKERS, parts=3)
        assert (workers.rank, workers.count, workers.is_chief) == (rank, 3, rank == 0)


def test_more_workers_than_parts_are_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TF_CONFIG", tf_config(["a:1", "b:1", "c:1"], 0))
    with pytest.raises(UserError, match="parts=2 leaves some of 3 workers nothing to do; bind it"):
        Workers(WORKERS)


def test_a_batch_has_at_least_one_part():
    with pytest.raises(ValueError, match="parts=0 must be 1 or more"):
        Workers(WORKERS, parts=0)


def test_without_a_strategy_a_cluster_is_not_looked_at(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TF_CONFIG", "{")
    assert Workers().count == 1


def test_an_unknown_strategy_is_refused():
    with pytest.raises(ValueError, match="strategy='TPUStrategy' must be"):
        Workers("TPUStrategy")
