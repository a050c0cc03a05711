"""`Typos` in the graph: the seen word that a typed one is a slip away from."""

from __future__ import annotations

import tensorflow as tf

from lang2program_tf.corpus.typos import MAX_LETTERS, OPEN, TYPED, WHOLE, Typos


class GraphTypos(tf.Module):
    """The table of keys; it belongs to the exported module."""

    def __init__(self, typos: Typos) -> None:
        super().__init__()
        none = len(typos.seen)
        ranks = typos.ranks or {"": none}  # a table must not be empty
        initializer = tf.lookup.KeyValueTensorInitializer(
            tf.constant(list(ranks)), tf.constant(list(ranks.values()), tf.int64)
        )
        self._ranks = tf.lookup.StaticHashTable(initializer, default_value=none)
        self._seen = [*typos.seen, ""]

    def meant(self, words: tf.Tensor) -> tf.Tensor:
        """[N] the most frequent seen word that each of words [N] is a typo of, "" for none."""
        # What is no candidate becomes a word without letters, whose keys are in no table.
        typed = tf.where(tf.strings.regex_full_match(words, TYPED.pattern), words, "")
        rank = tf.reduce_min(self._ranks.lookup(_keys(typed)), axis=1)
        return tf.gather(tf.constant(self._seen), rank)


def _keys(words: tf.Tensor) -> tf.Tensor:
    """[N, K] all keys of words [N].

    Places behind a word's end give keys that find nothing, or what other keys of it find too.
    """
    words = words[:, tf.newaxis]
    places = tf.range(MAX_LETTERS)[tf.newaxis]  # [1, P]
    length = tf.strings.length(words)
    size = [tf.shape(words)[0], MAX_LETTERS]
    words = tf.broadcast_to(words, size)

    def part(start: int, count: int) -> tf.Tensor:
        """`count` letters of each word from `start` letters behind each place on: [N, P]."""
        return tf.strings.substr(words, tf.minimum(places + start, length), tf.fill(size, count))

    zeros = tf.zeros(size, tf.int32)
    before = tf.strings.substr(words, zeros, tf.broadcast_to(places, size))
    after = part(1, MAX_LETTERS)
    return tf.concat(
        [
            words[:, :1],
            tf.strings.join([before, OPEN, after]),
            tf.strings.join([WHOLE, before, after]),
            tf.strings.join([WHOLE, before, part(1, 1), part(0, 1), part(2, MAX_LETTERS)]),
        ],
        axis=1,
    )
