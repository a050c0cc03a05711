from __future__ import annotations

from pathlib import Path

import numpy as np

from lang2program_tf.reproduction.figure import draw_figure, figure_curves, speeds
from tests.reproduction.examples import OURS, PAPER, TABLE, by_key, record


def test_a_row_with_runs_has_a_curve_of_its_seeds_at_their_common_steps():
    longer = {"sample": [[100, 0.3], [200, 0.4], [300, 0.5]], "dev": [[300, 0.5]]}
    records = by_key(record(PAPER, 0, 0.1, 0.2), record(PAPER, 1, 0.0, 0.0, curve=longer))
    curves = figure_curves(TABLE, records)
    assert list(curves) == ["Good"]
    np.testing.assert_array_equal(curves["Good"].steps, [100, 200])
    np.testing.assert_array_equal(curves["Good"].accuracy, [[0.1, 0.2], [0.3, 0.4]])


def test_a_run_that_was_never_evaluated_is_left_out():
    nothing: dict[str, list] = {"sample": [], "dev": []}
    records = by_key(record(PAPER, 0, 0.1, 0.2), record(OURS, 0, 0.1, 0.2, curve=nothing))
    assert list(figure_curves(TABLE, records)) == ["Good"]


def test_without_runs_nothing_is_drawn(tmp_path: Path):
    assert not draw_figure(TABLE, {}, tmp_path / "figure.png")
    assert not list(tmp_path.iterdir())


def test_the_figure_is_a_picture_and_nothing_lies_beside_it(tmp_path: Path):
    assert draw_figure(TABLE, by_key(record(PAPER, 0, 0.1, 0.7)), tmp_path / "figure.png")
    (path,) = tmp_path.iterdir()
    assert path.name == "figure.png" and path.read_bytes().startswith(b"\x89PNG")


def test_it_is_said_when_each_run_surpasses_60_percent():
    records = by_key(record(PAPER, 0, 0.5, 0.61), record(PAPER, 2, 0.6, 0.6))
    assert speeds(TABLE, records).splitlines()[2:] == [
        "- Good: 200 (seed 0), never (seed 2)",
        "- new: no run is finished",
    ]
