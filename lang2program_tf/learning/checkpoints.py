"""The checkpoints of a run: the latest three and the best."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import tensorflow as tf

from lang2program_tf.errors import UserError

_KEPT = 3
_STATE = "checkpoint"  # TensorFlow's file with the names of a folder's checkpoints


class Checkpoints:
    """The latest checkpoints of a run, and the best one.

    A checkpoint counts from the moment that its name is in the folder's state file, which is
    replaced by renaming when all else is written: a crash at any moment leaves the one before.
    """

    def __init__(self, folder: str | Path, **objects: Any) -> None:
        """Tracks `objects`, whose variables must all exist already."""
        self._checkpoint = tf.train.Checkpoint(**objects)
        self._latest = self._manager(Path(folder) / "checkpoints", kept=_KEPT)
        self._best = self._manager(Path(folder) / "best", kept=1)

    def save(self, step: int) -> None:
        """Saves the present state."""
        self._save(self._latest, step)

    def save_best(self, step: int) -> None:
        """Saves the present state as the best.

        A resumed run may come to its best for the second time, with the same values. Then the one
        that is there stays: to write over it could damage it.
        """
        if not any(path.endswith(f"-{step}") for path in _present(self._best)):
            self._save(self._best, step)

    def restore_latest(self) -> bool:
        """Goes back to the latest state, if there is one."""
        return self._restore(self._latest)

    def restore_best(self) -> bool:
        """Goes to the best state, if there is one."""
        return self._restore(self._best)

    def _manager(self, folder: Path, *, kept: int) -> tf.train.CheckpointManager:
        try:
            manager = tf.train.CheckpointManager(self._checkpoint, str(folder), max_to_keep=kept)
            damaged = (folder / _STATE).exists() and not manager.checkpoints
        except ValueError:
            damaged = True
        if damaged:
            raise UserError(
                f"{folder / _STATE} is damaged; delete {folder} to go on without its checkpoints"
            )
        return manager

    @staticmethod
    def _save(manager: tf.train.CheckpointManager, step: int) -> None:
        try:
            manager.save(checkpoint_number=step)
        except (tf.errors.OpError, OSError) as error:
            _sweep(manager)
            raise UserError(
                f"cannot save a checkpoint in {manager.directory}: {_reason(error)}. Is the disk "
                "full? What was saved before is still there, and the same command goes on from it"
            ) from error

    def _restore(self, manager: tf.train.CheckpointManager) -> bool:
        present = _present(manager)
        if not present:
            return False
        try:
            self._checkpoint.restore(present[-1]).assert_consumed()
        except Exception as error:  # what a damaged file raises has no type in common
            raise UserError(
                f"cannot read the checkpoint {present[-1]}: {_reason(error)}. Delete its files "
                f"({present[-1]}.*) to go on from the one before"
            ) from error
        return True


def _present(manager: tf.train.CheckpointManager) -> list[str]:
    """The checkpoints that are there, the latest last."""
    return [path for path in manager.checkpoints if os.path.exists(f"{path}.index")]


def _sweep(manager: tf.train.CheckpointManager) -> None:
    """Removes what a failed save has left."""
    kept = tuple(f"{os.path.basename(path)}." for path in manager.checkpoints)
    for path in Path(manager.directory).iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name != _STATE and not path.name.startswith(kept):
            path.unlink()


def _reason(error: Exception) -> str:
    """The first line of what TensorFlow says, without its list of graph nodes."""
    message = getattr(error, "message", None) or str(error)
    return str(message).strip().splitlines()[0].split(" [Op:")[0].rstrip(".")
