"""Selection by sampling: what may be drawn, and how often it is."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import tensorflow as tf

from lang2program_tf.language import State, continuations, get_domain, trace
from lang2program_tf.log_probs import NEVER
from lang2program_tf.machine import get_machine
from lang2program_tf.model import Parser
from lang2program_tf.search import (
    BeamSearch,
    Rollouts,
    SearchTree,
)
from lang2program_tf.search.selection import Candidates, Choice, Selection
from tests.search import reference
from tests.search.reference import Prefix
from tests.search.toys import programs_of, run, tensors_of, toy_examples, toy_parser, words_of

# Five tokens, of which the last two are actions.
ACTIONS = [3, 4]
LOG_PROBS = np.log(np.array([0.1, 0.35, 0.25, 0.1, 0.2], np.float32))
# What becomes of a prefix with each of them: goes on, is complete, or may not follow.
ALL_GO_ON = "....."
ROWS = 20_000


def candidates_of(
    outcomes: list[str],
    *,
    rows: int = ROWS,
    scores: list[float] | None = None,
) -> Candidates:
    """`rows` times the same prefixes, each written as what becomes of it with each token.

    Args:
        outcomes: for each prefix, a letter a token: `.` goes on, `!` is complete, `x` may not be.
        rows: how many examples.
        scores: log-probabilities of the prefixes, 0 by default.
    """
    letters = np.array([list(prefix) for prefix in outcomes])  # [K, V]
    total = np.zeros([len(outcomes), 1]) if scores is None else np.array(scores)[:, np.newaxis]
    total = (total + LOG_PROBS).astype(np.float32)
    terminal = np.where(letters == "!", total, NEVER)[:, ACTIONS]
    parts = [
        np.where(letters == ".", total, NEVER),
        np.broadcast_to(LOG_PROBS, total.shape),
        terminal,
    ]
    tensors = [tf.constant(np.repeat(part[np.newaxis], rows, axis=0), tf.float32) for part in parts]
    return Candidates._make([*tensors, tf.constant(ACTIONS)])


def select(
    rule: Selection, candidates: Candidates, *, beam_size: int = 2, seed: int = 1, step: int = 0
) -> Choice:
    """What the rule chooses, as arrays."""
    choice = rule.select(
        candidates,
        beam_size=beam_size,
        seed=tf.constant([seed, 2]),
        step=tf.constant(step, tf.int64),
    )
    return Choice(*(part.numpy() for part in choice))


def assert_frequencies(counts: np.ndarray, probabilities: np.ndarray) -> None:
    """Chi-square test at the level of 0.1 %."""
    expected = counts.sum() * probabilities
    possible = expected > 0
    assert (counts[~possible] == 0).all()
    statistic = np.sum((counts - expected)[possible] ** 2 / expected[possible])
    freedom = possible.sum() - 1
    spread = 2 / (9 * freedom)  # quantile by Wilson and Hilferty
    assert statistic < freedom * (1 - spread + 3.09 * np.sqrt(spread)) ** 3


def softmax(logits: np.ndarray) -> np.ndarray:
    weights = np.exp(logits)
    return weights / weights.sum()


# Rollouts


def tokens_taken(choice: Choice, rollout: int) -> np.ndarray:
    """[rows] the token that a rollout takes, be the program complete with it or not; −1: none."""
    alive, taken = choice.alive[:, rollout], choice.taken[:, rollout]
    assert (alive + taken.sum(axis=-1) <= 1).all()  # one continuation a rollout
    assert (choice.index[alive, rollout] // len(LOG_PROBS) == rollout).all()  # each its own
    tokens = np.where(alive, choice.index[:, rollout] % len(LOG_PROBS), -1)
    return np.where(taken.any(axis=-1), np.take(ACTIONS, taken.argmax(axis=-1)), tokens)


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("gamma", [0.5, 1.0, 3.0])
def test_a_rollout_takes_survivors_by_softmax_of_gamma_or_uniformly(epsilon, gamma):
    outcomes = [".x.!!", "x..xx"]
    rule = Rollouts(epsilon=epsilon, gamma=gamma)
    choice = select(rule, candidates_of(outcomes, scores=[-1.0, -7.0]))
    for rollout, letters in enumerate(outcomes):
        survives = np.array(list(letters)) != "x"
        by_score = softmax(np.where(survives, gamma * LOG_PROBS, NEVER))
        expected = epsilon * survives / survives.sum() + (1 - epsilon) * by_score
        taken = tokens_taken(choice, rollout)
        assert (taken >= 0).all()
        assert_frequencies(np.bincount(taken, minlength=len(LOG_PROBS)), expected)


def test_rollouts_are_independent_and_may_repeat():
    choice = select(Rollouts(epsilon=0.0), candidates_of([ALL_GO_ON, ALL_GO_ON]))
    first, second = (tokens_taken(choice, rollout) for rollout in (0, 1))
    pairs = np.bincount(first * len(LOG_PROBS) + second, minlength=len(LOG_PROBS) ** 2)
    assert_frequencies(pairs, np.outer(np.exp(LOG_PROBS), np.exp(LOG_PROBS)).ravel())


def test_a_rollout_without_a_survivor_dies_and_the_others_go_on():
    choice = select(Rollouts(epsilon=0.5), candidates_of(["xxxxx", "xx.xx"], rows=50))
    assert (tokens_taken(choice, 0) == -1).all()
    assert (tokens_taken(choice, 1) == 2).all()


def test_a_dead_rollout_stays_dead():
    candidates = candidates_of([".x..!", "....."], scores=[NEVER, 0.0], rows=50)
    choice = select(Rollouts(epsilon=1.0), candidates)
    assert (tokens_taken(choice, 0) == -1).all()
    assert (tokens_taken(choice, 1) >= 0).all()


def test_a_complete_program_is_the_end_of_its_rollout():
    choice = select(Rollouts(epsilon=0.0), candidates_of(["xxx!x", "xxxx!"], rows=1))
    assert not choice.alive.any()
    assert choice.taken[0].tolist() == [[True, False], [False, True]]


def test_with_lookahead_all_that_could_end_is_kept_and_the_rollout_goes_on():
    rule = Rollouts(epsilon=0.3, lookahead=True)
    choice = select(rule, candidates_of([".x.!!", "xxxx!"]))
    assert choice.taken[:, 0].all()
    assert (choice.taken[:, 1] == [False, True]).all()
    assert not choice.alive[:, 1].any()  # nothing is left to go on with
    goes_on = np.array([True, False, True, False, False])
    by_score = softmax(np.where(goes_on, LOG_PROBS, NEVER))
    drawn = np.bincount(choice.index[:, 0] % len(LOG_PROBS), minlength=len(LOG_PROBS))
    assert_frequencies(drawn, 0.3 * goes_on / 2 + 0.7 * by_score)


EXAMPLE = toy_examples("tangrams")[0]
TANGRAMS = get_domain("tangrams")


@pytest.fixture(scope="module")
def rollout_search() -> BeamSearch:
    return BeamSearch(
        get_machine("tangrams"),
        toy_parser("tangrams"),
        beam_size=4096,
        selection=Rollouts(epsilon=0.0),
    )


def rollouts_of(search: BeamSearch, seed: int) -> SearchTree:
    tensors = tensors_of(search.machine, [EXAMPLE])
    return run(search, words_of([EXAMPLE]), tensors, seed=tf.constant([seed, 0]))


def probabilities_of(parser: Parser, tokens: tuple[int, ...]) -> tuple[float, float]:
    """The log-probability of a program, and the probability that a rollout finds it."""
    names = [TANGRAMS.tokens[token] for token in tokens]
    states = [State(EXAMPLE.world), *trace(TANGRAMS, EXAMPLE.world, names)][:-1]
    prefixes = [Prefix(tokens[:i], state, 0.0, 0, 0) for i, state in enumerate(states)]
    log_probs = reference.scorer(parser, TANGRAMS, EXAMPLE)(prefixes)
    survives = [
        [c.outcome.survives for c in continuations(TANGRAMS, state, num_utterances=1)]
        for state in states
    ]
    taken = log_probs[range(len(tokens)), tokens]
    renormalised = taken - np.log(np.sum(np.exp(log_probs) * survives, axis=1))
    return float(taken.sum()), float(np.exp(renormalised.sum()))


def test_rollouts_find_programs_as_often_as_the_model_says(rollout_search):
    parser, rollouts = rollout_search.parser, rollout_search.beam_size
    tree = rollouts_of(rollout_search, seed=4)
    (found,) = programs_of(rollout_search.machine, tree)
    for program in set(found):
        log_prob, _ = probabilities_of(parser, program.tokens)
        assert program.log_prob == pytest.approx(log_prob, abs=1e-4)
        assert program.rewarded == (program.world == EXAMPLE.target)
    counts = Counter(program.tokens for program in found)
    rule = reference.classic(128)
    known = reference.search(parser, TANGRAMS, EXAMPLE, iterations=7, rule=rule).programs
    expected = {p.tokens: probabilities_of(parser, p.tokens)[1] for p in known}
    cells = [tokens for tokens, p in expected.items() if rollouts * p > 5]
    assert len(cells) >= 3
    each = [expected[tokens] for tokens in cells]
    assert_frequencies(
        np.array([*(counts[tokens] for tokens in cells), rollouts - sum(counts[t] for t in cells)]),
        np.array([*each, 1 - sum(each)]),
    )


def test_a_seed_gives_the_same_rollouts_again_and_another_gives_others(rollout_search):
    one, again, other = (rollouts_of(rollout_search, seed) for seed in (4, 4, 5))
    tf.nest.map_structure(np.testing.assert_array_equal, one, again)
    assert not np.array_equal(one.token[:4], other.token[:4])


# Schedules


def tokens_of(choice: Choice) -> np.ndarray:
    return choice.index[:, 0] % len(LOG_PROBS)


def test_gamma_may_be_a_schedule_and_sharpens():
    rule = Rollouts(epsilon=0.0, gamma=lambda step: tf.cast(step, tf.float32))
    candidates = candidates_of([ALL_GO_ON])
    for step, gamma in ((0, 0.0), (2, 2.0)):
        choice = select(rule, candidates, beam_size=1, step=step)
        counts = np.bincount(tokens_of(choice), minlength=len(LOG_PROBS))
        assert_frequencies(counts, softmax(gamma * LOG_PROBS))
    sharp = select(rule, candidates, beam_size=1, step=1000)
    assert (tokens_of(sharp) == LOG_PROBS.argmax()).all()


def test_epsilon_of_rollouts_may_be_a_schedule():
    rule = Rollouts(epsilon=lambda step: 1.0 / tf.cast(step, tf.float32), gamma=1000.0)
    for step in (1, 4):
        choice = select(rule, candidates_of([ALL_GO_ON]), beam_size=1, step=step)
        counts = np.bincount(tokens_of(choice), minlength=len(LOG_PROBS))
        best = np.arange(len(LOG_PROBS)) == LOG_PROBS.argmax()
        assert_frequencies(counts, 1 / step / len(LOG_PROBS) + (1 - 1 / step) * best)
