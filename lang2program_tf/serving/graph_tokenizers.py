"""`lang2program_tf.corpus.tokenizers` in the graph, with stock operations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import tensorflow as tf

from lang2program_tf.corpus.number_words import NUMBER_WORDS
from lang2program_tf.corpus.tokenizers import (
    APOSTROPHES,
    HYPHENS,
    MARKS_AT_ENDS,
    SINGULARS,
    SPLITTING,
    KnownForms,
    Tokenizer,
)
from lang2program_tf.serving.graph_text import WordTable, lower_case, single_spaces
from lang2program_tf.serving.graph_typos import GraphTypos
from lang2program_tf.word_ids import PADDING


class GraphTokenizer(Protocol):
    """Makes words of utterances."""

    def read(self, texts: tf.Tensor) -> tf.RaggedTensor:
        """[N, (words)] the words of texts [N]."""


class GraphWhiteSpace(tf.Module):
    """`WhiteSpace` in the graph."""

    def read(self, texts: tf.Tensor) -> tf.RaggedTensor:
        """[N, (words)] the words of texts [N]."""
        return tf.strings.split(lower_case(single_spaces(texts)))


class GraphKnownForms(tf.Module):
    """`KnownForms` in the graph; its tables belong to the exported module."""

    def __init__(self, tokenizer: KnownForms, words: WordTable) -> None:
        """Takes the forms from `tokenizer`; `words` is the table of the same vocabulary."""
        super().__init__()
        self._words = words
        self._typos = GraphTypos(tokenizer.typos)
        self._numbers = _text_table(NUMBER_WORDS)
        self._slips = _text_table(tokenizer.slips())

    def read(self, texts: tf.Tensor) -> tf.RaggedTensor:
        """[N, (words)] the words of texts [N]."""
        texts = _replace(APOSTROPHES, lower_case(single_spaces(texts)))
        pieces = tf.strings.split(texts)
        pieces = pieces.with_flat_values(self._split(pieces.flat_values))
        split = single_spaces(tf.strings.reduce_join(pieces, axis=1, separator=" "))
        words = tf.strings.split(tf.where(tf.equal(split, ""), texts, split))
        return words.with_flat_values(self._form(words.flat_values))

    def _split(self, pieces: tf.Tensor) -> tf.Tensor:
        """[P] what each of pieces [P] becomes: one word, or several with spaces between them."""
        bare = _replace(MARKS_AT_ENDS, pieces)
        split = bare
        for rule in SPLITTING:
            split = _replace(rule, split)
        return self._first_known([bare, _replace(HYPHENS, bare)], otherwise=split)

    def _form(self, words: tf.Tensor) -> tf.Tensor:
        """[P] the known form of each of words [P], itself if there is none."""
        numbers, singulars = self._numbers.lookup(words), [_replace(r, words) for r in SINGULARS]
        forms = [self._slips.lookup(words), words, numbers, *singulars]
        found = self._first_known(forms, otherwise="")
        missing = tf.where(tf.equal(found, ""))[:, 0]  # few, and typos take the most work
        typed = tf.gather(words, missing)
        meant = self._typos.meant(typed)
        meant = tf.where(tf.equal(meant, ""), typed, meant)
        return tf.tensor_scatter_nd_update(found, missing[:, tf.newaxis], meant)

    def _first_known(self, options: list[tf.Tensor], *, otherwise: tf.Tensor | str) -> tf.Tensor:
        """Of several texts [P] the first that is a known word."""
        found = otherwise
        for option in reversed(options):
            found = tf.where(self._words.encode(option) > PADDING, option, found)
        return found


def graph_tokenizer(tokenizer: Tokenizer, words: WordTable) -> GraphTokenizer:
    """What does in the graph what `tokenizer` does in Python, with the table of its vocabulary."""
    if isinstance(tokenizer, KnownForms):
        return GraphKnownForms(tokenizer, words)
    return GraphWhiteSpace()


def _text_table(texts: Mapping[str, str]) -> tf.lookup.StaticHashTable:
    """A table from texts to texts; "" for all others."""
    texts = texts or {"": ""}  # a table must not be empty
    initializer = tf.lookup.KeyValueTensorInitializer(
        tf.constant(list(texts)), tf.constant(list(texts.values()))
    )
    return tf.lookup.StaticHashTable(initializer, default_value="")


def _replace(rule: tuple[str, str], texts: tf.Tensor) -> tf.Tensor:
    pattern, replacement = rule
    return tf.strings.regex_replace(texts, pattern, replacement)
