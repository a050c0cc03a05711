"""A search with a parser that holds NaN or infinity stops, and says where it is."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from lang2program_tf.errors import UserError
from lang2program_tf.machine import get_machine
from lang2program_tf.search import BeamSearch
from lang2program_tf.search.non_finite import NonFiniteError, blame_non_finite
from tests.search.toys import run, tensors_of, toy_examples, toy_parser, words_of

VARIABLES = [
    "encoder/forward/kernel",
    "encoder/forward/recurrent_kernel",
    "encoder/forward/bias",
    "encoder/backward/kernel",
    "encoder/backward/recurrent_kernel",
    "encoder/backward/bias",
    "token_embeddings",
    "primitive_embeddings",
    "stack_history/objects/kernel",
    "stack_history/objects/bias",
    "decoder/query_0/kernel",
    "decoder/query_0/bias",
    "decoder/query_1/kernel",
    "decoder/query_1/bias",
    "decoder/attention/kernel",
    "decoder/attention/bias",
    "decoder/query_scorer/kernel",
    "decoder/query_scorer/bias",
    "decoder/context_scorer/kernel",
    "decoder/context_scorer/bias",
]


@pytest.fixture(scope="module")
def parser():
    return toy_parser("tangrams")


@pytest.fixture(scope="module")
def find(parser):
    """Searches in a graph, and gives the numbers of programs found."""
    search = BeamSearch(get_machine("tangrams"), parser, beam_size=8)
    examples = toy_examples("tangrams")
    inputs = (words_of(examples), tensors_of(search.machine, examples))
    function = tf.function(lambda *inputs: run(search, *inputs).num_complete, autograph=False)
    return lambda: function(*inputs)


@pytest.fixture
def put(parser):
    """Puts a value in the middle of a variable; afterwards everything is as it was."""
    before = [variable.numpy() for variable in parser.trainable_variables]

    def put_value(name: str, value: float) -> None:
        (variable,) = (v for v in parser.trainable_variables if v.name == f"{name}:0")
        values = variable.numpy()
        values.flat[values.size // 2] = value
        variable.assign(values)

    yield put_value
    for variable, values in zip(parser.trainable_variables, before):
        variable.assign(values)


def test_a_sound_parser_finds_programs(parser, find):
    with blame_non_finite(parser):
        assert tf.reduce_sum(find()) > 0


def test_the_list_above_names_all_trained_variables(parser):
    assert [variable.name for variable in parser.trainable_variables] == [
        f"{name}:0" for name in VARIABLES
    ]


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("name", VARIABLES)
def test_a_value_that_is_not_finite_stops_the_search_and_is_named(name, value, parser, find, put):
    put(name, value)
    message = f"token scores are not finite: variable {name} holds NaN or infinity"
    with pytest.raises(NonFiniteError, match=message), blame_non_finite(parser):
        find()


def test_scores_that_overflow_are_told_from_bad_variables(parser, find, put):
    put("decoder/query_scorer/bias", 3e38)
    put("token_embeddings", 3e38)
    with pytest.raises(NonFiniteError, match="all variables are finite"), blame_non_finite(parser):
        find()


def test_it_is_an_error_that_people_see(parser, find, put):
    put("token_embeddings", np.nan)
    with pytest.raises(UserError), blame_non_finite(parser):
        find()


def test_other_errors_pass_unchanged(parser):
    with pytest.raises(tf.errors.InvalidArgumentError, match="wrong"), blame_non_finite(parser):
        tf.debugging.assert_equal(1, 2, message="wrong")
