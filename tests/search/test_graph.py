"""The search as one graph: no Python, no second device, no second trace."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.python.framework import kernels

from lang2program_tf.machine import Examples, get_machine
from lang2program_tf.search import (
    BeamSearch,
    Classic,
    RandomizedOriginal,
    RandomizedPaper,
    Rollouts,
    best_programs,
)
from lang2program_tf.search.selection import Candidates
from tests.scripts import output_of
from tests.search.reference import Example
from tests.search.toys import SEEDS, run, tensors_of, toy_examples, toy_parser, words_of

pytestmark = pytest.mark.slow

CALLS_INTO_PYTHON = {"PyFunc", "PyFuncStateless", "EagerPyFunc"}
# Without a GPU kernel: the encoder's reversed words, once a batch, and the parts of an edit.
LEFT_TO_THE_CPU = {("ReverseSequence", "int32"), ("Split", "int32")}
RULES = [
    Classic(),
    RandomizedPaper(epsilon=0.2),
    RandomizedOriginal(epsilon=0.2),
    Rollouts(epsilon=0.2),
]


class Traced:
    """A search in a `tf.function` that counts how often it is traced."""

    def __init__(self, domain: str) -> None:
        self.machine = get_machine(domain)
        self.search = BeamSearch(self.machine, toy_parser(domain), beam_size=6)
        self.traces = 0
        self.function = tf.function(self.find, autograph=False)  # nothing to convert, only slower

    def find(self, words: tf.Tensor, examples: Examples, seed: tf.Tensor, step: tf.Tensor):
        """The tree of a search and the three best programs."""
        self.traces += 1
        tree = run(self.search, words, examples, seed=seed, step=step, keep_prefixes=True)
        return tree, best_programs(self.machine, tree, 3)

    def inputs(self, examples: Sequence[Example], *, seed: int = 0, step: int = 0):
        """A batch, padded to three utterances of five words."""
        history = tf.zeros([len(examples), 3, 3], tf.int32)
        return (
            words_of(examples, utterances=3, words=5),
            tensors_of(self.machine, examples)._replace(history=history),
            tf.constant([seed, 1]),
            tf.constant(step, tf.int64),
        )


@pytest.fixture(scope="module", params=SEEDS)
def traced(request) -> Traced:
    return Traced(request.param)


@pytest.fixture(scope="module")
def examples(traced) -> list[Example]:
    return toy_examples(traced.machine.rules.domain.name)


def nodes_of(function) -> Iterator[tf.compat.v1.NodeDef]:
    """All operations of a concrete function, and of all functions it calls or loops over."""
    graph = function.graph.as_graph_def()
    yield from graph.node
    for called in graph.library.function:
        yield from called.node_def


def test_the_graph_finds_what_the_library_finds_eagerly(traced, examples):
    inputs = traced.inputs(examples)
    (tree, best), (eager_tree, eager_best) = traced.function(*inputs), traced.find(*inputs)
    assert tree.num_complete.numpy().sum() > 0
    np.testing.assert_array_equal(best.tokens, eager_best.tokens)
    np.testing.assert_array_equal(best.rewarded, eager_best.rewarded)
    np.testing.assert_allclose(best.log_prob, eager_best.log_prob, rtol=1e-5)
    np.testing.assert_array_equal(tree.num_complete, eager_tree.num_complete)


def test_no_operation_calls_into_python(traced, examples):
    function = traced.function.get_concrete_function(*traced.inputs(examples))
    operations = {node.op for node in nodes_of(function)}
    assert {"StatelessWhile", "While"} & operations
    assert "TopKV2" in operations  # the body of the loop is seen
    assert not CALLS_INTO_PYTHON & operations


@pytest.mark.parametrize("call", [tf.py_function, tf.numpy_function])
def test_a_call_into_python_would_be_seen_in_the_body_of_a_loop(call):
    def body(i: tf.Tensor) -> tf.Tensor:
        return tf.ensure_shape(call(lambda x: x + 1, [i], tf.int32), [])

    loop = tf.function(lambda: tf.while_loop(lambda i: i < 3, body, [tf.constant(0)]))
    operations = {node.op for node in nodes_of(loop.get_concrete_function())}
    assert CALLS_INTO_PYTHON & operations


def select_function(rule):
    """The concrete function of a selection rule."""
    actions = 4
    candidates = Candidates(
        scores=tf.TensorSpec([None, 6, 14], tf.float32),
        log_probs=tf.TensorSpec([None, 6, 14], tf.float32),
        terminal=tf.TensorSpec([None, 6, actions], tf.float32),
        action_tokens=tf.TensorSpec([actions], tf.int32),
    )

    def select(candidates: Candidates, seed: tf.Tensor, step: tf.Tensor):
        return rule.select(candidates, beam_size=6, seed=seed, step=step)

    return tf.function(select, autograph=False).get_concrete_function(
        candidates, tf.TensorSpec([2], tf.int32), tf.TensorSpec([], tf.int64)
    )


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: type(rule).__name__)
def test_no_rule_calls_into_python(rule):
    assert not CALLS_INTO_PYTHON & {node.op for node in nodes_of(select_function(rule))}


kernels_of = functools.lru_cache(maxsize=None)(kernels.get_registered_kernels_for_op)


def runs_on_a_gpu(node: tf.compat.v1.NodeDef) -> bool:
    """Whether TensorFlow has a GPU kernel for an operation with its types.

    Operations without any kernel (function calls and loops) are replaced by what they do.
    """
    registered = kernels_of(node.op).kernel
    return not registered or any(
        kernel.device_type in ("GPU", "DEFAULT")
        and all(
            node.attr[constraint.name].type in constraint.allowed_values.list.type
            for constraint in kernel.constraint
        )
        for kernel in registered
    )


needs_gpu_kernels = pytest.mark.skipif(
    not tf.test.is_built_with_cuda(), reason="this TensorFlow has no GPU kernels to look for"
)


def without_gpu_kernel(function) -> set[tuple[str, str]]:
    """Operations that a GPU would leave to the CPU, each with its type."""
    return {
        (node.op, tf.dtypes.as_dtype(node.attr["T"].type).name)
        for node in nodes_of(function)
        if not runs_on_a_gpu(node) and node.attr["dtype"].type != tf.string.as_datatype_enum
    }


@needs_gpu_kernels
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: type(rule).__name__)
def test_a_gpu_can_run_every_operation_of_a_rule(rule):
    assert without_gpu_kernel(select_function(rule)) == set()


@needs_gpu_kernels
def test_a_gpu_can_run_every_operation_of_the_search_but_a_known_few(traced, examples):
    function = traced.function.get_concrete_function(*traced.inputs(examples))
    assert without_gpu_kernel(function) <= LEFT_TO_THE_CPU


def test_batches_of_one_shape_share_one_trace():
    traced = Traced("tangrams")
    one, two, three = toy_examples("tangrams")
    for number, batch in enumerate([(one, two), (two, three), (three, three), (one, one)]):
        traced.function(*traced.inputs(batch, seed=number, step=10 * number))
    assert traced.traces == 1
    for example in (two, one, three):
        traced.function(*traced.inputs([example]))
    assert traced.traces == 2


def test_the_search_stays_on_the_device_it_is_put_on():
    """In a process of its own, which splits the CPU in two devices and searches on the second."""
    script = Path(__file__).with_name("search_on_second_device.py")
    operations = json.loads(output_of(script, CUDA_VISIBLE_DEVICES=""))
    assert set(operations["elsewhere"]) <= {"_Arg", "_Send"}  # what hands the inputs over
    assert {"TopKV2", "SparseSegmentSum", "LoopCond"} <= set(operations["there"])
    assert operations["num_complete"] > 0
