"""How time and memory grow with the beam and with the batch, as a table and as a picture."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tqdm import tqdm

from lang2program_dev.benchmarks.checkouts import THIS_CHECKOUT
from lang2program_dev.benchmarks.timing import table
from lang2program_dev.benchmarks.worker_process import Measured, WorkerProcess
from lang2program_tf.errors import UserError
from lang2program_tf.files import replacing, write_atomically

_SCOPES = {"train": "train", "search": "evaluate"}
_LABELS = {"train": "training", "search": "evaluation"}
_BEAMS = (8, 32, 128, 512)
_BATCHES = (1, 4, 8, 16, 64, 256)
_USUAL_BEAM = 32
_USUAL_BATCH = 8
_SECONDS = 6.0
_FEWEST, _MOST = 5, 100


class Point(NamedTuple):
    """One setting, and what it costs.

    Attributes:
        kind: `train` or `search`.
        domain: whose examples they were.
        beam_size: B.
        batch_size: examples a step or a batch.
        ms: the median time of a step or a batch.
        peak_mb: the highest resident memory of a process that did nothing else.
        first_s: seconds of the first step or batch, for which graphs are built and compiled.
    """

    kind: str
    domain: str
    beam_size: int
    batch_size: int
    ms: float
    peak_mb: float
    first_s: float

    @property
    def ms_per_example(self) -> float:
        """The time of a step or a batch by its examples."""
        return self.ms / self.batch_size


def measure_all(
    run: Path, *, gin_files: Sequence[str], gin_params: Sequence[str], figures: Path
) -> list[Point]:
    """All points, of which a file keeps each as soon as it is there; those in it are not repeated.

    Args:
        run: the folder of the run that the weights are of.
        gin_files: the settings; those of the run if there are none.
        gin_params: these go before all others.
        figures: the file.
    """
    points = read_points(figures)
    done = {point[:1] + point[2:4] for point in points}
    missing = [setting for setting in _settings() if setting not in done]
    for kind, beam, batch in tqdm(missing, desc="measuring", unit="setting"):
        params = [*gin_params, f"{_SCOPES[kind]}/BeamSearch.beam_size = {beam}"]
        points.append(_measure(Measured(kind, run, gin_files, params, batch), beam))
        write_atomically(
            figures, json.dumps([point._asdict() for point in points], indent=1) + "\n"
        )
    return points


def read_points(figures: Path) -> list[Point]:
    """The points in a file, none if there is no file."""
    if not figures.exists():
        return []
    try:
        return [Point(**point) for point in json.loads(figures.read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError) as error:
        raise UserError(f"{figures} holds no points of a measurement: {error}") from error


def _settings() -> Iterator[tuple[str, int, int]]:
    """Kind, beam and batch: one of the two varies, the other is as usual."""
    for kind in _SCOPES:
        yield from ((kind, beam, _USUAL_BATCH) for beam in _BEAMS)
        yield from ((kind, _USUAL_BEAM, batch) for batch in _BATCHES if batch != _USUAL_BATCH)


def _measure(measured: Measured, beam: int) -> Point:
    """In a process of its own, so that its memory is that of this setting alone."""
    with WorkerProcess(THIS_CHECKOUT, measured) as process:
        (first,) = process.turn(1)["seconds"]
        (second,) = process.turn(1)["seconds"]
        count = min(max(int(_SECONDS / second), _FEWEST), _MOST)
        turn = process.turn(count)
        return Point(
            measured.kind,
            process.opened["domain"],
            beam,
            measured.batch_size,
            ms=1000 * statistics.median(turn["seconds"]),
            peak_mb=turn["peak_mb"],
            first_s=first,
        )


def points_text(points: Sequence[Point]) -> str:
    """The points as a table."""
    rows = [
        [_LABELS[p.kind], p.beam_size, p.batch_size, p.ms, p.ms_per_example, p.peak_mb, p.first_s]
        for p in points
    ]
    head = [points[0].domain, "B", "examples", "ms", "ms an example", "MB", "first, s"]
    return table(rows, head)


def draw_points(points: Sequence[Point], path: Path) -> None:
    """Draws time and memory over the beam and over the batch.

    Args:
        points: what was measured.
        path: the picture to write; its ending says in which format.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    columns = {
        f"B, with {_USUAL_BATCH} examples": ("beam_size", "batch_size", _USUAL_BATCH),
        f"examples, with B = {_USUAL_BEAM}": ("batch_size", "beam_size", _USUAL_BEAM),
    }
    rows = {"ms an example": "ms_per_example", "highest memory, MB": "peak_mb"}
    figure, grid = pyplot.subplots(2, 2, figsize=(9, 6), sharex="col", layout="constrained")
    for axes_row, (height, what) in zip(grid, rows.items()):
        for axes, (width, (varies, fixed, usual)) in zip(axes_row, columns.items()):
            for kind, label in _LABELS.items():
                line = sorted(
                    (getattr(p, varies), getattr(p, what))
                    for p in points
                    if p.kind == kind and getattr(p, fixed) == usual
                )
                axes.plot(*zip(*line), marker="o", label=label)
            _scales(axes, [getattr(p, varies) for p in points], logarithmic=what != "peak_mb")
            axes.set_xlabel(width)
            axes.set_ylabel(height)
    grid[0][0].legend()
    figure.suptitle(points[0].domain)
    try:
        with replacing(path) as unfinished:
            figure.savefig(unfinished, dpi=110)
    except ValueError as error:  # an ending that is none of a picture
        raise UserError(f"cannot write {path}: {error}") from error
    finally:
        pyplot.close(figure)


def _scales(axes: Any, numbers: Sequence[int], *, logarithmic: bool) -> None:
    axes.set_xscale("log", base=2)
    axes.set_xticks(sorted(set(numbers)), [str(number) for number in sorted(set(numbers))])
    if logarithmic:
        axes.set_yscale("log", base=2)
        axes.yaxis.set_major_formatter("{x:g}")
    else:
        axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
