"""Values that change with the training step."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

import gin
from lang2program_tf.learning.schedules import LinearSchedule
from lang2program_tf.search import RandomizedPaper
from lang2program_tf.search.selection import value_at


def at(schedule, step):
    return float(schedule(tf.constant(step, tf.int64)))


def test_it_goes_in_a_straight_line_and_then_stays():
    schedule = LinearSchedule(start=0.2, end=1.0, steps=400)
    values = [at(schedule, step) for step in (0, 100, 200, 400, 401, 10**9)]
    np.testing.assert_allclose(values, [0.2, 0.4, 0.6, 1, 1, 1], rtol=1e-6)


def test_it_may_wait_first():
    schedule = LinearSchedule(start=0.0, end=1.0, steps=10, wait=600)
    values = [at(schedule, step) for step in (0, 599, 600, 605, 610, 700)]
    np.testing.assert_allclose(values, [0, 0, 0, 0.5, 1, 1])
    with pytest.raises(ValueError, match="wait=-1 must be 0 or more"):
        LinearSchedule(start=0.0, end=1.0, steps=10, wait=-1)


def test_it_may_jump():
    schedule = LinearSchedule(start=0.0, end=1.0, steps=1, wait=600)
    assert [at(schedule, step) for step in (0, 600, 601)] == [0, 0, 1]


def test_it_may_go_down():
    schedule = LinearSchedule(start=0.15, end=0.0, steps=3)
    np.testing.assert_allclose([at(schedule, s) for s in range(5)], [0.15, 0.1, 0.05, 0, 0])


def test_a_constant_stands_wherever_a_schedule_may():
    assert float(value_at(0.25, tf.constant(7, tf.int64))) == 0.25


def test_a_graph_made_once_follows_the_step():
    schedule = LinearSchedule(start=0.0, end=1.0, steps=10)
    follow = tf.function(lambda step: value_at(schedule, step))
    values = [float(follow(tf.constant(step, tf.int64))) for step in (0, 5, 10)]
    assert values == [0, 0.5, 1]
    assert follow.experimental_get_tracing_count() == 1


def test_epsilon_may_be_a_schedule():
    scores = -tf.range(500, dtype=tf.float32)[tf.newaxis, tf.newaxis]
    rule = RandomizedPaper(LinearSchedule(start=1.0, end=0.0, steps=100))

    def share_of_random_draws(step):
        seed, at_step = tf.constant([3, 4]), tf.constant(step, tf.int64)
        return np.mean(rule.draw_once(scores, 400, seed=seed, step=at_step).coins)

    assert share_of_random_draws(0) == 1
    assert share_of_random_draws(50) == pytest.approx(0.5, abs=0.1)
    assert share_of_random_draws(100) == 0


def test_gin_binds_it():
    with gin.unlock_config():
        gin.parse_config(
            """
            LinearSchedule.start = 0.0
            LinearSchedule.end = 1.0
            LinearSchedule.steps = 4
            """
        )
    try:
        assert at(LinearSchedule(), 1) == 0.25
    finally:
        gin.clear_config()


@pytest.mark.parametrize("steps", [0, -3])
def test_it_takes_at_least_one_step(steps):
    with pytest.raises(ValueError, match=f"steps={steps}"):
        LinearSchedule(start=0.0, end=1.0, steps=steps)
