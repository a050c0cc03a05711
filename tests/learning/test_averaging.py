"""Averages of weights are those of tensorflow-addons, with or without it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from lang2program_tf.learning.averaging import WeightAverage, keeps_average, with_average
from lang2program_tf.learning.optimizers import adam, sgd

RANDOM = np.random.default_rng(5)
START = RANDOM.normal(size=[6, 3]).astype(np.float32)
STEPS = RANDOM.normal(size=[30, 6, 3]).astype(np.float32)


def addons(optimizer):
    module = pytest.importorskip("tensorflow_addons", reason="it ends with TensorFlow 2.15")
    return module.optimizers.MovingAverage(optimizer, average_decay=0.7, dynamic_decay=True)


def own(optimizer):
    return WeightAverage(optimizer, average_decay=0.7)


def learn(optimizer, table, steps) -> None:
    for gradient in steps:
        optimizer.apply_gradients([(tf.constant(gradient), table)])


@pytest.mark.parametrize("inner", [adam, lambda: sgd(0.1)])
def test_weights_and_averages_are_those_of_addons(inner):
    tables = []
    for wrap in (addons, own):
        optimizer, table = wrap(inner()), tf.Variable(START)
        learn(optimizer, table, STEPS)
        tables.append((table.numpy(), optimizer.get_slot(table, "average").numpy()))
        optimizer.assign_average_vars([table])
        np.testing.assert_array_equal(table.numpy(), tables[-1][1])
    np.testing.assert_allclose(tables[0], tables[1], atol=1e-6)
    assert np.abs(tables[1][0] - tables[1][1]).max() > 1e-4


def test_the_average_is_moved_after_the_weight_in_a_graph_too():
    optimizer, table = own(sgd(1.0)), tf.Variable(START)
    tf.function(lambda: learn(optimizer, table, STEPS[:1]))()
    np.testing.assert_allclose(table, START - STEPS[0], atol=1e-6)
    average = optimizer.get_slot(table, "average")
    np.testing.assert_allclose(average, 0.1 * START + 0.9 * table, atol=1e-6)


def test_rows_of_a_table_are_averaged_too():
    optimizer, table = own(sgd(1.0)), tf.Variable(START)
    row = tf.IndexedSlices(tf.ones([1, 3]), tf.constant([2]), dense_shape=[6, 3])
    optimizer.apply_gradients([(row, table)])
    expected = START.copy()
    expected[2] -= 1
    np.testing.assert_allclose(table, expected, atol=1e-6)


@pytest.mark.parametrize(("first", "second"), [(addons, own), (own, addons)])
def test_a_run_goes_on_with_the_other_from_its_checkpoint(tmp_path: Path, first, second):
    optimizer, table = first(adam()), tf.Variable(START)
    learn(optimizer, table, STEPS[:20])
    path = tf.train.Checkpoint(optimizer=optimizer, table=table).write(str(tmp_path / "ckpt"))
    learn(optimizer, table, STEPS[20:])
    other, again = second(adam()), tf.Variable(START)
    learn(other, again, STEPS[:1])  # makes its variables
    tf.train.Checkpoint(optimizer=other, table=again).read(path).assert_consumed()
    learn(other, again, STEPS[20:])
    np.testing.assert_allclose(again, table, atol=1e-6)
    np.testing.assert_allclose(
        other.get_slot(again, "average"), optimizer.get_slot(table, "average"), atol=1e-6
    )


def test_an_average_is_known_from_an_optimizer_without():
    assert keeps_average(with_average(adam(), average_decay=0.9))
    assert not keeps_average(adam())
