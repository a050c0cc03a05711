"""A model that is served: the newest version in its folder, exchanged while requests go on."""

from __future__ import annotations

import gc
import logging
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from lang2program_tf.errors import UserError
from lang2program_tf.serving.model import Model
from lang2program_tf.serving.transport import ServingError
from lang2program_tf.serving.versions import versions

LOG = logging.getLogger("lang2program.server")
# As TF Serving does by default with a version that cannot be loaded.
_RETRY_AFTER = 60.0
_MAX_RETRIES = 5


class VersionStatus(NamedTuple):
    """What became of a version.

    Attributes:
        state: `LOADING`, `AVAILABLE` or `END`, as TF Serving calls them.
        error: why it could not be loaded, "" if it could.
    """

    state: str
    error: str = ""


class _Failure(NamedTuple):
    attempts: int
    when: float


class ServedModel:
    """One model under one name.

    Attributes:
        name: what requests call it.
        model: the version that answers.
        folder: whose versions are followed; None if this version stays.
    """

    def __init__(self, name: str, model: Model, *, folder: Path | None = None) -> None:
        """Binds a loaded model.

        Args:
            name: what requests call it.
            model: its first version.
            folder: whose versions are to be followed, if any.
        """
        self.name = name
        self.model = model
        self.folder = folder
        self._statuses = {model.version: VersionStatus("AVAILABLE")}
        self._failures: dict[int, _Failure] = {}

    @staticmethod
    def load(
        export: str | os.PathLike[str], *, name: str | None = None, warm_up: bool = True
    ) -> ServedModel:
        """Loads an export: the newest version of a folder, to be followed, or one version.

        Raises:
            UserError: there is none.
        """
        model = Model(export)
        if warm_up:
            model.warm_up()
        folder = Path(export)
        followed = folder if model.folder != folder else None
        return ServedModel(name or model.domain, model, folder=followed)

    def find(self, version: int | None) -> Model:
        """The model, if this version, or any, is what is asked for.

        Raises:
            ServingError: another version is.
        """
        if version not in (None, self.model.version):
            raise ServingError(
                "NOT_FOUND", f"Servable not found for request: Specific({self.name}, {version})"
            )
        return self.model

    def statuses(self, version: int | None) -> dict[int, VersionStatus]:
        """What became of this version, or of all, the newest first.

        Raises:
            ServingError: there never was such a version.
        """
        if version is None:
            return dict(sorted(self._statuses.items(), reverse=True))
        if version not in self._statuses:
            raise ServingError(
                "NOT_FOUND", f"Could not find version {version} of model {self.name}"
            )
        return {version: self._statuses[version]}

    def refresh(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Loads the newest version of the folder, unless it is the one that answers.

        The old version answers until the new one is loaded and warmed up, and goes on if it cannot
        be. An empty folder changes nothing. Takes seconds; for a thread of its own.
        """
        found = versions(self.folder) if self.folder else []
        if not found or found[-1] == self.model.version or not self._may_try(found[-1], clock()):
            return
        assert self.folder is not None
        new, old = found[-1], self.model.version
        self._statuses[new] = VersionStatus("LOADING")
        try:
            model = Model(self.folder / str(new))
            model.warm_up()
        except (UserError, ServingError) as error:
            line = " ".join(str(error).split())
            attempts = self._failures[new].attempts + 1 if new in self._failures else 1
            self._failures[new] = _Failure(attempts, clock())
            self._statuses[new] = VersionStatus("END", line)
            LOG.error("model %s: version %d cannot be loaded: %s", self.name, new, line)
            return
        self._failures.pop(new, None)
        self.model = model
        self._statuses[new] = VersionStatus("AVAILABLE")
        self._statuses[old] = VersionStatus("END")
        gc.collect()  # a loaded graph refers to itself
        LOG.info("model %s: version %d answers, version %d is dropped", self.name, new, old)

    def _may_try(self, version: int, now: float) -> bool:
        failure = self._failures.get(version)
        if failure is None:
            return True
        return failure.attempts <= _MAX_RETRIES and now - failure.when >= _RETRY_AFTER
