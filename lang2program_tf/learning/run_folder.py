"""The folder of a training run: who may write to it, its settings, its log, its result."""

from __future__ import annotations

import difflib
import fcntl
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lang2program_tf.errors import UserError
from lang2program_tf.files import write_atomically

CONFIG = "config.gin"
OPERATIVE_CONFIG = "operative_config.gin"
LOG = "metrics.jsonl"
CODE = "code.txt"
RESULT = "result.json"
_LOCK = ".lock"


class RunFolder:
    """One training run on disk.

    Attributes:
        path: the folder.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    @property
    def events(self) -> str:
        """Where TensorBoard looks."""
        return str(self.path / "events")

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Creates the folder and holds it; a second run on it is refused.

        A folder that nothing was written to is taken away again.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            handle = open(self.path / _LOCK, "w")  # noqa: SIM115
        except OSError as error:
            raise UserError(f"cannot use {self.path} as a run folder: {error.strerror}") from error
        with handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise UserError(
                    f"{self.path}: another run is writing to this folder; "
                    "wait for it or choose another --root_dir"
                ) from None
            self._remove_leftovers()
            try:
                yield
            finally:
                if os.listdir(self.path) == [_LOCK]:
                    os.remove(self.path / _LOCK)
                    os.rmdir(self.path)

    def _remove_leftovers(self) -> None:
        """Removes files whose writing was cut off by the end of an earlier process."""
        for path in self.path.iterdir():
            if re.fullmatch(r"\..+\.\d+", path.name) and path.is_file():
                path.unlink()

    def check_config(self, config: str) -> None:
        """Refuses other settings than those of the run that is in the folder, if there is one."""
        if not (self.path / CONFIG).exists():
            return
        before = self.config()
        if before != config:
            changes = [
                line
                for line in difflib.ndiff(before.splitlines(), config.splitlines())
                if line[:2] in ("- ", "+ ") and line[2:3] not in ("", "#")
            ]
            raise UserError(
                f"{self.path} holds a run with other settings; choose another --root_dir, or give "
                "the same ones (- in the folder, + now):\n" + "\n".join(changes)
            )

    def write_config(self, config: str) -> None:
        """Keeps the settings of the run."""
        write_atomically(self.path / CONFIG, config)

    def config(self) -> str:
        """The settings of the run."""
        try:
            return (self.path / CONFIG).read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise UserError(f"{self.path / CONFIG} is damaged: {error}") from None
        except OSError:
            raise UserError(
                f"{self.path} holds no run ({CONFIG} is missing); "
                f"make one with `lang2program train --root_dir {self.path} …`"
            ) from None

    def note_code(self, version: str) -> None:
        """Keeps which code the run goes on with, a line for each that it has had."""
        before = self.code()
        if before[-1:] != [version]:
            write_atomically(self.path / CODE, "".join(f"{line}\n" for line in [*before, version]))

    def code(self) -> list[str]:
        """The versions of the code that the run has had, one after the other."""
        text = self._read(CODE, remedy="delete it to go on without")
        return text.splitlines() if text is not None else []

    def log(self, record: dict[str, Any]) -> None:
        """Appends a record to the log."""
        path = self.path / LOG
        try:
            with open(path, "a", encoding="utf-8") as lines:
                lines.write(json.dumps(record) + "\n")
        except OSError as error:
            raise UserError(f"cannot write {path}: {error.strerror}") from error

    def records(self) -> list[dict[str, Any]]:
        """The log so far; a line that was cut off by a crash is left out."""
        remedy = "delete the line to go on without"
        found = []
        for number, line in enumerate((self._read(LOG, remedy=remedy) or "").split("\n")[:-1], 1):
            try:
                found.append(json.loads(line))
            except ValueError as error:
                where = f"{self.path / LOG}, line {number}"
                raise UserError(f"{where} is damaged ({error}); {remedy}") from None
        return found

    def forget_after(self, step: int) -> None:
        """Drops what was logged after the step that a run resumes from."""
        kept = [record for record in self.records() if record["step"] <= step]
        write_atomically(self.path / LOG, "".join(json.dumps(r) + "\n" for r in kept))

    def result(self) -> dict[str, Any] | None:
        """What a finished run wrote, None while it is not finished."""
        remedy = "delete it, and `lang2program train` writes it again"
        text = self._read(RESULT, remedy=remedy)
        if text is None:
            return None
        try:
            result: dict[str, Any] = json.loads(text)
        except ValueError as error:
            raise UserError(f"{self.path / RESULT} is damaged ({error}); {remedy}") from None
        return result

    def _read(self, name: str, *, remedy: str) -> str | None:
        """The text of a file of the folder, None if there is none."""
        path = self.path / name
        try:
            return path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except UnicodeDecodeError as error:
            raise UserError(f"{path} is damaged ({error}); {remedy}") from None
