"""The benchmarks run as printed in docs/performance.md, and end with one JSON object."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lang2program_tf.cli.main import main

CHECKOUT = Path(__file__).resolve().parents[3]
SMALL = [
    "--gin_file=quickstart.gin",
    "--gin_param=load_embedded.train_lines = 20",
    "--gin_param=load_embedded.dev_lines = 10",
    "--gin_param=train/BeamSearch.jit_compile = False",
    "--gin_param=evaluate/BeamSearch.jit_compile = False",
    "--learned_steps=3",
]


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The run that is trained first is one for all tests, and not the user's."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        patch.setenv(
            "PYTHONPATH", os.pathsep.join([str(CHECKOUT), os.environ.get("PYTHONPATH", "")])
        )
        yield folder


def figures_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """What the last line of a benchmark tells."""
    assert main(["benchmark", *arguments]) == 0
    figures: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[-1])
    return figures


@pytest.mark.slow
def test_search_tells_examples_a_second_iterations_and_where_the_time_goes(capsys):
    figures = figures_of(capsys, "search", *SMALL, "--repeats=1", "--batch_size=4")
    assert figures["learned_steps"] == 3
    assert figures["examples_per_second"] > 0
    assert 1 <= figures["iterations"] <= 35
    assert figures["training_ms"].keys() == {"B = 32", "B = 128"}
    assert sum(figures["shares"].values()) == pytest.approx(1)


@pytest.mark.slow
def test_train_tells_ms_a_step_memory_and_start_up_and_trains_first_only_once(
    capsys, cache, tmp_path
):
    path = tmp_path / "figures.json"
    arguments = ["train", *SMALL, "--steps=4", "--beam_size=8", f"--json={path}"]
    figures = figures_of(capsys, *arguments)
    assert figures == json.loads(path.read_text())
    assert figures["learned_steps"] == 3
    assert figures["ms_per_step"] > 0
    assert figures["steps"] == 4
    assert 0 <= figures["updated"] <= 1
    assert figures["peak_rss_mb"] > 100
    assert len(figures["growth_mb"]) == 4
    assert figures["start_up_s"].keys() == {"import", "build", "first_step"}
    assert sum(figures["shares"].values()) == pytest.approx(1)
    (run,) = (cache / "lang2program" / "benchmarks").iterdir()
    changed = (run / "result.json").stat().st_mtime_ns
    timed = figures_of(
        capsys, "train", *SMALL, "--steps=2", "--beam_size=8", f"--against={CHECKOUT}"
    )
    assert (run / "result.json").stat().st_mtime_ns == changed
    assert timed["same_examples"]
    assert timed["amounts"]["solved"]["this"] == timed["amounts"]["solved"]["against"]
    low, high = timed["ratio"]["quartiles"]
    assert 0 < low <= timed["ratio"]["median"] <= high


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["dance"], "dance"),
        (["train"], "--gin_file or --root_dir"),
        (["train", *SMALL, "--root_dir=runs/x"], "--gin_file or --root_dir"),
        (["search", "--root_dir=no/such/run"], "no/such/run holds no run"),
        (["train", *SMALL, "--steps=0"], "--steps 0"),
        (["train", *SMALL, "--against_gin_param=x = 1"], "--against"),
        (["train", *SMALL, "--against=no/checkout"], "no/checkout is no checkout"),
    ],
)
def test_bad_usage_is_one_line(capsys, arguments, said):
    assert main(["benchmark", *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line
