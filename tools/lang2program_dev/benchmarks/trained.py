"""A run whose parser has learned something, to measure steps in which learning happens."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import gin
from lang2program_tf.corpus.data_dir import cache_dir
from lang2program_tf.errors import UserError
from lang2program_tf.gin_files import load_gin
from lang2program_tf.learning.run_folder import RunFolder
from lang2program_tf.tensorflow_defaults import users_environment


def trained_run(gin_files: Sequence[str], gin_params: Sequence[str], *, steps: int) -> Path:
    """The folder of a run of so many steps, from the cache if it has been asked for before.

    Args:
        gin_files: its settings.
        gin_params: these go before those of the files.
        steps: how many to train.
    """
    params = [
        *gin_params,
        f"TrainingLoop.max_steps = {steps}",
        f"TrainingLoop.evaluate_every = {steps + 1}",
        f"TrainingLoop.evaluate_all_every = {steps + 1}",
    ]
    load_gin(gin_files, params)
    name = hashlib.sha256(gin.config_str().encode()).hexdigest()[:16]
    folder = cache_dir() / "benchmarks" / name
    if RunFolder(folder).result() is None:
        print(f"training {steps} steps first, which {folder} will keep", file=sys.stderr)
        _train(gin_files, params, folder)
    return folder


def _train(gin_files: Sequence[str], gin_params: Sequence[str], folder: Path) -> None:
    """Trains in another process, so that nothing of it is left in this one."""
    files = [f"--gin_file={name}" for name in gin_files]
    params = [f"--gin_param={param}" for param in gin_params]
    command = [sys.executable, "-m", "lang2program_tf.cli.main", "train", *files, *params]
    done = subprocess.run(
        [*command, f"--root_dir={folder}"], stdout=subprocess.DEVNULL, env=users_environment()
    )
    if done.returncode:
        raise UserError("the training before the measurement failed; the lines above say why")
