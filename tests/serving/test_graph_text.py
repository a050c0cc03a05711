"""Texts in the graph are treated as Python treats them."""

from __future__ import annotations

import sys

import pytest
import tensorflow as tf
from hypothesis import example, given
from hypothesis import strategies as some

from lang2program_tf.serving.graph_text import (
    WordTable,
    is_utf8,
    lower_case,
    single_spaces,
)
from lang2program_tf.word_ids import PADDING, UNKNOWN

CHARACTERS = [chr(c) for c in range(1, sys.maxunicode + 1) if not 0xD800 <= c < 0xE000]


def decodes(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def test_every_character_is_utf8():
    assert bool(tf.reduce_all(is_utf8(tf.constant(CHARACTERS))))


@given(some.lists(some.binary(max_size=8), min_size=1))
@example([b"", b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82", b"a\0b"])
def test_utf8_is_what_python_decodes(texts):
    assert is_utf8(tf.constant(texts)).numpy().tolist() == [decodes(text) for text in texts]


def test_white_space_is_what_python_splits_at():
    texts = single_spaces(tf.constant([f"a{c}b" for c in CHARACTERS])).numpy()
    spaces = [c for c, text in zip(CHARACTERS, texts) if text == b"a b"]
    assert spaces == [c for c in CHARACTERS if c.isspace()]


def test_lower_case_is_that_of_python_but_for_the_youngest_letters():
    lowered = lower_case(tf.constant(CHARACTERS)).numpy()
    differ = [c for c, text in zip(CHARACTERS, lowered) if text.decode() != c.lower()]
    assert len(differ) < 100
    assert all(c > "\u2bff" for c in differ)  # letters added to Unicode in the last years


@pytest.fixture(scope="module")
def table():
    return WordTable(["<unk>", "<pad>", "the", "café"])


def test_words_have_the_numbers_of_their_places(table):
    assert table.encode(tf.constant(["café", "the"])).numpy().tolist() == [3, 2]


def test_only_the_empty_string_is_padding(table):
    words = tf.constant(["", "<pad>", "<unk>", "nonesuch"])
    assert table.encode(words).numpy().tolist() == [PADDING, UNKNOWN, UNKNOWN, UNKNOWN]
