"""Learning curves out of run folders."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lang2program_tf.errors import UserError
from lang2program_tf.learning.run_folder import RunFolder


class Curve(NamedTuple):
    """Accuracy of several seeds at the steps that all have reached.

    Attributes:
        steps: [n].
        accuracy: [seeds, n].
    """

    steps: np.ndarray  # type: ignore[type-arg]
    accuracy: np.ndarray  # type: ignore[type-arg]


def read_curves(
    runs: Sequence[str], *, kind: str = "sample", utterances: str | None = None
) -> dict[str, Curve]:
    """Curves by label.

    Args:
        runs: `LABEL=FOLDER` each; folders with the same label are seeds of one learner.
        kind: what was evaluated on: `train`, `sample` or `dev`.
        utterances: take the accuracy of this number of utterances, not the whole.
    """
    seeds: dict[str, list[dict[int, float]]] = defaultdict(list)
    for run in runs:
        label, equals, folder = run.partition("=")
        if not equals or not label or not folder:
            raise UserError(f"{run!r} is not LABEL=FOLDER")
        seeds[label].append(_points(folder, kind, utterances))
    return {label: join_points(label, points) for label, points in seeds.items()}


def _points(folder: str, kind: str, utterances: str | None) -> dict[int, float]:
    records = [record for record in RunFolder(folder).records() if record["kind"] == kind]
    if not records:
        raise UserError(f"{folder} has no evaluations of kind {kind!r}; is it a run folder?")
    if utterances is None:
        return {record["step"]: record["accuracy"] for record in records}
    if utterances not in records[0]["by_utterances"]:
        raise UserError(f"{folder} has no examples of {utterances} utterances")
    return {record["step"]: record["by_utterances"][utterances] for record in records}


def join_points(label: str, points: Sequence[Mapping[int, float]]) -> Curve:
    """The curve of seeds.

    Args:
        label: names them in a complaint.
        points: accuracy by step, for each seed.
    """
    steps = sorted(set.intersection(*(set(accuracy) for accuracy in points)))
    if not steps:
        raise UserError(f"the runs of {label!r} have no evaluated step in common")
    return Curve(
        np.array(steps),
        np.array([[accuracy[step] for step in steps] for accuracy in points], np.float64),
    )


def draw_curves(
    curves: Mapping[str, Curve], path: str | Path, *, level: float | None = None
) -> None:
    """Draws curves: the median over seeds as a line, their range as a shade.

    Args:
        curves: by label.
        path: the picture to write; its ending says in which format.
        level: a percentage; a vertical line marks where each median first surpasses it, as in the
            paper's Figure 3.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4.2), layout="constrained")
    for label, curve in curves.items():
        percent = 100 * curve.accuracy
        median = np.median(percent, axis=0)
        seeds = f" ({len(percent)} seeds)" if len(percent) > 1 else ""
        (line,) = axes.plot(curve.steps, median, label=label + seeds, linewidth=1.8)
        color = line.get_color()
        axes.fill_between(
            curve.steps,
            percent.min(axis=0),
            percent.max(axis=0),
            alpha=0.2,
            color=color,
            linewidth=0,
        )
        above = curve.steps[median > level] if level is not None else []
        if len(above):
            axes.axvline(above[0], color=color, linestyle="--", linewidth=1)
    axes.set(xlabel="training step", ylabel="accuracy (%)", ylim=(0, 100))
    axes.set_xlim(left=0)
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    try:
        figure.savefig(path, dpi=150)
    except (OSError, ValueError) as error:
        raise UserError(f"cannot write {path}: {error}") from error
    finally:
        pyplot.close(figure)
