"""Parsers that have learned a little, so that their searches find programs."""

from __future__ import annotations

import functools

import numpy as np
import tensorflow as tf

from lang2program_tf.corpus.embedded.load import load_embedded
from lang2program_tf.corpus.scone import Example
from lang2program_tf.corpus.words import WordVectors, load_word_vectors, tokenize
from lang2program_tf.language import get_domain, trace
from lang2program_tf.language.executor import State
from lang2program_tf.machine.features import HistoryFeatures
from lang2program_tf.machine.plain_features import plain_stack_features, plain_tokens_features
from lang2program_tf.model import Parser
from lang2program_tf.word_ids import PADDING

_STEPS = 40


@functools.cache
def words() -> WordVectors:
    return load_word_vectors()


@functools.cache
def examples(domain: str) -> tuple[Example, ...]:
    """Examples of one to five utterances, with gold programs."""
    return load_embedded(domain, split="test", test_lines=12)


@functools.cache
def parser(domain: str, history: tuple[str, ...] = ("tokens", "stack")) -> Parser:
    """A parser after a few steps towards the gold programs."""
    made = Parser(get_domain(domain), word_vectors=words().vectors, history=history, seed=3)
    inputs, targets = _cases(domain)
    optimizer = tf.keras.optimizers.legacy.Adam(0.01)

    @tf.function(autograph=False)
    def step() -> None:
        with tf.GradientTape() as tape:
            log_probs = made(*inputs).log_probs[0]
            loss = -tf.reduce_mean(tf.gather(log_probs, targets, batch_dims=1))
        variables = made.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))

    for _ in range(_STEPS):
        step()
    return made


def _cases(domain_name: str) -> tuple[tuple[tf.Tensor, HistoryFeatures, tf.Tensor], tf.Tensor]:
    """What the parser is asked of every token of the gold programs, and the tokens [R]."""
    domain = get_domain(domain_name)
    rows: list = []
    prefixes, stacks, places, targets = [], [], [], []
    for example in examples(domain_name):
        if len(example.utterances) != 2 or example.gold_programs is None:
            continue
        program = [domain.token(name) for command in example.gold_programs for name in command]
        ids = [domain.token_id(token) for token in program]
        world = domain.parse_world(example.world)
        states = [State(world), *trace(domain, world, program)]
        for place, state in enumerate(states[:-1]):
            prefixes.append(ids[:place])
            stacks.append(state.stack)
            places.append(len(rows) + state.utterance)
            targets.append(ids[place])
        rows += [
            words().encode(tokenize(text), max_words=domain.max_words)
            for text in example.utterances
        ]
    padded = np.full([1, len(rows), max(map(len, rows))], PADDING, np.int32)
    for row, encoded in enumerate(rows):
        padded[0, row, : len(encoded)] = encoded
    history = HistoryFeatures(plain_tokens_features(prefixes), plain_stack_features(domain, stacks))
    history = tf.nest.map_structure(lambda part: part[tf.newaxis], history)
    return (tf.constant(padded), history, tf.constant([places])), tf.constant(targets)
