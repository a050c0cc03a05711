"""The search in plain Python: one example, one prefix and one token after the other.

It runs programs with the language in Python, asks the parser for the scores of one example at a
time, and selects by lists. It has no padding, no masks and no tensors to keep its place in, so that
the search in the graph can be held against it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Callable, NamedTuple

import numpy as np
import tensorflow as tf

from lang2program_tf.language import Continuation, Domain, Outcome, State, World, continuations
from lang2program_tf.machine.features import HistoryFeatures
from lang2program_tf.machine.plain_features import plain_stack_features, plain_tokens_features
from lang2program_tf.model import Parser
from lang2program_tf.search.randomized import Draws, RandomizedOriginal
from lang2program_tf.word_ids import PADDING


class Example(NamedTuple):
    """What is given to a search.

    Attributes:
        world: where programs begin.
        target: where they should end.
        utterances: the word ids of each utterance.
        start: what the first utterances have left, if they are dealt with; None: `world` alone.
    """

    world: World
    target: World
    utterances: Sequence[Sequence[int]]
    start: State | None = None

    @property
    def beginning(self) -> State:
        """The state in which programs begin."""
        return self.start or State(self.world)


class Prefix(NamedTuple):
    """The beginning of a program.

    Attributes:
        tokens: token ids.
        state: the state after them.
        score: their log-probability.
        place: index among all continuations that were tried when it came to be.
        begin: how many of the tokens belong to utterances that are dealt with.
    """

    tokens: tuple[int, ...]
    state: State
    score: float
    place: int
    begin: int


class Program(NamedTuple):
    """A complete program: token ids, log-probability, the world it leads to, and the reward."""

    tokens: tuple[int, ...]
    log_prob: float
    world: World
    rewarded: bool


class Result(NamedTuple):
    """What a search leaves behind.

    Attributes:
        programs: all complete programs, in the order of discovery.
        beams: the live prefixes that each iteration ends with.
        pools: the scores, best first, of what each iteration selected from.
    """

    programs: list[Program]
    beams: list[list[Prefix]]
    pools: list[list[float]]

    @property
    def best_first(self) -> list[Program]:
        return sorted(self.programs, key=lambda program: -program.log_prob)


# Takes the number of the iteration and all that may live on, and gives what does, in order.
Rule = Callable[[int, Sequence[Prefix]], Sequence[Prefix]]


def search(
    parser: Parser,
    domain: Domain,
    example: Example,
    *,
    iterations: int,
    rule: Rule,
    independent_utterances: bool = False,
) -> Result:
    """Searches one example."""
    score = scorer(parser, domain, example, independent_utterances=independent_utterances)
    result = Result([], [], [])
    live: Sequence[Prefix] = [Prefix((), example.beginning, 0.0, place=0, begin=0)]
    for iteration in range(iterations):
        if not live:
            break
        pool = []
        scores = score(live).ravel()  # prefix by prefix, token by token
        for place, (prefix, after) in enumerate(_tried(domain, example, live)):
            token, log_prob = place % len(domain.tokens), prefix.score + float(scores[place])
            tokens = (*prefix.tokens, token)
            if after.outcome is Outcome.TERMINATES:
                world = after.state.world
                result.programs.append(Program(tokens, log_prob, world, world == example.target))
            elif after.outcome is Outcome.CONTINUES:
                same = after.state.utterance == prefix.state.utterance
                begin = prefix.begin if same else len(tokens)
                pool.append(Prefix(tokens, after.state, log_prob, place, begin))
        live = rule(iteration, pool)
        result.beams.append(list(live))
        result.pools.append(sorted((prefix.score for prefix in pool), reverse=True))
    return result


def _tried(
    domain: Domain, example: Example, live: Sequence[Prefix]
) -> Iterator[tuple[Prefix, Continuation]]:
    """Every prefix with every token, and what becomes of it."""
    count = len(example.utterances)
    for prefix in live:
        for after in continuations(domain, prefix.state, num_utterances=count):
            yield prefix, after


def scorer(
    parser: Parser, domain: Domain, example: Example, *, independent_utterances: bool = False
) -> Callable[[Sequence[Prefix]], np.ndarray]:
    """A function that gives the log-probabilities [prefixes, V] of all tokens after prefixes."""
    longest = max(len(words) for words in example.utterances)
    padded = [[*words, *[PADDING] * (longest - len(words))] for words in example.utterances]
    memory = parser.read(tf.constant(padded)[tf.newaxis])

    def score(prefixes: Sequence[Prefix]) -> np.ndarray:
        seen = [p.tokens[p.begin if independent_utterances else 0 :] for p in prefixes]
        history = HistoryFeatures(
            plain_tokens_features(seen),
            plain_stack_features(domain, [p.state.stack for p in prefixes]),
        )
        history = tf.nest.map_structure(lambda part: part[tf.newaxis], history)
        utterance = tf.constant([[p.state.utterance for p in prefixes]])
        return parser.score(memory, history, utterance).log_probs[0].numpy()

    return score


def classic(beam_size: int) -> Rule:
    """The best; `sorted` keeps the order of generation where scores tie."""
    return lambda _, pool: sorted(pool, key=lambda prefix: -prefix.score)[:beam_size]


def randomized(rule: type, draws: Draws, row: int) -> Rule:
    """A randomized rule with the random numbers [T, B, ...] of which it is to use a row."""

    def select(iteration: int, pool: Sequence[Prefix]) -> Sequence[Prefix]:
        keys = draws.keys[iteration, row].numpy()
        taken = one_by_one(
            rule,
            [prefix.score for prefix in pool],
            draws.coins[iteration, row].numpy(),
            [keys[prefix.place] for prefix in pool],
        )
        return [pool[place] for place in taken]

    return select


def one_by_one(
    rule: type, scores: Sequence[float], coins: Sequence[bool], keys: Sequence[float]
) -> list[int]:
    """The definition of the randomized rules, draw by draw: indices of what is taken, in order."""
    ranked = sorted(range(len(scores)), key=lambda i: -scores[i])
    if rule is RandomizedOriginal and len(ranked) <= len(coins):
        return ranked
    remaining = list(ranked)
    taken = []
    for draw, coin in enumerate(coins):
        if not remaining:
            break
        greedy = ranked[draw] if rule is RandomizedOriginal else remaining[0]
        uniform = coin or greedy not in remaining
        chosen = min(remaining, key=lambda i: keys[i]) if uniform else greedy
        remaining.remove(chosen)
        taken.append(chosen)
    return taken
