"""A small copy of the recordings, whose files tests may change for a while."""

from __future__ import annotations

import pytest

from lang2program_tf.parity.folder import RecordingsFolder
from tests.parity.small_recordings import copy_small


@pytest.fixture(scope="session")
def folder(parity_dir, tmp_path_factory) -> RecordingsFolder:
    path = tmp_path_factory.mktemp("recordings") / "parity"
    copy_small(parity_dir, path)
    scone = parity_dir.parent / "scone"
    if scone.is_dir():
        (path.parent / "scone").symlink_to(scone.resolve())
    return RecordingsFolder(path)
