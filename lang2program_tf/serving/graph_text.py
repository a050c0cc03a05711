"""Texts in the graph, with stock operations: what Python does with `str`, done on byte strings."""

from __future__ import annotations

from collections.abc import Sequence

import tensorflow as tf

from lang2program_tf.word_ids import PADDING, UNKNOWN

# All characters that `str.isspace` knows; `tf.strings.split` alone knows only those of ASCII.
_WHITE_SPACE = (
    r"[\t-\r\x1c-\x20\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}"
    r"\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]+"
)


def is_utf8(texts: tf.Tensor) -> tf.Tensor:
    """Whether byte strings are UTF-8: bool of the shape of `texts`."""
    repaired = tf.strings.unicode_transcode(texts, "UTF-8", "UTF-8", errors="replace")
    return tf.equal(repaired, texts)


def single_spaces(texts: tf.Tensor) -> tf.Tensor:
    """Every run of white space as one space, none at the ends: `" ".join(text.split())`."""
    return tf.strings.strip(tf.strings.regex_replace(texts, _WHITE_SPACE, " "))


def lower_case(texts: tf.Tensor) -> tf.Tensor:
    """`str.lower`, but for letters that are younger than TensorFlow's tables."""
    # The operation for UTF-8 ends at a NUL. No word of a vocabulary holds either character.
    whole = tf.strings.regex_replace(texts, r"\x00", "\x01")
    # It follows the process's locale, which in some countries means another lower case of "I";
    # the operation for ASCII does not.
    return tf.strings.lower(tf.strings.lower(whole), encoding="utf-8")


def number_table(texts: Sequence[str], *, missing: int) -> tf.lookup.StaticHashTable:
    """A table from texts to their places in the sequence; `missing` for all others."""
    places = tf.range(len(texts), dtype=tf.int64)
    # Not from a file: a table is called after its file, with the path on the machine at hand.
    initializer = tf.lookup.KeyValueTensorInitializer(tf.constant(texts), places)
    return tf.lookup.StaticHashTable(initializer, default_value=missing)


class WordTable(tf.Module):
    """The vocabulary; it belongs to the exported module."""

    def __init__(self, words: Sequence[str]) -> None:
        """`words` are in the order of their ids."""
        super().__init__()
        self._table = number_table(words, missing=UNKNOWN)

    def encode(self, words: tf.Tensor) -> tf.Tensor:
        """Ids of words, int32 of the shape of `words`; `PADDING` for the empty string."""
        ids = tf.cast(self._table.lookup(words), tf.int32)
        # Someone may well type "<pad>".
        ids = tf.where(tf.equal(ids, PADDING), UNKNOWN, ids)
        return tf.where(tf.equal(words, ""), PADDING, ids)
