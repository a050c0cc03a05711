from __future__ import annotations

import pytest

from lang2program_tf.corpus.seen_words import read_seen_words, seen_words_text
from lang2program_tf.errors import UserError


def test_what_is_written_is_read_again(tmp_path):
    path, counts = tmp_path / "seen.tsv", {"hat": 3, "café": 1}
    path.write_bytes(seen_words_text(counts).encode())
    assert read_seen_words(path, remedy="") == counts


@pytest.mark.parametrize(
    "damaged", [b"hat\t3\nma", b"hat\n", b"hat\tx\n", b"\xff\t3\n", b"a\t1\t2\n"]
)
def test_a_damaged_file_is_named_with_what_to_do(tmp_path, damaged):
    path = tmp_path / "seen.tsv"
    path.write_bytes(damaged)
    with pytest.raises(UserError, match="seen.tsv .*; delete it"):
        read_seen_words(path, remedy="delete it")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(UserError, match="nonesuch"):
        read_seen_words(tmp_path / "nonesuch", remedy="")
