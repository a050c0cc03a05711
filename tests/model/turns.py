"""Turns of alchemy in the middle of a dialogue, and small parsers that see their context."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from lang2program_tf.language import State, World, execute, get_domain, step
from lang2program_tf.machine import Examples, get_machine
from lang2program_tf.machine.encode import encode_states
from lang2program_tf.machine.features import HistoryFeatures
from lang2program_tf.machine.plain_features import plain_stack_features, plain_tokens_features
from lang2program_tf.model import DecoderScores, Parser
from lang2program_tf.model.context_decoder import CONTEXTS
from lang2program_tf.model.dropout import DropoutSeed
from lang2program_tf.word_ids import PADDING

DOMAIN = get_domain("alchemy")
NUM_WORDS = 30
FIRST = DOMAIN.parse_world("1:ggg 2:_ 3:rb 4:_ 5:_ 6:r 7:yy")
PROGRAMS = ("", "allObjects 1 index 1 drain", "allObjects 3 index mix red hasColor 1/1 drain")
# The sentences of three dialogues; that to be parsed is the one with the number of commands.
WORDS = np.array(
    [
        [[5, 6, 7], [PADDING] * 3, [PADDING] * 3],
        [[8, 9, PADDING], [10, 11, 12], [PADDING] * 3],
        [[13, PADDING, PADDING], [14, 15, 16], [17, 18, PADDING]],
    ],
    np.int32,
)


def states() -> list[State]:
    """Before the first command, after one and after two."""
    return [execute(DOMAIN, FIRST, program.split()) for program in PROGRAMS]


def turns(of_states: Sequence[State] | None = None, *, first: World = FIRST) -> Examples:
    """The turns that begin with these states."""
    begins = states() if of_states is None else list(of_states)
    rules = get_machine(DOMAIN.name).rules
    encoded = encode_states(rules, begins, max_utterances=3)
    return Examples(
        world=tf.constant(encoded.world),
        next_identity=tf.constant(encoded.next_identity),
        target=tf.constant(encoded.world),
        num_utterances=tf.constant(encoded.utterance + 1),
        history=tf.constant(encoded.history),
        num_commands=tf.constant(encoded.utterance),
        first_world=tf.constant(rules.encode_worlds([first] * len(begins))),
    )


def context_parser(context: Sequence[str] = CONTEXTS, *, seed: int = 3, **options: Any) -> Parser:
    """A small parser with random weights, biases too."""
    random = np.random.default_rng(seed)
    parser = Parser(
        DOMAIN,
        word_vectors=np.random.default_rng(1).normal(0, 1, [NUM_WORDS, 10]).astype(np.float32),
        history=("tokens", "stack"),
        seed=seed,
        context=context,
        **{
            "encoder_units": 4,
            "token_dimensions": 8,
            "primitive_dimensions": 6,
            "context_width": 12,
            "context_heads": 3,
            "query_layers": (12,),
            **options,
        },
    )
    for variable in parser.trainable_variables:
        if variable.name.endswith("bias:0"):
            variable.assign_add(random.normal(0, 0.3, variable.shape).astype(np.float32))
    return parser


def histories(prefixes: Sequence[str] = ("", "allObjects", "allObjects 1")) -> HistoryFeatures:
    """The execution histories [3, R] of R prefixes in each of the turns."""
    tokens, stacks = [], []
    for state in states():
        for prefix in prefixes:
            names = prefix.split()
            tokens.append([DOMAIN.token_id(DOMAIN.token(name)) for name in names])
            stacks.append(_run(state, names).stack)
    flat = HistoryFeatures(plain_tokens_features(tokens), plain_stack_features(DOMAIN, stacks))
    shape = [len(PROGRAMS), len(prefixes)]
    return tf.nest.map_structure(lambda part: tf.reshape(part, [*shape, *part.shape[1:]]), flat)


def scores(
    parser: Any,
    words: np.ndarray = WORDS,
    examples: Examples | None = None,
    *,
    dropout_seed: DropoutSeed | None = None,
) -> DecoderScores:
    """The scores of the prefixes of `histories`, with attention [B, K, M, W] to all words."""
    examples = turns() if examples is None else examples
    memory = parser.read(tf.constant(words), examples, dropout_seed=dropout_seed)
    utterance = tf.repeat(examples.num_commands[:, tf.newaxis], 3, axis=1)
    found = parser.score(memory, histories(), utterance)
    return found._replace(attention=memory.in_place(found.attention))


def _run(state: State, names: Sequence[str]) -> State:
    for name in names:
        state = step(DOMAIN, state, name)
    return state
