"""Beams that serve several visits."""

from __future__ import annotations

import functools

import numpy as np
import pytest
import tensorflow as tf

from lang2program_tf.learning.optimizers import original_adam
from lang2program_tf.learning.stale_beams import StaleBeams
from lang2program_tf.learning.train_step import TrainStep
from lang2program_tf.learning.weights import Meritocratic, Reinforce
from lang2program_tf.search import Classic, RandomizedOriginal, Rollouts
from tests.learning.small_steps import small_search, solvable_examples, take_step
from tests.search.toys import programs_of, tensors_of, words_of


@functools.lru_cache
def solvable():
    """Examples of one and two utterances."""
    return solvable_examples(small_search("scene", ("stack",)))


class Visits:
    """Stale beams of two examples, and visits to them.

    The parser changes before every visit, so that a beam that was searched anew can be told from an
    old one by its scores.
    """

    def __init__(self, *, max_age, capacity=32):
        self.search = small_search("scene", ("stack",))
        self.examples = solvable()
        self.beams = StaleBeams(
            self.search, num_examples=2, max_utterances=2, max_age=max_age, capacity=capacity
        )

    def visit(self, *indices):
        """What a batch of these examples gets: the programs of each; and the whole exploration."""
        bias = self.search.parser.decoder.query_scorer.bias
        bias.assign_add(tf.fill(bias.shape, 0.01))
        memory, examples = self._batch(indices)
        explored = self.beams.explore(
            memory,
            examples,
            indices=tf.constant(indices),
            seed=tf.constant([0, 0]),
            step=tf.constant(0, tf.int64),
        )
        return self._rewarded(explored.tree), explored

    def search_anew(self, *indices):
        """What a search finds with the present parser: the rewarded programs of each example."""
        memory, examples = self._batch(indices)
        return self._rewarded(self.search.search(memory, examples, seed=[0, 0]))

    def _batch(self, indices):
        words = tf.gather(words_of(self.examples), indices)
        examples = tensors_of(self.search.machine, self.examples).of_examples(tf.constant(indices))
        return self.search.parser.read(words, examples), examples

    def _rewarded(self, tree):
        return [
            {p.tokens: p.log_prob for p in programs if p.rewarded}
            for programs in programs_of(self.search.machine, tree)
        ]


def test_a_beam_serves_as_many_visits_as_its_age_allows():
    visits = Visits(max_age=3)
    first, explored = visits.visit(0, 1)
    searched = [int(explored.searched)]
    assert first == visits.search_anew(0, 1)
    assert all(first)
    for _ in range(2):
        again, explored = visits.visit(0, 1)
        searched.append(int(explored.searched))
        assert again == first  # with the scores of old
    renewed, explored = visits.visit(0, 1)
    searched.append(int(explored.searched))
    assert renewed == visits.search_anew(0, 1)
    assert renewed != first
    assert searched == [2, 0, 0, 2]
    assert list(visits.beams.age.numpy()) == [1, 1]


def test_with_age_one_nothing_is_ever_stale():
    visits = Visits(max_age=1)
    for _ in range(2):
        found, explored = visits.visit(0, 1)
        assert int(explored.searched) == 2
        assert all(found)
        assert found == visits.search_anew(0, 1)


def test_only_expired_examples_of_a_batch_are_searched():
    visits = Visits(max_age=2)
    (first,), _ = visits.visit(1)
    found, explored = visits.visit(0, 1)
    assert int(explored.searched) == 1
    assert all(found)
    anew, kept = found
    assert kept == first
    assert anew == pytest.approx(visits.search_anew(0)[0])
    assert list(visits.beams.age.numpy()) == [1, 2]
    _, explored = visits.visit(0, 1)
    assert int(explored.searched) == 1
    assert list(visits.beams.age.numpy()) == [2, 1]


def test_an_example_that_a_batch_holds_twice_is_searched_once():
    visits = Visits(max_age=2)
    found, explored = visits.visit(1, 1)
    assert int(explored.searched) == 1
    assert all(found)
    assert found == visits.search_anew(1) * 2
    assert list(visits.beams.age.numpy()) == [0, 1]


def test_programs_that_find_no_room_are_counted():
    visits = Visits(max_age=1, capacity=1)
    kept, explored = visits.visit(0, 1)
    every = visits.search_anew(0, 1)
    assert int(explored.overflow) == sum(map(len, every)) - 2 > 0
    for programs, all_programs in zip(kept, every):
        best = max(all_programs, key=all_programs.get)
        assert programs == {best: all_programs[best]}


def test_a_search_that_finds_nothing_is_remembered_too():
    visits = Visits(max_age=2)
    unreachable = visits.examples[0].world  # what is on the table already
    visits.examples = [example._replace(target=unreachable) for example in visits.examples]
    assert visits.visit(0, 1)[0] == [{}, {}]
    _, explored = visits.visit(0, 1)
    assert int(explored.searched) == 0
    assert not np.any(explored.tree.num_complete)


def test_beams_and_their_ages_survive_a_checkpoint(tmp_path):
    visits = Visits(max_age=3)
    visits.visit(0)
    first, _ = visits.visit(0, 1)
    assert all(first)
    path = tf.train.Checkpoint(beams=visits.beams).write(str(tmp_path / "saved"))
    resumed = Visits(max_age=3)
    tf.train.Checkpoint(beams=resumed.beams).read(path).assert_consumed()
    assert list(resumed.beams.age.numpy()) == [2, 1]
    found, explored = resumed.visit(0, 1)
    assert int(explored.searched) == 0
    assert found == first
    assert int(resumed.visit(0, 1)[1].searched) == 1


def new_step(max_age, selection=None):
    """A train step with stale beams of this age, or None."""
    stale_beams = max_age and functools.partial(StaleBeams, max_age=max_age)
    return TrainStep(
        small_search("scene", ("stack",), selection=selection),
        weights=Meritocratic(0.5),
        optimizer=original_adam(),
        stale_beams=stale_beams,
        num_examples=5,
        max_utterances=2,
    )


def learn(step, *, steps, size=2):
    """Metrics of steps on one batch of this size."""
    examples, indices = solvable()[:size], tf.constant([4, 2][:size])
    return [
        take_step(step, examples, seed=tf.constant([3, n]), indices=indices) for n in range(steps)
    ]


@pytest.mark.parametrize(("selection", "size"), [(Classic(), 2), (RandomizedOriginal(0.05), 1)])
def test_learning_with_beams_of_age_one_is_learning_from_fresh_searches(selection, size):
    """With chance one example only: the halves of a batch draw each for itself."""
    fresh, stale = new_step(None, selection), new_step(1, selection)
    for expected, found in zip(learn(fresh, steps=2, size=size), learn(stale, steps=2, size=size)):
        assert float(expected.rewarded) > 0
        assert float(found.searched) == 1
        # All but the number of complete programs, of which stale beams know only the rewarded ones.
        for name in sorted(set(expected._fields) - {"complete"}):
            np.testing.assert_allclose(
                getattr(found, name), getattr(expected, name), rtol=1e-4, err_msg=name
            )
    for one, other in zip(fresh.parser.trainable_variables, stale.parser.trainable_variables):
        np.testing.assert_allclose(one, other, atol=1e-5)


def test_learning_goes_on_from_old_beams():
    metrics = learn(new_step(3), steps=4)
    assert [float(m.searched) for m in metrics] == [1, 0, 0, 1]
    assert float(metrics[0].reward) == float(metrics[2].reward)  # as probable as when found
    assert float(metrics[2].loss) < float(metrics[0].loss)
    assert float(metrics[3].reward) != float(metrics[0].reward)


@pytest.mark.parametrize("option", [{"max_age": 0}, {"max_age": 1, "capacity": 0}])
def test_ages_and_capacities_are_positive(option):
    search = small_search("scene", ("stack",))
    with pytest.raises(ValueError, match="=0 must be 1 or more"):
        StaleBeams(search, num_examples=2, max_utterances=2, **option)


def test_samples_are_never_stale():
    search = small_search("scene", ("stack",), selection=Rollouts(0.1))
    with pytest.raises(ValueError, match="Rollouts"):
        StaleBeams(search, num_examples=2, max_utterances=2, max_age=2)


def test_what_does_not_go_with_stale_beams_is_refused():
    stale_beams = functools.partial(StaleBeams, max_age=2)
    options = {"optimizer": original_adam(), "stale_beams": stale_beams}
    search = small_search("scene", ("stack",))
    with pytest.raises(ValueError, match="Reinforce"):
        TrainStep(search, weights=Reinforce(0), num_examples=2, max_utterances=2, **options)
    with pytest.raises(ValueError, match="num_examples"):
        TrainStep(search, weights=Meritocratic(0), **options)
    step = new_step(2)
    with pytest.raises(ValueError, match="indices=None"):
        take_step(step, solvable())
