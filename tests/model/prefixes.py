"""Two examples of three utterances, and prefixes of them with different histories."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from lang2program_tf.language import get_domain
from lang2program_tf.language.scene import Person
from lang2program_tf.language.values import Color, ObjectList
from lang2program_tf.machine.features import HistoryFeatures
from lang2program_tf.machine.plain_features import plain_stack_features, plain_tokens_features
from lang2program_tf.model import DecoderScores, Parser
from lang2program_tf.word_ids import PADDING

WORDS = np.array(
    [
        [[5, 6, 7, 8], [9, 3, 0, PADDING], [4, PADDING, PADDING, PADDING]],
        [[10, 11, PADDING, PADDING], [12, 2, 14, 15], [PADDING] * 4],
    ]
)
UTTERANCE = np.array([[0, 1, 2, 1], [1, 0, 0, 1]])
PREFIXES = [[], [1], [2, 3], [4, 5, 6, 7, 8], [9], [1, 1], [], [30, 31, 32]]
STACKS = [
    [],
    [3],
    [Color("r"), -1],
    [Person(3, "r", "e", 0)],
    [ObjectList([Person(3, "r", "e", 0), Person(5, "y", "b", 1)]), 2, 10],
    [ObjectList()],
    [9],
    [Color("e"), 4, Color("g")],
]


def features(shape: tuple[int, ...] = UTTERANCE.shape) -> HistoryFeatures:
    """The histories of all prefixes, with leading dimensions `shape`."""
    flat = HistoryFeatures(
        plain_tokens_features(PREFIXES), plain_stack_features(get_domain("scene"), STACKS)
    )
    return tf.nest.map_structure(lambda x: tf.reshape(x, [*shape, *x.shape[1:]]), flat)


def scores(
    parser: Parser, words: np.ndarray = WORDS, utterance: np.ndarray = UTTERANCE
) -> DecoderScores:
    """The scores of a scene parser, with attention [B, K, M, W] to all words."""
    memory = parser.read(tf.constant(words, tf.int32))
    found = parser.score(memory, features(utterance.shape), tf.constant(utterance, tf.int32))
    return found._replace(attention=memory.in_place(found.attention))
