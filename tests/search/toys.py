"""Small parsers with random weights, small examples, and how to search them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import tensorflow as tf

from lang2program_tf.language import UNKNOWN_COMMAND, Kind, Token, execute, get_domain, trace
from lang2program_tf.machine import Examples, Machine
from lang2program_tf.machine.encode import encode_states
from lang2program_tf.model import Parser
from lang2program_tf.search import BeamSearch, SearchTree, best_programs
from lang2program_tf.word_ids import PADDING
from tests.search.reference import Example, Program

NUM_WORDS = 30
BOTH = ("tokens", "stack")
# Weights drawn with these seeds find programs.
SEEDS = {"alchemy": 19, "scene": 19, "tangrams": 51}
TOLERANCE = 1e-4  # of log-probabilities
# Scores as close as this may fall in another order when they are added up in another way.
NEAR_TIE = 1e-5

# (world, program that leads to the target), of one, two and three utterances.
_EXAMPLES = {
    "alchemy": [
        ("1:ggg 2:_ 3:rb 4:_ 5:_ 6:r 7:yy", "green hasColor 1/1 drain"),
        ("1:_ 2:ro 3:_ 4:pp 5:_ 6:_ 7:b", "allObjects 2 index mix brown hasColor 1 index 1 drain"),
        (
            "1:o 2:_ 3:yyy 4:_ 5:gr 6:_ 7:_",
            "orange hasColor yellow hasColor pour allObjects 5 index mix brown hasColor 1/1 drain",
        ),
    ],
    "scene": [
        ("1:r_ 2:__ 3:__ 4:gp 5:__ 6:__ 7:__ 8:__ 9:__ 10:yo", "red hasShirt leave"),
        (
            "1:__ 2:bb 3:__ 4:__ 5:__ 6:__ 7:__ 8:p_ 9:__ 10:__",
            "blue hasHat leave purple hasShirt -1 prevAction",
        ),
        (
            "1:__ 2:__ 3:__ 4:oo 5:__ 6:__ 7:g_ 8:__ 9:__ 10:__",
            "orange hasHat leave 4 red noHat create red hasShirt leave",
        ),
    ],
    "tangrams": [
        ("1:2 2:1 3:4", "allObjects 1 index remove"),
        ("1:0 2:3", "allObjects 1 index remove allObjects 1 index remove"),
        ("1:4", "allObjects 1 index remove 1 1 prevArg1 add allObjects 1 index remove"),
    ],
}

# How much a parser likes some tokens. Without a taste for tokens that make objects and use them,
# random weights heap up numbers and colors until nothing fits on the stack.
_TASTE = {"1": 1.0, "-1": 1.0, "allObjects": 2.0, "index": 3.0, "prevAction": 2.0, "prevArg1": 1.0}
_TASTE_FOR_ACTIONS = 3.0


def toy_parser(domain: str, history: Sequence[str] = BOTH, *, seed: int | None = None) -> Parser:
    """A parser with random weights, biases too, and a taste for tokens that are of use."""
    seed = SEEDS[domain] if seed is None else seed
    random = np.random.default_rng(seed)
    parser = Parser(
        get_domain(domain),
        word_vectors=random.normal(0, 1, [NUM_WORDS, 10]).astype(np.float32),
        history=history,
        seed=seed,
        encoder_units=6,
        query_layers=(16, 12),
        token_dimensions=8,
        primitive_dimensions=6,
    )
    for variable in parser.trainable_variables:
        if variable.name.endswith("bias:0"):
            variable.assign_add(random.normal(0, 0.3, variable.shape).astype(np.float32))
    # A score is a product with the token's embedding, so that one column can be the taste.
    tokens = parser.token_embeddings.numpy()
    tokens[:, 0] = [_taste(token) for token in get_domain(domain).tokens]
    parser.token_embeddings.assign(tokens)
    scorer_bias = parser.decoder.query_scorer.bias
    scorer_bias.assign(tf.tensor_scatter_nd_update(scorer_bias, [[0]], [1.0]))
    return parser


def _taste(token: Token) -> float:
    return _TASTE_FOR_ACTIONS if token.kind is Kind.ACTION else _TASTE.get(token.name, 0.0)


def toy_examples(domain: str, *, seed: int = 0) -> list[Example]:
    """Examples of one, two and three utterances of one to five words each."""
    random = np.random.default_rng(seed)
    parse = get_domain(domain).parse_world
    examples = []
    for count, (text, program) in enumerate(_EXAMPLES[domain], start=1):
        target = execute(get_domain(domain), parse(text), program.split()).world
        utterances = [
            random.integers(PADDING + 1, NUM_WORDS, size=random.integers(1, 6)).tolist()
            for _ in range(count)
        ]
        examples.append(Example(parse(text), target, utterances))
    return examples


def midway_examples(domain: str) -> list[Example]:
    """Examples of which one utterance is left to parse, then two, and one after an unknown one."""
    examples = []
    _, two, three = toy_examples(domain)
    for example, count in ((two, 1), (three, 1), (three, 2)):
        program = _EXAMPLES[domain][len(example.utterances) - 1][1].split()
        states = trace(get_domain(domain), example.world, program)
        start = next(state for state in states if state.utterance == count)
        examples.append(example._replace(start=start))
    last = examples[-1].start
    history = (UNKNOWN_COMMAND, *last.history[1:])
    examples[-1] = examples[-1]._replace(start=last._replace(history=history))
    return examples


def words_of(examples: Sequence[Example], *, utterances: int = 0, words: int = 0) -> tf.Tensor:
    """[B, M, W] int32 word ids, padded to what is needed or asked for."""
    most = max(utterances, *(len(example.utterances) for example in examples))
    longest = max(words, *(len(u) for example in examples for u in example.utterances))
    rows = np.full([len(examples), most, longest], PADDING, np.int32)
    for b, example in enumerate(examples):
        for m, utterance in enumerate(example.utterances):
            rows[b, m, : len(utterance)] = utterance
    return tf.constant(rows)


def tensors_of(machine: Machine, examples: Sequence[Example]) -> Examples:
    """The examples as the search in the graph wants them."""
    rules = machine.rules
    counts = [len(example.utterances) for example in examples]
    starts = [example.beginning for example in examples]  # parts are told apart by id: keep them
    encoded = encode_states(rules, starts, max_utterances=max(counts))
    return Examples(
        world=tf.constant(encoded.world),
        next_identity=tf.constant(encoded.next_identity),
        target=tf.constant(rules.encode_worlds([e.target for e in examples])),
        num_utterances=tf.constant(counts),
        history=tf.constant(encoded.history),
        num_commands=tf.constant(encoded.utterance),
        first_world=tf.constant(rules.encode_worlds([e.world for e in examples])),
    )


def run(search: BeamSearch, words: tf.Tensor, examples: Examples, **options) -> SearchTree:
    """Reads words [B, M, W] and searches."""
    memory = search.parser.read(words, examples)
    options.setdefault("seed", tf.constant([0, 0]))
    return search.search(memory, examples, **options)


def programs_of(machine: Machine, tree: SearchTree) -> list[list[Program]]:
    """All complete programs of every example, best first."""
    counts = tree.num_complete.numpy()
    best = best_programs(machine, tree, int(counts.max()))
    tokens, lengths, log_probs, rewards, worlds, *_ = (part.numpy() for part in best)
    return [
        [
            Program(
                tokens=tuple(tokens[row, n, : lengths[row, n]].tolist()),
                log_prob=float(log_probs[row, n]),
                world=machine.rules.decode_world(worlds[row, n].tolist()),
                rewarded=bool(rewards[row, n]),
            )
            for n in range(count)
        ]
        for row, count in enumerate(counts)
    ]


def beams_of(tree: SearchTree, row: int) -> list[list[tuple[tuple[int, ...], float]]]:
    """The live prefixes that each iteration ends with: (token ids, log-probability), in order."""
    beams = []
    prefixes: dict[int, tuple[int, ...]] = {0: ()}
    for parents, tokens, scores in zip(
        tree.parent[:, row].numpy(), tree.token[:, row].numpy(), tree.score[:, row].numpy()
    ):
        live = np.flatnonzero(scores > -np.inf)
        prefixes = {i: (*prefixes[parents[i]], int(tokens[i])) for i in live}
        beams.append([(prefixes[i], float(scores[i])) for i in live])
    return beams


def assert_same_order(
    expected: Sequence[tuple[tuple[int, ...], float]],
    found: Sequence[tuple[tuple[int, ...], float]],
) -> None:
    """Asserts equal lists of (token ids, log-probability), but for swaps of near-ties."""
    scores = dict(expected)
    assert scores.keys() == dict(found).keys()
    assert len(scores) == len(expected) == len(found)
    for (tokens, score), (other, other_score) in zip(expected, found):
        assert tokens == other or abs(scores[other] - score) < NEAR_TIE
        assert other_score == pytest.approx(scores[other], abs=TOLERANCE)
