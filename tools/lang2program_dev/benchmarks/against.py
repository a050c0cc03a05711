"""Two checkouts timed in turn: on a noisy machine only their ratio means anything."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from lang2program_dev.benchmarks.checkouts import THIS_CHECKOUT
from lang2program_dev.benchmarks.timing import table
from lang2program_dev.benchmarks.worker_process import Measured, WorkerProcess


def compare(
    this: Measured, other: Measured, *, checkout: Path, turns: int, count: int
) -> tuple[str, dict[str, Any]]:
    """Times this checkout and another in turn, on the same batches with the same weights.

    Args:
        this: what to time here.
        other: what to time there.
        checkout: the other one.
        turns: how many turns each of them gets.
        count: steps or batches a turn.

    Returns:
        A table for people, and the figures as a JSON object.
    """
    answers: dict[str, list[dict[str, Any]]] = {"this": [], "against": []}
    with (
        WorkerProcess(THIS_CHECKOUT, this) as first,
        WorkerProcess(checkout, other) as second,
    ):
        workers = {"this": first, "against": second}
        for process in workers.values():  # what is built in the first turn is not timed
            process.turn(count)
        for _ in tqdm(range(turns), desc="measuring in turn", leave=False):
            for name, process in workers.items():
                answers[name].append(process.turn(count))
        opened = first.opened
    figures = {
        "kind": this.kind,
        **opened,
        "batch_size": this.batch_size,
        "turns": turns,
        "count": count,
        **summary(answers),
    }
    return _text(figures), figures


def summary(answers: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """The ratio of times, and what the two found, of the turns of `this` and of `against`."""
    seconds = {
        name: np.array([turn["seconds"] for turn in turns]) for name, turns in answers.items()
    }  # [turns, count] each
    ratios = seconds["this"].sum(axis=1) / seconds["against"].sum(axis=1)
    first, median, third = np.percentile(ratios, [25, 50, 75]).tolist()
    examples = [[turn["examples"] for turn in turns] for turns in answers.values()]
    return {
        "ms": {name: 1000 * float(np.median(times)) for name, times in seconds.items()},
        "ratio": {"median": median, "quartiles": [first, third]},
        "amounts": {
            amount: {
                name: float(np.mean([t["amounts"][amount] for t in answers[name]]))
                for name in answers
            }
            for amount in answers["this"][0]["amounts"]
        },
        "peak_mb": {name: turns[-1]["peak_mb"] for name, turns in answers.items()},
        "same_examples": examples[0] == examples[1],
    }


def _text(figures: dict[str, Any]) -> str:
    each = "a step" if figures["kind"] == "train" else "a batch"
    rows: list[list[object]] = [
        [f"ms {each}, median", *figures["ms"].values()],
        *(
            [name, *(f"{value:.2f}" for value in values.values())]
            for name, values in figures["amounts"].items()
        ),
        ["highest memory, MB", *figures["peak_mb"].values()],
    ]
    low, high = figures["ratio"]["quartiles"]
    lines = [
        table(
            rows, [f"{figures['domain']}, {figures['batch_size']} examples {each}", *figures["ms"]]
        ),
        f"time of this / time of the other: {figures['ratio']['median']:.3f}, quartiles {low:.3f} "
        f"and {high:.3f}, over {figures['turns']} turns of {figures['count']}",
    ]
    if not figures["same_examples"]:
        lines.append("warning: the two did not get the same examples")
    return "\n".join(lines)
