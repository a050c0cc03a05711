"""The checkpoints of a run: the latest three and the best."""

from __future__ import annotations

import logging
import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
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
    Where something was damaged since, the latest sound checkpoint is found, and a line on stderr
    says so.
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
        """Goes back to the latest state that can be read, if there is one."""
        return self._restore(self._latest, "begin anew")

    def restore_best(self) -> bool:
        """Goes to the best state, if there is one."""
        return self._restore(self._best, "use the latest checkpoint")

    def sweep(self) -> None:
        """Removes what saves that were killed have left; only for the run that writes here."""
        for manager in (self._latest, self._best):
            if os.path.isdir(manager.directory):
                _sweep(manager)

    def _manager(self, folder: Path, *, kept: int) -> tf.train.CheckpointManager:
        def manager() -> tf.train.CheckpointManager:
            return tf.train.CheckpointManager(self._checkpoint, str(folder), max_to_keep=kept)

        try:
            with _silence():
                found = manager()
            if _present(found) or not folder.is_dir():
                return found
        except ValueError:
            pass  # a state file that cannot be read
        names = _whole_checkpoints(folder)
        if names:
            with _silence():
                _write_state(folder, names[-kept:])
            _warn(f"{folder / _STATE} was damaged; it names {names[-1]} again, the latest there is")
        elif (folder / _STATE).exists():
            raise UserError(
                f"{folder / _STATE} is damaged, and there is no checkpoint beside it; "
                f"delete {folder} to go on without"
            )
        return manager()

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

    def _restore(self, manager: tf.train.CheckpointManager, purpose: str) -> bool:
        """Restores the latest checkpoint that can be read.

        Where none can, the folder must be deleted for a `purpose`.
        """
        failed: list[tuple[str, Exception]] = []
        for path in reversed(_present(manager)):
            try:
                status = self._checkpoint.restore(path).assert_existing_objects_matched()
                status.expect_partial()  # what only learning needs, where a run is only opened
            except Exception as error:  # what a damaged file raises has no type in common
                failed.append((path, error))
                continue
            if failed:
                latest, cause = failed[0]
                why = _reason(cause)
                _warn(f"cannot read the checkpoint {latest} ({why}); going on from {path}")
            return True
        if failed:
            latest, cause = failed[0]
            others = ", nor one before it" if len(failed) > 1 else ""
            raise UserError(
                f"cannot read the checkpoint {latest}{others}: {_reason(cause)}; "
                f"delete the folder {manager.directory} to {purpose}"
            ) from cause
        return False


@contextmanager
def _silence() -> Iterator[None]:
    """Within it TensorFlow logs nothing about a state file: one line of ours says what matters."""
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)


def _present(manager: tf.train.CheckpointManager) -> list[str]:
    """The checkpoints that are there, the latest last."""
    return [path for path in manager.checkpoints if os.path.exists(f"{path}.index")]


def _whole_checkpoints(folder: Path) -> list[str]:
    """The names of the checkpoints in a folder whose files are all there, the latest last."""
    steps = sorted(
        int(name[1])
        for path in folder.glob("*.index")
        if (name := re.fullmatch(r"ckpt-(\d+)\.index", path.name))
    )
    return [f"ckpt-{step}" for step in steps if list(folder.glob(f"ckpt-{step}.data-*"))]


def _write_state(folder: Path, names: list[str]) -> None:
    paths = [str(folder / name) for name in names]
    try:
        tf.compat.v1.train.update_checkpoint_state(
            str(folder),
            paths[-1],
            all_model_checkpoint_paths=paths,
            # Without times the manager would take them for none of its own.
            all_model_checkpoint_timestamps=[os.path.getmtime(f"{path}.index") for path in paths],
        )
    except (OSError, tf.errors.OpError) as error:
        raise UserError(
            f"{folder / _STATE} is damaged and cannot be written ({_reason(error)})"
        ) from error


def _sweep(manager: tf.train.CheckpointManager) -> None:
    """Removes what a failed save has left."""
    kept = tuple(f"{os.path.basename(path)}." for path in manager.checkpoints)
    for path in Path(manager.directory).iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name != _STATE and not path.name.startswith(kept):
            path.unlink()


def _warn(text: str) -> None:
    print(f"warning: {text}", file=sys.stderr)


def _reason(error: Exception) -> str:
    """The first line of what TensorFlow says, without its list of graph nodes."""
    message = getattr(error, "message", None) or str(error)
    return str(message).strip().splitlines()[0].split(" [Op:")[0].rstrip(".")
