from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

import numpy as np
import pytest

from lang2program_tf.corpus.glove import ORIGINAL_MAX_RANK, read_glove
from lang2program_tf.errors import UserError


def line(word: str, *, width: int = 100, first: str = "0.5") -> str:
    return " ".join([word, first, *["-0.25"] * (width - 1)]) + "\n"


TEXT = line("the", first="0.10000") + line("b\u00e9b\u00e9") + line("\u00a0", first="-3.0243")


@pytest.fixture
def file(tmp_path: Path):
    """Writes a file of the given content and gives its path."""

    def write(content: str | bytes, name: str = "glove.6B.100d.txt") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def fails(path: Path, **options) -> str:
    with pytest.raises(UserError) as caught:
        read_glove(path, **options)
    message = str(caught.value)
    assert "lang2program fetch glove" in message
    assert "\n" not in message
    return message


def test_words_and_numbers_are_read_in_the_order_of_the_file(file):
    rows = read_glove(file(TEXT))
    assert rows.words == ("the", "bébé", "\u00a0")
    assert rows.vectors.shape == (3, 100)
    assert rows.vectors.dtype == np.float32
    np.testing.assert_array_equal(rows.vectors[:, 0], np.float32([0.1, 0.5, -3.0243]))
    assert (rows.vectors[:, 1:] == -0.25).all()


def test_compressed_files_read_like_plain_ones(file, tmp_path):
    packed = file(gzip.compress(TEXT.encode()), "glove.txt.gz")
    archive = tmp_path / "glove.6B.zip"
    with zipfile.ZipFile(archive, "w") as writer:
        writer.writestr("glove.6B.50d.txt", line("no", width=50))
        writer.writestr("glove.6B.100d.txt", TEXT)
    for path in (packed, archive):
        assert read_glove(path).words == ("the", "bébé", "\u00a0")


def test_the_last_line_may_lack_its_newline_and_lines_may_end_as_on_windows(file):
    assert read_glove(file(TEXT.rstrip("\n"))).words == read_glove(file(TEXT)).words
    assert read_glove(file(TEXT.replace("\n", "\r\n"))).words == read_glove(file(TEXT)).words


def test_only_the_first_rows_are_read_so_a_later_fault_does_not_matter(file):
    path = file(TEXT + "broken\n")
    assert read_glove(path, limit=2).words == ("the", "bébé")
    assert "line 4" in fails(path, limit=None)


def test_the_default_limit_leaves_room_for_two_special_rows(file):
    path = file("".join(line(f"w{n}") for n in range(ORIGINAL_MAX_RANK + 5)))
    assert len(read_glove(path).words) == 20_000 - 2
    assert len(read_glove(path, limit=None).words) == ORIGINAL_MAX_RANK + 5


def test_a_limit_below_one_is_refused(file):
    with pytest.raises(ValueError, match="limit must be at least 1, got 0"):
        read_glove(file(TEXT), limit=0)


def test_a_truncated_file_names_the_line(file):
    message = fails(file(TEXT[:-20]))
    assert "line 3" in message
    assert "cut off" in message


def test_a_row_of_the_wrong_width_names_line_and_widths(file):
    message = fails(file(TEXT + line("wide", width=300)))
    assert "line 4: 300 numbers after the word 'wide' instead of 100" in message


def test_a_field_that_is_no_number_names_line_and_column(file):
    message = fails(file(TEXT + line("odd", first="0.1x")))
    assert "line 4, column 2: '0.1x' is not a number" in message


@pytest.mark.parametrize("number", ["nan", "inf", "1e60"])
def test_a_number_that_is_not_finite_names_line_and_column(file, number):
    assert "line 4, column 2: not a finite" in fails(file(TEXT + line("odd", first=number)))


def test_bytes_that_are_not_utf8_name_line_and_byte(file):
    message = fails(file(TEXT.encode() + b"caf\xe9 " + line("x")[2:].encode()))
    assert "line 4, byte 4: not UTF-8" in message


def test_a_word_that_comes_twice_names_both_lines(file):
    assert "line 4: the word 'the' was in line 1 already" in fails(file(TEXT + line("the")))


def test_a_line_without_a_word_is_an_error(file):
    assert "line 4: begins with no word" in fails(file(TEXT + line("")))


@pytest.mark.parametrize(
    "name, content",
    [("glove.txt", b""), ("glove.txt.gz", gzip.compress(b"")), ("glove.txt.gz", b"")],
    # Named, because bytes would be part of the name and a gzip header holds the time.
    ids=["plain", "packed", "packed_without_header"],
)
def test_an_empty_file_is_an_error(file, name, content):
    assert "has no words in it" in fails(file(content, name))


def test_a_gzip_file_that_was_cut_names_the_last_good_line(file):
    content = gzip.compress("".join(line(f"w{n}", first=f"{n}") for n in range(5000)).encode())
    message = fails(file(content[: len(content) // 2], "glove.txt.gz"))
    assert "past line " in message
    assert "past line 0 " not in message


def test_files_that_are_not_what_their_name_says_are_an_error(file):
    assert "cannot read" in fails(file(TEXT, "glove.txt.gz"))
    assert "cannot read" in fails(file(TEXT, "glove.zip"))


def test_an_archive_without_one_fitting_text_file_says_what_it_holds(tmp_path):
    path = tmp_path / "glove.6B.zip"
    with zipfile.ZipFile(path, "w") as writer:
        writer.writestr("glove.6B.50d.txt", TEXT)
        writer.writestr("glove.6B.300d.txt", TEXT)
    assert "holds glove.6B.50d.txt, glove.6B.300d.txt; expected" in fails(path)


def test_a_missing_file_or_a_folder_is_an_error(tmp_path):
    assert "there is no file" in fails(tmp_path / "none.txt")
    assert "cannot read" in fails(tmp_path)
