"""The benchmarks run as printed in docs/performance.md, and end with one JSON object."""

from __future__ import annotations

import json

import pytest

from lang2program_tf.cli.main import main

SMALL = [
    "--gin_file=quickstart.gin",
    "--gin_param=load_embedded.train_lines = 20",
    "--gin_param=load_embedded.dev_lines = 10",
]


@pytest.mark.slow
def test_search_tells_examples_a_second_and_where_the_time_goes(capsys):
    assert main(["benchmark", "search", *SMALL, "--repeats=1", "--batch_size=4"]) == 0
    figures = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert figures["examples_per_second"] > 0
    assert figures["training_ms"].keys() == {"B = 32", "B = 128"}
    assert sum(figures["shares"].values()) == pytest.approx(1)


@pytest.mark.slow
def test_train_tells_ms_a_step_memory_and_start_up(capsys, tmp_path):
    path = tmp_path / "figures.json"
    arguments = ["benchmark", "train", *SMALL, "--steps=4", "--beam_size=8", f"--json={path}"]
    assert main(arguments) == 0
    figures = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert figures == json.loads(path.read_text())
    assert figures["ms_per_step"] > 0
    assert figures["steps"] == 4
    assert figures["peak_rss_mb"] > 100
    assert len(figures["growth_mb"]) == 4
    assert figures["again_to_first_quarter"] > 0
    assert figures["start_up_s"].keys() == {"import", "build", "first_step"}


def test_bad_usage_is_one_line(capsys):
    assert main(["benchmark", "dance"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
