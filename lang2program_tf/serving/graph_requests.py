"""Rows of a request in the graph: what is wrong with each, and harmless tensors for all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from lang2program_tf.machine import Rules
from lang2program_tf.serving.graph_text import WordTable, is_utf8, single_spaces
from lang2program_tf.serving.graph_tokenizers import GraphTokenizer
from lang2program_tf.serving.graph_worlds import WorldNotation

# What a bad row is searched with instead, in the domain's example of a world.
_HARMLESS_UTTERANCE = "1"


@dataclass(frozen=True)
class Limits:
    """What a row may hold.

    Attributes:
        max_utterances: U.
        max_words: W, of an utterance; further words are cut off, as in training.
        max_utterance_bytes: a longer utterance is an error.
        max_world_bytes: a longer world is an error.
    """

    max_utterances: int
    max_words: int
    max_utterance_bytes: int
    max_world_bytes: int


class Rows(NamedTuple):
    """B rows that can be searched, whatever came in.

    Attributes:
        texts: [B, U, W] string, the words of each utterance as they are read, unknown ones as they
            came, "" behind them.
        words: [B, U, W] int32, their ids.
        num_utterances: [B] int32, 1 or more.
        world: [B, P] int32, the machine's codes.
        next_identity: [B] int32, as in `MachineState`.
        error: [B] string, what is wrong with the row, "" if nothing is.
    """

    texts: tf.Tensor
    words: tf.Tensor
    num_utterances: tf.Tensor
    world: tf.Tensor
    next_identity: tf.Tensor
    error: tf.Tensor


class RequestReader(tf.Module):
    """Turns worlds and utterances into rows. No text can make it fail."""

    def __init__(
        self,
        rules: Rules,
        *,
        words: WordTable,
        tokenizer: GraphTokenizer,
        notation: WorldNotation,
        limits: Limits,
    ) -> None:
        super().__init__()
        self._words = words
        self._tokenizer = tokenizer
        self._notation = notation
        self._limits = limits
        example = rules.domain.example
        self._unreadable = (
            f"the world is not in the notation of {rules.domain.name}, such as {example}"
        )
        world = rules.domain.parse_world(example)
        self._harmless_world = np.array(rules.encode_world(world), np.int32)
        self._harmless_identity = rules.next_identity(world)
        padding = [""] * (limits.max_utterances - 1)
        self._harmless_utterances = np.array([_HARMLESS_UTTERANCE, *padding], np.bytes_)

    def fit_columns(self, utterances: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Gives utterances [B, M], whatever M is, the width of the limit.

        Returns:
            [B, U] string, and [B] bool, whether an utterance did not fit.
        """
        size = self._limits.max_utterances
        spare = tf.maximum(size - tf.shape(utterances)[1], 0)
        kept = tf.pad(utterances[:, :size], [[0, 0], [0, spare]], constant_values="")
        rest = utterances[:, size:]
        long = tf.strings.length(rest) > self._limits.max_utterance_bytes
        filled = long | tf.not_equal(single_spaces(tf.where(long, "", rest)), "")
        return tf.ensure_shape(kept, [None, size]), tf.reduce_any(filled, axis=1)

    def read(self, world: tf.Tensor, utterances: tf.Tensor, too_many: tf.Tensor) -> Rows:
        """Reads rows: worlds [B], and utterances as `fit_columns` gives them."""
        limits = self._limits
        world, world_error = check_texts("the world", world, max_bytes=limits.max_world_bytes)
        names = [f"utterance {number}" for number in range(1, limits.max_utterances + 1)]
        utterances, errors = check_texts(names, utterances, max_bytes=limits.max_utterance_bytes)
        parsed = self._notation.parse(world)
        filled = tf.not_equal(utterances, "") | tf.not_equal(errors, "")  # [B, U]
        count = tf.math.count_nonzero(filled, axis=1, dtype=tf.int32)
        gap = tf.reduce_any(filled != tf.sequence_mask(count, limits.max_utterances), axis=1)
        error = first_error(
            world_error,
            tf.where(parsed.readable, "", self._unreadable),
            *tf.unstack(errors, axis=1),
            tf.where(too_many, f"there are more than {limits.max_utterances} utterances", ""),
            tf.where(tf.equal(count, 0), "there is no utterance", ""),
            tf.where(gap, "an utterance is empty and a later one is not", ""),
        )
        bad = tf.not_equal(error, "")
        utterances = tf.where(bad[:, tf.newaxis], self._harmless_utterances, utterances)
        words = self._tokenizer.read(tf.reshape(utterances, [-1]))
        texts = words.to_tensor("", shape=[None, limits.max_words])
        texts = tf.reshape(texts, [-1, limits.max_utterances, limits.max_words])
        return Rows(
            texts=texts,
            words=self._words.encode(texts),
            num_utterances=tf.where(bad, 1, count),
            world=tf.where(bad[:, tf.newaxis], self._harmless_world, parsed.world),
            next_identity=tf.where(bad, self._harmless_identity, parsed.next_identity),
            error=error,
        )


def check_texts(
    names: str | list[str], texts: tf.Tensor, *, max_bytes: int
) -> tuple[tf.Tensor, tf.Tensor]:
    """Texts without superfluous white space, "" for bad ones; and what is wrong with each."""
    long = tf.strings.length(texts) > max_bytes
    texts = tf.where(long, "", texts)
    error = tf.where(is_utf8(texts), "", tf.strings.join([names, " is not UTF-8 text"]))
    error = tf.where(long, tf.strings.join([names, f" is longer than {max_bytes} bytes"]), error)
    return single_spaces(tf.where(tf.equal(error, ""), texts, "")), error


def first_error(*errors: tf.Tensor) -> tf.Tensor:
    """[B] the first of several errors [B] that is not empty."""
    found = errors[0]
    for error in errors[1:]:
        found = tf.where(tf.equal(found, ""), error, found)
    return found
