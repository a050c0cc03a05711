"""`lang2program benchmark serve` measures an export from all sides."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from lang2program_dev.benchmarks import serve
from lang2program_dev.cli.benchmark_serve import main
from lang2program_tf.errors import UserError


@pytest.mark.slow
def test_it_measures_and_finds_no_fault(export_dir, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(serve, "BATCHES", (1, 2))
    monkeypatch.setattr(serve, "UTTERANCES", (1, 3))
    # In this process, which is not cold, instead of two new ones.
    monkeypatch.setattr(
        serve, "ProcessPoolExecutor", lambda workers, mp_context: ThreadPoolExecutor(workers)
    )
    file = tmp_path / "figures.json"
    options = ["--repeats=1", "--seconds=1", "--crowd=20", "--malformed=20", f"--json={file}"]
    assert main(["--export", str(export_dir), *options]) == 0
    last = capsys.readouterr().out.strip().split("\n")[-1]
    assert file.read_text() == f"{last}\n"
    figures = json.loads(last)
    kinds = [(1, 1), (1, 3), (2, 1), (2, 3)]
    for where in ("in_process", "grpc"):
        assert [(row["batch"], row["utterances"]) for row in figures[where]] == kinds
        assert all(0 < row["p50"] <= row["p95"] <= row["p99"] for row in figures[where])
    assert figures["cold_start"]["warmed up"]["warm_up_s"] > 0.1
    assert figures["cold_start"]["warmed up"]["first_s"] < figures["cold_start"]["as is"]["first_s"]
    assert figures["load"]["parses_per_second"] > 0
    assert figures["crowd"]["endings"]["right"] > 10
    assert sum(figures["malformed"].values()) == 20


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--repeats=0", "--repeats must be above 0, got 0"),
        ("--seconds=-1", "--seconds must be above 0, got -1.0"),
        ("--crowd=0", "--crowd must be above 0, got 0"),
        ("--malformed=-1", "--malformed must be 0 or more, got -1"),
        ("--parts=speed", "unknown part 'speed'; there are latency, cold, load, crowd, malformed"),
        ("--repeats=1", "there is no exported model in nonesuch"),
    ],
)
def test_mistakes_are_named(option, message):
    with pytest.raises(UserError, match=message):
        main(["--export", "nonesuch", option])
