"""How far a run is, read from its folder."""

from __future__ import annotations

from typing import NamedTuple

from lang2program_tf.learning.run_folder import RunFolder


class Status(NamedTuple):
    """How far a run is; None is not known yet.

    Attributes:
        step: the last step in its log.
        rate: steps a second.
        accuracy: on validation examples: all of them at the end, before that the last evaluation.
    """

    step: int | None = None
    rate: float | None = None
    accuracy: float | None = None


def read_status(folder: RunFolder) -> Status:
    """Reads the folder of a run, which may not be there yet."""
    result = folder.result()
    if result is not None:
        return Status(
            step=result["steps"],
            rate=result["steps"] / max(result["seconds"], 1e-9),
            accuracy=result["accuracy_all"],
        )
    values: dict[str, float] = {}
    for record in folder.records():
        values["step"] = record["step"]
        if record["kind"] == "step":
            values["rate"] = record["steps_per_second"]
        elif record["kind"] in ("sample", "dev"):
            values["accuracy"] = record["accuracy"]
    step = values.get("step")
    return Status(
        step=None if step is None else int(step),
        rate=values.get("rate"),
        accuracy=values.get("accuracy"),
    )
