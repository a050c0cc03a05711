"""The rows of a word table get their words."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

from lang2program_tf.errors import UserError
from lang2program_tf.parity.imported_words import name_rows, word_rows

ROWS = np.random.default_rng(0).normal(size=[5, 100]).astype(np.float32).round(4)
WORDS = ["<unk>", "<pad>", "the", ",", "hat"]


@pytest.fixture
def glove(tmp_path):
    """A GloVe file that goes on after the rows."""
    path = tmp_path / "glove.txt"
    rows = [*ROWS[2:], ROWS[0]]
    path.write_text(
        "".join(f"{w} {' '.join(map(str, row))}\n" for w, row in zip([*WORDS[2:], "more"], rows))
    )
    return path


@pytest.mark.parametrize("name", ["words.json", "words.json.gz"])
def test_a_list_of_words_names_the_rows(tmp_path, name):
    data = json.dumps(WORDS).encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    words = name_rows(ROWS, tmp_path / name)
    assert words.words == tuple(WORDS)
    assert words.lookup("hat") == 4


def test_so_does_the_glove_file_that_they_came_from(glove):
    words = name_rows(ROWS, glove)
    assert words.words == tuple(WORDS)
    np.testing.assert_array_equal(words.vectors, ROWS)


def test_the_glove_file_of_the_data_folder_is_taken_if_none_is_named(glove, monkeypatch):
    folder = glove.parent / "glove"
    folder.mkdir()
    glove.rename(folder / "glove.6B.100d.txt")
    monkeypatch.setenv("LANG2PROGRAM_DATA", str(glove.parent))
    assert name_rows(ROWS, None).words == tuple(WORDS)


def test_a_glove_file_with_other_vectors_is_refused(glove):
    rows = ROWS.copy()
    rows[3, 7] += 1
    with pytest.raises(UserError, match="row 3 of word_embeds is not the vector of ',', word 2 of"):
        name_rows(rows, glove)


def test_a_glove_file_with_too_few_words_is_refused(glove):
    with pytest.raises(UserError, match="has 4 words, and word_embeds 8 rows"):
        name_rows(np.concatenate([ROWS, ROWS]), glove)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("[", "truncated or not JSON"),
        ('{"a": 1}', "does not hold a list of words"),
        (json.dumps(WORDS[:4]), "are not those of word_embeds"),
        (json.dumps(["a", *WORDS[1:]]), "words must begin with"),
    ],
)
def test_a_list_that_does_not_fit_is_refused(tmp_path, content, complaint):
    (tmp_path / "words.json").write_text(content)
    with pytest.raises(UserError, match=complaint):
        name_rows(ROWS, tmp_path / "words.json")


def test_an_array_file_without_the_table_is_refused(tmp_path):
    np.savez(tmp_path / "a.npz", b=ROWS)
    with pytest.raises(UserError, match="a.npz holds no word_embeds"):
        word_rows(tmp_path / "a.npz")
