"""A search whose loop XLA compiles finds the same, and is compiled once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from lang2program_tf.machine import get_machine
from lang2program_tf.search import BeamSearch, Classic, RandomizedOriginal, Rollouts
from tests.scripts import output_of
from tests.search.toys import run, tensors_of, toy_examples, toy_parser, words_of
from tests.xla_dumps import flags, num_compiled_loops

pytestmark = pytest.mark.slow

CASES = [
    ("alchemy", Classic()),
    ("scene", RandomizedOriginal(epsilon=0.3)),
    ("tangrams", Rollouts(epsilon=0.3)),
]


def graph_of(domain, rule, *, jit_compile):
    """A search as a graph, and what to call it with."""
    machine, examples = get_machine(domain), toy_examples(domain)
    search = BeamSearch(
        machine, toy_parser(domain), beam_size=6, selection=rule, jit_compile=jit_compile
    )
    graph = tf.function(lambda *inputs: run(search, *inputs, keep_prefixes=True), autograph=False)
    return graph, (words_of(examples), tensors_of(machine, examples))


@pytest.mark.parametrize(
    ("domain", "rule"),
    CASES,
    ids=lambda part: part if isinstance(part, str) else type(part).__name__,
)
def test_it_finds_the_same(domain, rule):
    plain, inputs = graph_of(domain, rule, jit_compile=False)
    compiled, _ = graph_of(domain, rule, jit_compile=True)
    expected, found = plain(*inputs), compiled(*inputs)
    assert len(expected.score) > 3  # iterations
    for part, other in zip(tf.nest.flatten(expected), tf.nest.flatten(found)):
        np.testing.assert_allclose(part, other, rtol=1e-5)


@pytest.mark.parametrize("jit_compile", [False, True])
def test_the_graph_needs_xla_only_if_asked(jit_compile):
    graph, inputs = graph_of("tangrams", Classic(), jit_compile=jit_compile)
    definition = graph.get_concrete_function(*inputs).graph.as_graph_def()
    attributes = {name for function in definition.library.function for name in function.attr}
    assert ("_XlaMustCompile" in attributes) == jit_compile


def test_batches_of_other_words_and_lengths_are_not_compiled_again(tmp_path):
    output = output_of(Path(__file__).with_name("compile_batches.py"), XLA_FLAGS=flags(tmp_path))
    assert int(output) > 0
    assert num_compiled_loops(tmp_path) == 1
