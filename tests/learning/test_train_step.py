"""A train step: what it changes, what it leaves alone, and what it tells."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from lang2program_tf.learning.baseline import LogisticBaseline
from lang2program_tf.learning.optimizers import adam, averaged, original_adam, sgd
from lang2program_tf.learning.train_step import TrainStep
from lang2program_tf.learning.weights import Meritocratic, Reinforce
from lang2program_tf.log_probs import NEVER
from lang2program_tf.search import RandomizedOriginal
from tests.learning import plain_learning
from tests.learning.small_steps import (
    QUERY_WIDTH,
    Recorder,
    Remembered,
    found_by,
    small_search,
    solvable_examples,
    take_step,
)
from tests.search.toys import programs_of, tensors_of, words_of

OPTIMIZERS = {
    "adam": adam,
    "original_adam": original_adam,
    "sgd": lambda: sgd(0.1),
    "averaged": lambda: averaged(original_adam(), average_decay=0.9),
}


def values_of(step, *optimizers):
    """Everything that learning may change."""
    variables = [*step.parser.trainable_variables]
    for optimizer in (step.optimizer, *optimizers):
        variables += optimizer.variables()
    return [variable.numpy() for variable in variables]


@pytest.fixture(scope="module")
def found():
    """A search, its examples, and what it finds for them."""
    search = small_search("scene", ("tokens",))
    examples = solvable_examples(search)
    return search, examples, found_by(search, examples)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_where_nothing_is_found_nothing_changes(found, optimizer):
    search, examples, tree = found
    step = TrainStep(
        Remembered(search, tree), weights=Meritocratic(0), optimizer=OPTIMIZERS[optimizer]()
    )
    initial = [variable.numpy() for variable in step.parser.trainable_variables]
    take_step(step, examples)  # so that the moments are not zero
    before = values_of(step)
    nothing = tree._replace(rewarded=tf.zeros_like(tree.rewarded))
    step.search = Remembered(search, nothing)
    metrics = take_step(step, examples)
    for name in ("loss", "solved", "rewarded", "reward", "gradient_norm", "decisions", "entropy"):
        assert float(getattr(metrics, name)) == 0, name
    assert float(metrics.complete) > 0
    for old, new in zip(before, values_of(step)):
        np.testing.assert_array_equal(old, new)
    assert int(step.optimizer.iterations) == 1
    for variable, value in zip(step.parser.trainable_variables, initial):
        assert (variable.numpy() != value).any(), variable.name
        variable.assign(value)


def test_programs_of_no_weight_change_nothing(found):
    search, examples, tree = found
    step = TrainStep(Remembered(search, tree), weights=Reinforce(0.0), optimizer=adam())
    initial = [variable.numpy() for variable in step.parser.trainable_variables]
    take_step(step, examples)
    before = values_of(step)
    step.search = Remembered(search, tree._replace(rewarded=tf.zeros_like(tree.rewarded)))
    metrics = take_step(step, examples)
    assert float(metrics.decisions) > 0  # without a baseline, they weigh 0
    for old, new in zip(before, values_of(step)):
        np.testing.assert_array_equal(old, new)
    for variable, value in zip(step.parser.trainable_variables, initial):
        variable.assign(value)


def test_reinforce_learns_from_bad_programs_alone(found):
    search, examples, tree = found
    nothing = tree._replace(rewarded=tf.zeros_like(tree.rewarded))
    recorder = Recorder()
    step = TrainStep(Remembered(search, nothing), weights=Reinforce(0.1), optimizer=recorder)
    metrics = take_step(step, examples)
    assert float(metrics.solved) == 0
    assert float(metrics.decisions) > 0
    assert float(metrics.loss) < 0
    assert np.abs(recorder.gradients["token_embeddings"]).max() > 0


def test_the_cases_of_a_step_are_the_tokens_of_its_rewarded_programs(found):
    search, examples, tree = found
    programs = programs_of(search.machine, tree)
    cases = sum(len(p.tokens) for of_example in programs for p in of_example if p.rewarded)
    assert 0 < cases < sum(len(p.tokens) for of_example in programs for p in of_example)
    for most_cases, in_slices in ((cases - 1, True), (cases, False)):
        recorder = Recorder(most_cases=most_cases)
        step = TrainStep(Remembered(search, tree), weights=Meritocratic(1), optimizer=recorder)
        take_step(step, examples)
        assert recorder.in_slices is in_slices


def test_without_any_complete_program_the_baseline_does_not_change_either(found):
    search, examples, tree = found
    nothing = tree._replace(
        complete=tf.fill(tf.shape(tree.complete), NEVER), rewarded=tf.zeros_like(tree.rewarded)
    )
    baseline = LogisticBaseline(QUERY_WIDTH)
    recorder = Recorder()
    step = TrainStep(
        Remembered(search, tree), weights=Reinforce(0), optimizer=recorder, baseline=baseline
    )
    take_step(step, examples)
    learned = [variable.numpy() for variable in baseline.variables]
    assert any(np.abs(value).max() > 0 for value in learned)
    assert int(baseline.optimizer.iterations) == 1
    step.search = Remembered(search, nothing)
    take_step(step, examples)
    assert int(baseline.optimizer.iterations) == 1
    for variable, value in zip(baseline.variables, learned):
        np.testing.assert_array_equal(variable.numpy(), value)


def test_metrics_tell_how_the_weights_are_spread(found):
    search, examples, tree = found
    step = TrainStep(Remembered(search, tree), weights=Meritocratic(0), optimizer=Recorder())
    metrics = take_step(step, examples)
    counts = tree.num_rewarded.numpy()
    assert counts.min() > 1
    assert float(metrics.solved) == 1
    assert float(metrics.effective) == pytest.approx(counts.mean(), rel=1e-5)
    assert float(metrics.entropy) == pytest.approx(np.log(counts).mean(), rel=1e-5)
    mass = np.exp(tree.complete.numpy())[tree.rewarded.numpy()].sum() / len(examples)
    assert float(metrics.reward) == pytest.approx(mass, rel=1e-5)
    certain = TrainStep(Remembered(search, tree), weights=Meritocratic(50), optimizer=Recorder())
    assert float(take_step(certain, examples).effective) == pytest.approx(1, abs=0.01)


def test_a_baseline_needs_weights_of_all_programs():
    search = small_search("scene", ("tokens",))
    with pytest.raises(ValueError, match="Meritocratic"):
        TrainStep(
            search,
            weights=Meritocratic(0),
            optimizer=adam(),
            baseline=LogisticBaseline(QUERY_WIDTH),
        )


@pytest.mark.slow
def test_in_a_graph_steps_make_the_rewarded_programs_more_probable():
    def new_step():
        search = small_search("scene", ("stack",), selection=RandomizedOriginal(0.1))
        return TrainStep(search, weights=Meritocratic(0), optimizer=original_adam())

    step = new_step()
    examples = solvable_examples(step.search)
    words, tensors = words_of(examples), tensors_of(step.search.machine, examples)

    @tf.function(autograph=False)
    def learn(number):
        return step.run(words, tensors, seed=tf.stack([7, tf.cast(number, tf.int32)]), step=number)

    first = learn(tf.constant(0, tf.int64))
    eager_step = new_step()
    eager = take_step(eager_step, examples, seed=tf.constant([7, 0]))
    tf.nest.map_structure(
        lambda one, other: np.testing.assert_allclose(one, other, rtol=1e-4, atol=2e-5),
        (first, values_of(step)),
        (eager, values_of(eager_step)),
    )
    rewards = [float(learn(tf.constant(n, tf.int64)).reward) for n in range(1, 41)]
    assert learn.experimental_get_tracing_count() == 1
    assert np.mean(rewards[-5:]) > 5 * np.mean(rewards[:5])
    assert 30 < int(step.optimizer.iterations) <= 41  # a random search may find nothing


@pytest.mark.slow
@pytest.mark.parametrize("history", [("tokens",), ("stack",)])
def test_fresh_scores_matter_for_tokens_with_independent_utterances_only(history):
    search = small_search("scene", history, independent_utterances=True)
    examples = solvable_examples(search)[1:]  # of two utterances
    tree = found_by(search, examples)

    def reward_and_gradient(**options):
        recorder = Recorder()
        step = TrainStep(Remembered(search, tree), optimizer=recorder, **options)
        reward = float(take_step(step, examples).reward)
        return reward, recorder.gradients["token_embeddings"]

    domain = search.machine.rules.domain
    fresh = np.mean(
        [
            sum(np.exp(plain_score(search.parser, domain, e, p)) for p in programs if p.rewarded)
            for e, programs in zip(examples, programs_of(search.machine, tree))
        ]
    )
    mml = Meritocratic(1)
    stale_reward, stale = reward_and_gradient(weights=mml)
    fresh_reward, rescored = reward_and_gradient(weights=mml, fresh_scores=True)
    assert fresh_reward == pytest.approx(fresh, rel=1e-4)
    if history == ("stack",):
        assert stale_reward == pytest.approx(fresh, rel=1e-4)
        np.testing.assert_allclose(stale, rescored, atol=1e-5)
    else:
        assert stale_reward != pytest.approx(fresh, rel=1e-2)
        assert np.abs(stale - rescored).max() > 1e-3
    # Equal shares do not ask how probable a program is.
    equal = Meritocratic(0)
    for one, other in zip(
        reward_and_gradient(weights=equal), reward_and_gradient(weights=equal, fresh_scores=True)
    ):
        np.testing.assert_array_equal(one, other)


def plain_score(parser, domain, example, program):
    cases = plain_learning.replay(domain, example, program.tokens)
    return plain_learning.score(parser, domain, cases)[0].numpy().sum()


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_a_checkpoint_holds_all_that_a_step_leaves_behind(found, optimizer, tmp_path):
    _, examples, tree = found

    def new_step():
        again = small_search("scene", ("tokens",))
        return TrainStep(
            Remembered(again, tree), weights=Meritocratic(0), optimizer=OPTIMIZERS[optimizer]()
        )

    def checkpoint(step):
        return tf.train.Checkpoint(parser=step.parser.trainable_variables, train_step=step)

    step = new_step()
    take_step(step, examples)
    path = checkpoint(step).write(str(tmp_path / "saved"))
    take_step(step, examples)

    restored = new_step()
    status = checkpoint(restored).read(path)
    status.assert_consumed()  # before the first step: all variables are there already
    take_step(restored, examples)
    assert int(restored.optimizer.iterations) == 2
    for one, other in zip(values_of(step), values_of(restored)):
        np.testing.assert_array_equal(one, other)
