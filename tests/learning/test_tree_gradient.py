"""The gradient on the prefix tree is the gradient of every token of every program."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import tensorflow as tf

from lang2program_tf.learning.baseline import LogisticBaseline
from lang2program_tf.learning.train_step import TrainStep
from lang2program_tf.learning.weights import Meritocratic, Reinforce, ReinforceOriginal
from lang2program_tf.search import Rollouts
from tests.learning import plain_learning
from tests.learning.plain_learning import Case
from tests.learning.small_steps import (
    PARSERS,
    QUERY_WIDTH,
    Recorder,
    Remembered,
    found_by,
    small_search,
    solvable_examples,
    take_step,
)
from tests.search.toys import programs_of

pytestmark = pytest.mark.slow

TOLERANCE = 1e-5
# Rollouts of this parser lead to the target several times, some of them by the same program.
ROLLOUTS = {"history": ("tokens", "stack"), "seed": 25, "beam_size": 64}


class Found:
    """The programs that a search finds, taken apart into cases.

    Attributes:
        search: gives them again.
        examples: what was searched.
        programs: of each example, as (log-probability, rewarded, cases).
    """

    def __init__(self, search):
        self.domain = search.machine.rules.domain
        self.examples = solvable_examples(search)
        tree = found_by(search, self.examples)
        self.search = Remembered(search, tree)
        self.programs = []
        for example, programs in zip(self.examples, programs_of(search.machine, tree)):
            replayed = [plain_learning.replay(self.domain, example, p.tokens) for p in programs]
            scores = [self.log_probs(cases).numpy().sum() for cases in replayed]
            rewarded = [program.rewarded for program in programs]
            self.programs.append(list(zip(scores, rewarded, replayed)))

    def log_probs(self, cases):
        return plain_learning.score(self.search.parser, self.domain, cases)[0]

    def gradient(self, weigh):
        """The plain gradient, if `weigh` gives [n] weights from [n] p(z) and [n] rewards."""
        cases: list[Case] = []
        weights: list[float] = []
        for programs in self.programs:
            scores, rewarded, replayed = zip(*programs)
            shares = weigh(np.exp(np.array(scores, np.float64)), np.array(rewarded))
            for share, program in zip(shares, replayed):
                cases += program
                weights += [share] * len(program)
        return plain_learning.gradient(self.search.parser, self.domain, cases, weights)


def assert_equal(expected, metrics, recorder):
    """Asserts that a step has followed the plain gradient."""
    assert float(metrics.loss) == pytest.approx(expected.loss, rel=TOLERANCE)
    assert recorder.gradients.keys() == expected.by_variable.keys()
    assert recorder.squares.keys() == expected.squares.keys()
    for expected_arrays, arrays in (
        (expected.by_variable, recorder.gradients),
        (expected.squares, recorder.squares),
    ):
        for name, array in expected_arrays.items():
            largest = np.abs(array).max()
            assert largest > 0, name
            np.testing.assert_allclose(arrays[name], array, atol=TOLERANCE * largest, rtol=0)
    norm = np.sqrt(sum(np.square(g).sum() for g in expected.by_variable.values()))
    assert float(metrics.gradient_norm) == pytest.approx(norm, rel=1e-4)


def power(beta):
    """q_β."""

    def weigh(p, rewarded):
        q = np.where(rewarded, p, 0) / p[rewarded].sum()
        return np.where(rewarded, q**beta, 0) / (q[rewarded] ** beta).sum()

    return weigh


RULES = {
    "equal shares": (Meritocratic(0), power(0)),
    "beta 0.25": (Meritocratic(0.25), power(0.25)),
    "mml": (Meritocratic(1), power(1)),
    "q_RL": (Meritocratic(1, alpha=0), lambda p, rewarded: np.where(rewarded, p, 0) / 1),
    "reinforce on a beam": (Reinforce(0.1), lambda p, rewarded: rewarded - 0.1),
}


@pytest.fixture(scope="module", params=PARSERS, ids=lambda key: f"{key[0]}-{'+'.join(key[1])}")
def found(request):
    domain, history = request.param
    return Found(small_search(domain, history))


@pytest.mark.parametrize("name", RULES)
def test_it_equals_the_plain_gradient(found, name):
    rule, plain_rule = RULES[name]
    recorder = Recorder()
    metrics = take_step(TrainStep(found.search, weights=rule, optimizer=recorder), found.examples)
    assert_equal(found.gradient(plain_rule), metrics, recorder)
    rewarded = [sum(r for _, r, _ in programs) for programs in found.programs]
    assert max(rewarded) > 1  # or else there is nothing to share
    assert float(metrics.rewarded) == np.mean(rewarded)
    assert float(metrics.complete) == np.mean([len(programs) for programs in found.programs])


def test_programs_share_their_beginnings(found):
    metrics = take_step(
        TrainStep(found.search, weights=Reinforce(0.1), optimizer=Recorder()), found.examples
    )
    cases = [cases for programs in found.programs for _, _, cases in programs]
    assert float(metrics.decisions) < sum(map(len, cases))
    distinct = {
        (example, tuple(case.tokens), case.choice)
        for example, programs in enumerate(found.programs)
        for _, _, cases in programs
        for case in cases
    }
    assert float(metrics.decisions) == len(distinct)


@pytest.fixture(scope="module")
def rolled_out():
    found = Found(small_search("tangrams", selection=Rollouts(0.3), **ROLLOUTS))
    programs = [[case.choice for case in cases] for p in found.programs for _, _, cases in p]
    assert any(programs.count(program) > 1 for program in programs)
    assert any(not rewarded for p in found.programs for _, rewarded, _ in p)
    return found


@pytest.mark.parametrize(
    ("rule", "plain_rule"),
    [
        (Reinforce(0.01), lambda p, rewarded: rewarded - 0.01),
        (ReinforceOriginal(0.01), lambda p, rewarded: np.where(rewarded, 1, -0.01)),
    ],
    ids=["R - c", "1 or -c"],
)
def test_rollouts_count_as_often_as_they_are_drawn(rolled_out, rule, plain_rule):
    recorder = Recorder()
    step = TrainStep(rolled_out.search, weights=rule, optimizer=recorder)
    metrics = take_step(step, rolled_out.examples)
    assert_equal(rolled_out.gradient(plain_rule), metrics, recorder)


def test_where_all_programs_fail_they_are_pushed_down_as_far_as_the_baseline_says(rolled_out):
    tree = rolled_out.search.explore()
    failed = tree._replace(rewarded=tf.zeros_like(tree.rewarded))
    search = Remembered(rolled_out.search, failed)
    recorder = Recorder()
    step = TrainStep(search, weights=ReinforceOriginal(0.01), optimizer=recorder)
    metrics = take_step(step, rolled_out.examples)
    expected = rolled_out.gradient(lambda p, rewarded: np.full(len(p), -0.01))
    assert_equal(expected, metrics, recorder)
    # The loss is c Σ log p: it has no lower bound, and going down lowers all that was drawn.
    scores = [score for programs in rolled_out.programs for score, _, _ in programs]
    assert float(metrics.loss) == pytest.approx(0.01 * sum(scores), rel=1e-4) and sum(scores) < 0


def test_a_rollout_that_completes_nothing_weighs_nothing(rolled_out):
    tree = rolled_out.search.explore()
    nothing = tree._replace(
        complete=tf.fill(tf.shape(tree.complete), -np.inf),
        rewarded=tf.zeros_like(tree.rewarded),
    )
    search = Remembered(rolled_out.search, nothing)
    step = TrainStep(search, weights=ReinforceOriginal(0.01), optimizer=Recorder())
    metrics = take_step(step, rolled_out.examples)
    assert (float(metrics.loss), float(metrics.gradient_norm)) == (0.0, 0.0)


def test_weights_that_cancel_out_keep_their_squares(found):
    # With a constant of 1/2, a decision that as many good as bad programs share has no gradient.
    balance: Counter[object] = Counter()
    for example, programs in enumerate(found.programs):
        for _, rewarded, cases in programs:
            for case in cases:
                balance[example, tuple(case.tokens), case.choice] += 1 if rewarded else -1
    assert 0 in balance.values()
    recorder = Recorder()
    step = TrainStep(found.search, weights=Reinforce(0.5), optimizer=recorder)
    metrics = take_step(step, found.examples)
    assert_equal(found.gradient(lambda p, rewarded: rewarded - 0.5), metrics, recorder)


def test_a_learned_baseline_is_subtracted_decision_by_decision(rolled_out):
    recorder = Recorder()
    baseline = LogisticBaseline(QUERY_WIDTH)
    baseline.kernel.assign(np.random.default_rng(3).normal(0, 0.5, QUERY_WIDTH))
    baseline.bias.assign(-0.5)
    cases, weights = [], []
    for programs in rolled_out.programs:
        for _, rewarded, program in programs:
            _, query = plain_learning.score(rolled_out.search.parser, rolled_out.domain, program)
            value = tf.sigmoid(tf.linalg.matvec(query, baseline.kernel) + baseline.bias)
            cases += program
            weights += list(float(rewarded) - value.numpy())
    expected = plain_learning.gradient(rolled_out.search.parser, rolled_out.domain, cases, weights)
    step = TrainStep(rolled_out.search, weights=Reinforce(0), optimizer=recorder, baseline=baseline)
    assert_equal(expected, take_step(step, rolled_out.examples), recorder)
