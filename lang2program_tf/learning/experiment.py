"""Whole jobs on run folders: train one, and open one that is there."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import tensorflow as tf

import gin
from lang2program_tf.errors import UserError
from lang2program_tf.gin_errors import gin_error, reading_gin
from lang2program_tf.learning.checkpoints import Checkpoints
from lang2program_tf.learning.learner import Learner
from lang2program_tf.learning.loop import TrainingLoop
from lang2program_tf.learning.progress import Progress
from lang2program_tf.learning.run_folder import CONFIG, RunFolder
from lang2program_tf.learning.task import Task


def train(root_dir: str | Path) -> dict[str, Any]:
    """Trains with the gin settings in force, or goes on with the folder's run; its result."""
    # The same seed must give the same weights, bit for bit; on CPUs this costs nothing.
    tf.config.experimental.enable_op_determinism()
    folder = RunFolder(root_dir)
    with folder.lock():
        folder.check_config(gin.config_str())
        finished = folder.result()
        if finished is not None:
            print(f"{folder.path}: this run is finished; its result:", file=sys.stderr)
            return finished
        with _settings_errors():
            loop = TrainingLoop(Learner(Task(folder=folder.path)), folder)
        return loop.run()


def open_run(root_dir: str | Path) -> Learner:
    """The learner of a run folder with its best weights, or its latest if it has no best yet."""
    folder = RunFolder(root_dir)
    gin.clear_config()
    with reading_gin(str(folder.path / CONFIG)):
        gin.parse_config(folder.config())
    with _settings_errors():
        learner = Learner(Task(folder=folder.path))
    checkpoints = Checkpoints(folder.path, **learner.variables(), progress=Progress())
    if not (checkpoints.restore_best() or checkpoints.restore_latest()):
        raise UserError(f"{folder.path} has no checkpoint yet; train it first")
    return learner


@contextmanager
def _settings_errors() -> Iterator[None]:
    """Within it constructors are called by gin: what they complain of is what gin gave them."""
    try:
        yield
    except (ValueError, TypeError, RuntimeError) as error:
        raise gin_error(error) from error
