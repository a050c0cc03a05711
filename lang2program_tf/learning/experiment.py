"""Whole jobs on run folders: train one, and open one that is there."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import tensorflow as tf

import gin
from lang2program_tf.errors import UserError
from lang2program_tf.gin_errors import gin_error, reading_gin
from lang2program_tf.gin_files import add_gin
from lang2program_tf.learning.checkpoints import Checkpoints
from lang2program_tf.learning.learner import Learner
from lang2program_tf.learning.loop import TrainingLoop
from lang2program_tf.learning.progress import Progress
from lang2program_tf.learning.run_folder import CONFIG, RunFolder
from lang2program_tf.learning.supervision import wants_supervision
from lang2program_tf.learning.task import Task
from lang2program_tf.learning.workers import Workers
from lang2program_tf.model.committee import Committee


def train(root_dir: str | Path) -> dict[str, Any]:
    """Trains with the gin settings in force, or goes on with the folder's run; its result."""
    # The same seed must give the same weights, bit for bit; on CPUs this costs nothing.
    tf.config.experimental.enable_op_determinism()
    folder = RunFolder(root_dir)
    with _settings_errors():
        workers = Workers(_strategy())
    if workers.count > 1 and wants_supervision():
        raise UserError(
            "TF_CONFIG names several workers, and nobody watches over this one: train with the "
            "command `lang2program train`, which does"
        )
    with folder.lock() if workers.is_chief else nullcontext():
        folder.check_config(gin.config_str())
        finished = folder.result()
        if finished is not None:
            print(f"{folder.path}: this run is finished; its result:", file=sys.stderr)
            return finished
        with workers.joined():
            with _settings_errors():
                learner = Learner(Task(folder=folder.path), workers=workers)
                loop = TrainingLoop(learner, folder)
            return loop.run()


def _strategy() -> str | None:
    """What gin gives to the loop: TensorFlow must know it before the loop and all else is there."""
    try:
        strategy: str | None = gin.query_parameter("TrainingLoop.strategy")
        return strategy
    except ValueError:
        return None


def open_run(
    root_dir: str | Path, *, gin_files: Sequence[str] = (), gin_params: Sequence[str] = ()
) -> Learner:
    """The learner of a run folder with its best weights, or its latest if it has no best yet.

    Args:
        root_dir: the folder.
        gin_files: their settings go before those of the run.
        gin_params: these go before all others.
    """
    folder = RunFolder(root_dir)
    gin.clear_config()
    with reading_gin(str(folder.path / CONFIG)):
        gin.parse_config(folder.config())
    add_gin(gin_files, gin_params)
    with _settings_errors():
        learner = Learner(Task(folder=folder.path))
    checkpoints = Checkpoints(folder.path, **learner.variables(), progress=Progress())
    if not (checkpoints.restore_best() or checkpoints.restore_latest()):
        raise UserError(f"{folder.path} has no checkpoint yet; train it first")
    return learner


def open_runs(
    root_dirs: Sequence[str | Path],
    *,
    gin_files: Sequence[str] = (),
    gin_params: Sequence[str] = (),
) -> list[Learner]:
    """The learners of runs whose parsers can be taken together, with the weights of evaluation.

    Args:
        root_dirs: one or more folders; the settings of the first are those in force afterwards.
        gin_files: as for `open_run`.
        gin_params: as for `open_run`.

    Raises:
        UserError: there is no such run, or the runs do not fit together.
    """
    learners: list[Learner] = []
    for root_dir in reversed(root_dirs):
        learner = open_run(root_dir, gin_files=gin_files, gin_params=gin_params)
        learner.keep_evaluation_weights()
        learners.insert(0, learner)
    for root_dir, other in zip(root_dirs[1:], learners[1:]):
        _check_that_they_fit(root_dir, other, root_dirs[0], learners[0])
    return learners


def open_together(
    root_dirs: Sequence[str | Path],
    *,
    gin_files: Sequence[str] = (),
    gin_params: Sequence[str] = (),
) -> Learner:
    """The first learner of such runs, which predicts with the parsers of all as one."""
    learners = open_runs(root_dirs, gin_files=gin_files, gin_params=gin_params)
    if len(learners) > 1:
        learners[0].predict_with(Committee([learner.parser for learner in learners]))
    return learners[0]


def _check_that_they_fit(
    root_dir: str | Path, other: Learner, first_dir: str | Path, first: Learner
) -> None:
    differing = [
        name
        for name, differs in (
            ("domain", other.task.domain.name != first.task.domain.name),
            ("words", other.task.words.words != first.task.words.words),
            ("Parser.history", other.parser.history != first.parser.history),
            ("Parser.context", other.parser.context != first.parser.context),
        )
        if differs
    ]
    if differing:
        raise UserError(
            f"{root_dir} has another {' and '.join(differing)} than {first_dir}; "
            "only parsers of one kind can be taken as one"
        )


@contextmanager
def _settings_errors() -> Iterator[None]:
    """Within it constructors are called by gin: what they complain of is what gin gave them."""
    try:
        yield
    except (ValueError, TypeError, RuntimeError) as error:
        raise gin_error(error) from error
