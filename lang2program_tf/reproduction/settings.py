"""The gin settings that a run would be trained with now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import gin
from lang2program_tf.gin_files import load_gin
from lang2program_tf.reproduction.cells import Run


class Settings(NamedTuple):
    """The settings of a run.

    Attributes:
        config: all of them, as the run's folder keeps them.
        max_steps: the step that a run does not go beyond, if it is set.
    """

    config: str
    max_steps: int | None


def bindings(run: Run, params: Sequence[str]) -> list[str]:
    """The gin bindings of a run; its seed stands last, so that nothing overrides it."""
    return [*params, f"Learner.seed = {run.seed}"]


def read_settings(run: Run, params: Sequence[str]) -> Settings:
    """Reads the settings of a run; a mistake in them is a UserError."""
    load_gin(run.cell.gin_files, bindings(run, params))
    try:
        max_steps = gin.query_parameter("TrainingLoop.max_steps")
    except ValueError:
        max_steps = None
    settings = Settings(gin.config_str(), max_steps)
    gin.clear_config()
    return settings
