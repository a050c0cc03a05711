from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

import gin
from lang2program_tf.language import get_domain
from lang2program_tf.learning.priors import NamingPrior


def log_prior(prior: NamingPrior, domain: str, *programs: str) -> list[float]:
    language = get_domain(domain)
    rows = np.full([len(programs), 7], -1, np.int8)
    for row, program in zip(rows, programs):
        tokens = [language.token_id(language.token(name)) for name in program.split()]
        row[: len(tokens)] = tokens
    return prior(language, tf.constant(rows)).numpy().tolist()


def test_an_index_costs_and_the_number_in_it_does_not():
    prior = NamingPrior(index_nats=2.0, number_nats=0.5)
    found = log_prior(
        prior, "scene", "allObjects 1 index leave", "red hasShirt leave", "-1 prevArg1 leave"
    )
    assert found == [-2, 0, 0]


def test_a_bare_number_costs_wherever_it_stands():
    prior = NamingPrior(index_nats=2.0, number_nats=0.5)
    found = log_prior(
        prior,
        "scene",
        "red hasShirt 3 move",
        "red hasShirt 3 1 prevAction",
        "3 red noHat create",
        "red hasShirt blue hasHat leftOf move",
        "red hasShirt 2 index 5 move",
    )
    assert found == [-0.5, -0.5, -0.5, 0, -2.5]


def test_a_number_at_the_very_end_of_the_row_is_bare():
    prior = NamingPrior(number_nats=1.0)
    assert log_prior(prior, "alchemy", "1 1 1 1 1 1 1") == [-7]


def test_by_default_all_programs_are_alike():
    assert log_prior(NamingPrior(), "tangrams", "allObjects 1 index remove", "1") == [0, 0]


def test_any_leading_axes_will_do_also_in_a_graph():
    prior, language = NamingPrior(index_nats=1.0), get_domain("tangrams")
    index = language.token_id(language.token("index"))
    tokens = tf.constant([[[index, -1], [-1, -1]], [[index, index], [-1, -1]]], tf.int32)
    graph = tf.function(lambda rows: prior(language, rows))
    assert graph(tokens).numpy().tolist() == [[-1, 0], [-2, 0]]


def test_gin_binds_the_costs():
    with gin.unlock_config():
        gin.bind_parameter("NamingPrior.index_nats", 3.0)
    try:
        assert log_prior(NamingPrior(), "tangrams", "allObjects 1 index remove") == [-3]
    finally:
        gin.clear_config()


def test_a_cost_below_zero_is_named():
    with pytest.raises(ValueError, match="number_nats=-1.0 must be 0 or more"):
        NamingPrior(number_nats=-1.0)
