from __future__ import annotations

import json
from pathlib import Path
from typing import ClassVar

import pytest

from lang2program_dev.benchmarks import scaling
from lang2program_dev.benchmarks.scaling import Point, draw_points, measure_all, points_text
from lang2program_tf.errors import UserError


class Stopwatch:
    """A process that takes 1.5 seconds at first, then as many as there are examples, or twice."""

    opened: ClassVar = {"domain": "scene"}

    def __init__(self, checkout, measured):
        self.size, self.turns = measured.batch_size, 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def turn(self, count):
        self.turns += 1
        usual = [self.size] * (count - 2) + [2 * self.size] * 2
        return {"seconds": [1.5] if self.turns == 1 else usual[-count:], "peak_mb": 500.0}


def test_beams_and_batches_are_measured_once_and_kept_as_they_come(tmp_path, monkeypatch):
    asked = []

    def start(checkout, measured):
        asked.append((measured.kind, measured.batch_size, measured.gin_params))
        if len(asked) == 3:
            raise KeyboardInterrupt
        return Stopwatch(checkout, measured)

    monkeypatch.setattr(scaling, "WorkerProcess", start)
    settings = {"gin_files": [], "gin_params": ["x = 1"], "figures": tmp_path / "points.json"}
    with pytest.raises(KeyboardInterrupt):
        measure_all(Path("run"), **settings)
    assert len(json.loads((tmp_path / "points.json").read_text())) == 2
    points = measure_all(Path("run"), **settings)
    assert asked[0] == ("train", 8, ["x = 1", "train/BeamSearch.beam_size = 8"])
    assert points[0] == Point("train", "scene", 8, 8, ms=8000.0, peak_mb=500.0, first_s=1.5)
    assert len(asked) == len(points) + 1
    assert {p.beam_size for p in points if p.kind == "search"} == {8, 32, 128, 512}
    assert {p.batch_size for p in points if p.kind == "train"} == {1, 4, 8, 16, 64, 256}
    assert measure_all(Path("run"), **settings) == points
    assert "ms an example" in points_text(points)
    draw_points(points, tmp_path / "points.png")
    assert (tmp_path / "points.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(UserError, match="cannot write"):
        draw_points(points, tmp_path / "points.txtt")


def test_a_time_is_shared_by_the_examples_of_a_batch():
    point = Point("train", "scene", 32, 8, ms=40.0, peak_mb=700.0, first_s=9.0)
    assert point.ms_per_example == 5.0


def test_another_file_is_not_taken_for_points(tmp_path):
    (tmp_path / "points.json").write_text("[1]")
    with pytest.raises(UserError, match="holds no points"):
        scaling.read_points(tmp_path / "points.json")
