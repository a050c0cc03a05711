from __future__ import annotations

import numpy as np
import pytest

from lang2program_tf.corpus.word_table import read_word_table, write_word_table
from lang2program_tf.errors import UserError

WORDS = ("<unk>", "<pad>", "the", "’s")
VECTORS = np.arange(12, dtype=np.float32).reshape(4, 3) / 7


def test_words_and_numbers_come_back_exactly(tmp_path):
    write_word_table(tmp_path / "words.npz", WORDS, VECTORS)
    table = read_word_table(tmp_path / "words.npz")
    assert table.words == WORDS
    np.testing.assert_array_equal(table.vectors, VECTORS)
    assert [path.name for path in tmp_path.iterdir()] == ["words.npz"]


def test_a_truncated_file_is_named(tmp_path):
    path = tmp_path / "words.npz"
    write_word_table(path, WORDS, VECTORS)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(UserError, match="cannot read the word table .*words.npz"):
        read_word_table(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(UserError, match="there is no word table .*words.npz"):
        read_word_table(tmp_path / "words.npz")


def test_rows_without_words_are_refused(tmp_path):
    path = tmp_path / "words.npz"
    np.savez(path, words=np.frombuffer(b"a", np.uint8), vectors=VECTORS)
    with pytest.raises(UserError, match="holds 1 words and vectors float32"):
        read_word_table(path)


@pytest.mark.parametrize("words", [WORDS[:3], ("<unk>", "<pad>", "the", "a\nb")])
def test_words_that_cannot_be_written_are_refused(tmp_path, words):
    with pytest.raises(ValueError, match="words must be 4"):
        write_word_table(tmp_path / "words.npz", words, VECTORS)
