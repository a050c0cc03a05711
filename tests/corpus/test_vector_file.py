from __future__ import annotations

import os
import subprocess
import sys
import time
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lang2program_tf.corpus.glove import read_glove
from lang2program_tf.corpus.vector_file import (
    SHIPPED_FILE,
    Alias,
    decode_decimals,
    encode_decimals,
    read_vector_file,
    write_vector_file,
)
from lang2program_tf.errors import UserError

ROWS = [["0.5"] * 100, ["-1.25"] * 100]


def write(path: Path) -> Path:
    write_vector_file(
        path,
        words=["an", "two"],
        ranks=[5, 20],
        decimals=ROWS,
        aliases={"a": Alias("an", 3), "2": Alias("two", 12)},
    )
    return path


@given(digits=st.integers(1, 99_999), decimals=st.integers(0, 10), sign=st.sampled_from(["", "-"]))
def test_every_number_of_five_digits_comes_back_as_if_read_from_text(digits, decimals, sign):
    text = f"{sign}{Decimal(digits).scaleb(-decimals)}"
    decoded = decode_decimals(encode_decimals([[text]]))
    assert decoded.dtype == np.float32
    assert decoded[0, 0] == np.float32(float(text))


@pytest.mark.parametrize("text", ["0", "0.123456", "123456"])
def test_a_number_that_does_not_fit_is_refused(text):
    with pytest.raises(ValueError, match=text):
        encode_decimals([[text]])


def test_words_come_back_by_rank_with_aliases_among_them(tmp_path):
    words = read_vector_file(write(tmp_path / "v.npz"))
    assert words.words == ("a", "an", "2", "two")
    assert words.ranks.tolist() == [3, 5, 12, 20]
    assert words.vectors[:, 0].tolist() == [0.5, 0.5, -1.25, -1.25]
    assert words.aliases == {"a": "an", "2": "two"}


@pytest.mark.slow
def test_the_same_words_give_the_same_bytes_at_another_time(tmp_path):
    first = write(tmp_path / "first.npz")
    os.utime(first, (0, 0))
    time.sleep(2.1)  # the resolution of times in a zip archive is two seconds
    assert write(tmp_path / "second.npz").read_bytes() == first.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first.npz", "second.npz"]


@pytest.mark.parametrize("keep", [0, 100, 400])
def test_a_damaged_file_is_a_user_error(tmp_path, keep):
    path = write(tmp_path / "v.npz")
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(UserError, match="v.npz .*install the package again"):
        read_vector_file(path)


def test_a_missing_file_is_a_user_error(tmp_path):
    with pytest.raises(UserError, match="none.npz"):
        read_vector_file(tmp_path / "none.npz")


def test_the_shipped_file_is_small_and_quick_to_read():
    assert SHIPPED_FILE.stat().st_size < 2_000_000
    times = []
    for _ in range(3):
        start = time.perf_counter()
        read_vector_file()
        times.append(time.perf_counter() - start)
    assert min(times) < 0.2


def test_reading_the_shipped_file_imports_no_tensorflow():
    code = (
        "import sys; from lang2program_tf.corpus.vector_file import read_vector_file;"
        "read_vector_file(); sys.exit(bool({'tensorflow', 'gin'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_shipped_words_are_different_and_in_the_order_of_their_ranks():
    shipped = read_vector_file()
    assert len(set(shipped.words)) == len(shipped.words) == len(shipped.vectors)
    assert (np.diff(shipped.ranks) > 0).all()


def test_shipped_aliases_are_a_numbers_and_ordinals_with_ranks_of_their_own():
    shipped = read_vector_file()
    rank_of = dict(zip(shipped.words, shipped.ranks.tolist()))
    assert len(shipped.aliases) == 22
    assert shipped.aliases["a"] == "an"
    assert shipped.aliases["3"] == "three"
    assert shipped.aliases["2nd"] == "second"
    assert rank_of["a"] == 7
    assert rank_of["2nd"] == 2766
    row_of = {word: row for row, word in enumerate(shipped.words)}
    for word, source in shipped.aliases.items():
        assert source not in shipped.aliases
        np.testing.assert_array_equal(
            shipped.vectors[row_of[word]], shipped.vectors[row_of[source]]
        )


def test_shipped_vectors_are_gloves_to_the_last_bit(data_dir):
    genuine = read_glove(data_dir / "glove" / "glove.6B.100d.top20k.txt.gz")
    row_of = {word: row for row, word in enumerate(genuine.words)}
    shipped = read_vector_file()
    ours, theirs = zip(
        *(
            (row, row_of[word])
            for row, word in enumerate(shipped.words)
            if word in row_of and word not in shipped.aliases
        )
    )
    assert len(ours) > 7000
    np.testing.assert_array_equal(shipped.vectors[list(ours)], genuine.vectors[list(theirs)])
