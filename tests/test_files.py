from __future__ import annotations

from pathlib import Path

import pytest

from lang2program_tf.errors import UserError
from lang2program_tf.files import write_atomically


def test_a_file_that_cannot_be_written_stays_as_it_was(tmp_path: Path):
    path = tmp_path / "folder" / "file"
    with pytest.raises(UserError, match="cannot write .*file: No such file or directory"):
        write_atomically(path, "new")
    path.parent.mkdir()
    write_atomically(path, "new")
    assert [child.name for child in path.parent.iterdir()] == ["file"]
    assert path.read_text() == "new"
