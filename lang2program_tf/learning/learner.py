"""Puts a learner together: task, parser, exploration, weights and optimizer, all bound by gin."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import tensorflow as tf
import tensorflow_addons as tfa

import gin
from lang2program_tf.corpus.batches import Batch
from lang2program_tf.learning.task import Task
from lang2program_tf.learning.train_step import StepMetrics, TrainStep
from lang2program_tf.machine import Examples
from lang2program_tf.model.parser import Parser
from lang2program_tf.search import BeamSearch, Programs, SearchTree, best_programs
from lang2program_tf.search.non_finite import blame_non_finite


def examples_of(batch: Batch) -> Examples:
    """What the search wants of a batch."""
    return Examples(
        world=batch.worlds,
        next_identity=batch.next_identities,
        target=batch.targets,
        num_utterances=batch.num_utterances,
        history=batch.history,
        num_commands=batch.num_commands,
        first_world=batch.first_worlds,
    )


@gin.configurable
class Learner:
    """A parser, and how it searches, learns and is evaluated.

    `BeamSearch` is bound twice, in the gin scopes `train` and `evaluate`.
    """

    def __init__(self, task: Task | None = None, *, seed: int = 0) -> None:
        """Creates all variables.

        Args:
            task: what to learn; built by gin if None.
            seed: of initial values, batches and exploration.
        """
        self.task = task or Task()
        self.seed = seed
        self.parser = Parser(self.task.domain, word_vectors=self.task.words.vectors, seed=seed)
        with gin.config_scope("train"):
            exploration = BeamSearch(self.task.machine, self.parser)
        with gin.config_scope("evaluate"):
            self.search = BeamSearch(self.task.machine, self.parser)
        self.train_step = TrainStep(exploration, **_sizes_for_stale_beams(self.task))
        self.step = tf.Variable(0, dtype=tf.int64, trainable=False, name="step")
        self._train_graphs: dict[tuple[int, int], Callable[[Batch], StepMetrics]] = {}
        count = tf.TensorSpec([], tf.int32)
        self._predict_graph = _graph(self._predict_batch, self._batch_spec(None, None), count)

    def variables(self) -> dict[str, tf.Module | tf.Variable | list[tf.Variable]]:
        """Everything that a checkpoint must hold; word vectors are read anew."""
        return {
            "parser": self.parser.trainable_variables,
            "train_step": self.train_step,
            "step": self.step,
        }

    def train(self, batch: Batch) -> StepMetrics:
        """Learns from one batch, and counts the step."""
        size, utterances, _ = batch.words.shape
        key = (size, utterances)
        if key not in self._train_graphs:
            self._train_graphs[key] = _graph(self._train_batch, self._batch_spec(*key))
        with blame_non_finite(self.parser):
            return self._train_graphs[key](batch)

    def predict(self, batch: Batch, *, count: int = 1) -> tuple[SearchTree, Programs]:
        """Searches for the best programs of a batch, as in evaluation."""
        with blame_non_finite(self.parser):
            found: tuple[SearchTree, Programs] = self._predict_graph(batch, tf.constant(count))
            return found

    @contextmanager
    def evaluation_weights(self) -> Iterator[None]:
        """Within it the parser has its averaged weights, if the optimizer keeps averages."""
        optimizer, variables = self.train_step.optimizer, self.parser.trainable_variables
        if not isinstance(optimizer, tfa.optimizers.MovingAverage):
            yield
            return
        trained = [tf.identity(variable) for variable in variables]
        optimizer.assign_average_vars(variables)
        try:
            yield
        finally:
            for variable, value in zip(variables, trained):
                variable.assign(value)

    def _batch_spec(self, size: int | None, utterances: int | None) -> Batch:
        """Batches whose words may have any width; None: other axes may have any size too."""
        worlds = tf.TensorSpec([size, self.task.machine.rules.num_positions], tf.int32)
        numbers = tf.TensorSpec([size], tf.int32)
        return Batch(
            words=tf.TensorSpec([size, utterances, None], tf.int32),
            sentences=tf.TensorSpec([size, utterances], tf.int32),
            num_utterances=numbers,
            worlds=worlds,
            next_identities=numbers,
            targets=worlds,
            indices=numbers,
            history=tf.TensorSpec([size, utterances, 3], tf.int32),
            num_commands=numbers,
            first_worlds=worlds,
        )

    def _train_batch(self, batch: Batch) -> StepMetrics:
        seed = tf.stack([tf.constant(self.seed, tf.int32), tf.cast(self.step, tf.int32)])
        metrics = self.train_step.run(
            batch.words,
            examples_of(batch),
            seed=seed,
            step=self.step.read_value(),
            indices=batch.indices,
        )
        self.step.assign_add(1)
        return metrics

    def _predict_batch(self, batch: Batch, count: tf.Tensor) -> tuple[SearchTree, Programs]:
        examples = examples_of(batch)
        memory = self.parser.read(batch.words, examples)
        tree = self.search.search(memory, examples, seed=tf.zeros([2], tf.int32))
        return tree, best_programs(self.task.machine, tree, count)


def _sizes_for_stale_beams(task: Task) -> dict[str, Any]:
    """What stale beams must know of the training examples; nothing if gin binds none."""
    try:
        gin.query_parameter("TrainStep.stale_beams")
    except ValueError:
        return {}
    examples = task.examples("train")
    longest = max(len(example.utterances) for example in examples)
    return {"num_examples": len(examples), "max_utterances": longest}


def _graph(function: Callable[..., Any], *signature: Any) -> Callable[..., Any]:
    """The one graph of a function; there is nothing in it for AutoGraph to do but take its time."""
    graph: Callable[..., Any] = tf.function(
        function, input_signature=list(signature), autograph=False
    )
    return graph
