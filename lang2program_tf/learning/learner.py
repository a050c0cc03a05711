"""Puts a learner together: task, parser, exploration, weights and optimizer, all bound by gin."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

import gin
from lang2program_tf.cores import MOST_PARTS, num_cores, predicted_parts
from lang2program_tf.corpus.batches import Batch, BatchMaker
from lang2program_tf.corpus.programs import list_programs, load_programs
from lang2program_tf.corpus.scone import Example
from lang2program_tf.corpus.turns import with_commands
from lang2program_tf.language import MAX_TOKENS
from lang2program_tf.learning.averaging import keeps_average
from lang2program_tf.learning.program_scores import program_log_probs
from lang2program_tf.learning.recall import ProgramRecall
from lang2program_tf.learning.step_metrics import StepMetrics
from lang2program_tf.learning.task import Task
from lang2program_tf.learning.train_step import Contribution, TrainStep
from lang2program_tf.learning.workers import Workers
from lang2program_tf.machine import Examples
from lang2program_tf.model.parser import Parser
from lang2program_tf.model.parser_protocol import ParserProtocol
from lang2program_tf.native_log import without_remarks
from lang2program_tf.search import BatchPart, BeamSearch, Programs, WorldSearch, best_programs
from lang2program_tf.search.non_finite import blame_non_finite

# Batches with fewer examples in each part are predicted in one.
_LEAST_IN_PART = 4
# How many examples a part of a compiled prediction has: other numbers would be compiled anew.
_COMPILED_IN_PART = 8


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


class Predicted(NamedTuple):
    """What a parser says of B examples.

    Attributes:
        programs: the most probable ones, or one for each of the most probable worlds.
        num_complete: [B] int32, how many complete programs were found; by worlds, of the last
            utterance and for the worlds that are predicted.
        num_rewarded: [B] int32, those of them that lead to the target.
        reward: [B] float32, Σ p of those.
    """

    programs: Programs
    num_complete: tf.Tensor
    num_rewarded: tf.Tensor
    reward: tf.Tensor


@gin.configurable(denylist=["workers"])
class Learner:
    """A parser, and how it searches, learns and is evaluated.

    `BeamSearch` is bound twice, in the gin scopes `train` and `evaluate`.
    """

    def __init__(
        self,
        task: Task | None = None,
        *,
        recall: Callable[..., ProgramRecall] | None = None,
        worlds: Callable[..., WorldSearch] | None = None,
        seed: int = 0,
        workers: Workers | None = None,
    ) -> None:
        """Creates all variables.

        Args:
            task: what to learn; built by gin if None.
            recall: the class ProgramRecall, to learn from programs of a memory instead of those
                that a search finds; for turns.
            worlds: the class WorldSearch, to predict turn by turn by worlds instead of by the most
                probable program for all utterances; a parser in context must.
            seed: of initial values, batches and exploration.
            workers: who shares the work, if not this process alone.
        """
        self.workers = workers or Workers()
        self.task = task or Task()
        self.seed = seed
        self._recall = recall
        self.parser = Parser(
            self.task.domain,
            word_vectors=self.task.words.vectors,
            seed=seed,
            trained_words=self.task.trained_words,
        )
        with gin.config_scope("train"):
            exploration = BeamSearch(self.task.machine, self.parser)
        if self.parser.context and worlds is None:
            raise ValueError(
                f"worlds=None, and a parser with context={self.parser.context} needs it"
            )
        self._worlds = worlds
        self.train_step = TrainStep(exploration)
        self.step = tf.Variable(0, dtype=tf.int64, trainable=False, name="step")
        self._train_graphs: dict[tuple[int, int], Callable[[Batch], StepMetrics]] = {}
        self.predict_with(self.parser)
        programs = tf.TensorSpec([None, None, MAX_TOKENS], tf.int32)
        self._score_graph = _graph(self._score_programs, self._batch_spec(None, None), programs)

    def variables(self) -> dict[str, tf.Module | tf.Variable | list[tf.Variable]]:
        """Everything that a checkpoint must hold; word vectors are read anew."""
        return {
            "parser": self.parser.trainable_variables,
            "train_step": self.train_step,
            "step": self.step,
        }

    @property
    def recalls(self) -> bool:
        """Whether programs to learn from come from a memory, not from a search."""
        return self._recall is not None

    def remember(self, examples: Sequence[Example]) -> None:
        """Lists the programs of the training examples, if learning recalls them; call it first."""
        if self._recall is not None:
            self.train_step.recall = self._recall(
                self.task.machine,
                programs=load_programs(self.task.domain, examples),
                seed=self.seed,
            )

    def training_maker(self, examples: tuple[Example, ...]) -> BatchMaker:
        """Makes batches of the training examples, with the commands so far that were chosen."""
        recall = self.train_step.recall
        choices = recall.chosen() if recall is not None else None
        if recall is not None and choices is not None:
            examples = with_commands(self.task.domain, examples, choices)
            recall.replace_sets(list_programs(self.task.domain, examples))
        return self.task.batch_maker(examples)

    def cut_if_due(self, maker: BatchMaker) -> BatchMaker:
        """Cuts the sets of recalled programs, if they are to be cut before the next step.

        Args:
            maker: makes batches of the training examples.

        Returns:
            What makes them from now on: another one if the commands so far were chosen anew.
        """
        recall = self.train_step.recall
        if recall is None or not recall.cut_is_due(int(self.step)):
            return maker

        def score(numbers: NDArray[np.int32], programs: NDArray[np.int32]) -> NDArray[np.float32]:
            log_probs: NDArray[np.float32] = self._score_graph(maker(numbers), programs).numpy()
            return log_probs

        with self.evaluation_weights():
            if recall.choices is not None:
                recall.choose(score)
                maker = self.training_maker(maker.examples)
            recall.cut(score)
        return maker

    def train(self, batch: Batch) -> StepMetrics:
        """Learns from one batch, and counts the step."""
        size, utterances, _ = batch.words.shape
        key = (size, utterances)
        is_new = key not in self._train_graphs
        if is_new:
            self._train_graphs[key] = _graph(self._train_batch, self._batch_spec(*key))
        with (
            self._compiling(self.train_step.search, is_new),
            blame_non_finite(self.parser),
            self.workers.taking_a_step(),
        ):
            return self._train_graphs[key](batch)

    def predict_with(self, parser: ParserProtocol) -> None:
        """From now on predictions are those of a parser, maybe of several as one."""
        with gin.config_scope("evaluate"):
            self.search = BeamSearch(self.task.machine, parser)
        self.worlds = self._worlds and self._worlds(self.search)
        self._predict_graphs: dict[tuple[int, int | None], Callable[..., Any]] = {}

    @property
    def predicted_at_once(self) -> int:
        """How many batches to predict at the same time, so that all cores have work."""
        return 1 if self.worlds is None else min(num_cores(), MOST_PARTS)

    def predict(self, batch: Batch, *, count: int = 1) -> Predicted:
        """Predicts the programs of a batch, as in evaluation; at least `count`, if there are."""
        size = batch.words.shape[0]
        parts, room = self._predicted_parts(size)
        known = room if self.search.jit_compile else None
        is_new = (parts, known) not in self._predict_graphs
        if is_new:
            self._predict_graphs[parts, known] = _graph(
                partial(self._predict_batch, parts=parts),
                self._batch_spec(known, None),
                tf.TensorSpec([], tf.int32),
            )
        if room > size:  # the last example again
            rows = tf.minimum(tf.range(room), size - 1)
            batch = Batch(*(tf.gather(field, rows) for field in batch))
        with self._compiling(self.search, is_new), blame_non_finite(self.parser):
            predicted = self._predict_graphs[parts, known](batch, tf.constant(count))
        if room > size:
            predicted = tf.nest.map_structure(lambda part: part[:size], predicted)
        found: Predicted = predicted
        return found

    def _compiling(self, search: BeamSearch, is_new: bool) -> AbstractContextManager[None]:
        """Holds back what XLA says when it compiles, but nothing that workers say of others."""
        alone = self.workers.count == 1
        return without_remarks() if is_new and search.jit_compile and alone else nullcontext()

    def _predicted_parts(self, size: int) -> tuple[int, int]:
        """In how many parts a batch is predicted, and of how many examples in all."""
        if self.worlds is not None:
            return 1, size
        if self.search.jit_compile:
            parts = 1
            while parts < MOST_PARTS and parts * _COMPILED_IN_PART < size:
                parts *= 2
            return parts, parts * max(_COMPILED_IN_PART, -(-size // parts))
        parts = predicted_parts()
        return (parts if size >= _LEAST_IN_PART * parts else 1), size

    @contextmanager
    def evaluation_weights(self) -> Iterator[None]:
        """Within it the parser has its averaged weights, if the optimizer keeps averages."""
        optimizer, variables = self.train_step.optimizer, self.parser.trainable_variables
        if not keeps_average(optimizer):
            yield
            return
        trained = [tf.identity(variable) for variable in variables]
        optimizer.assign_average_vars(variables)
        try:
            yield
        finally:
            for variable, value in zip(variables, trained):
                variable.assign(value)

    def keep_evaluation_weights(self) -> None:
        """From now on the parser has the weights that it is evaluated with."""
        with self.evaluation_weights():
            values = [tf.identity(variable) for variable in self.parser.trainable_variables]
        for variable, value in zip(self.parser.trainable_variables, values):
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
        step = self.step.read_value()
        size = batch.words.shape[0]
        most_new = tf.reduce_max(examples_of(batch).num_new)

        def contribution(first: int, stride: int) -> Contribution:
            part = BatchPart(first, size, most_new, stride=stride)
            mine = batch if stride == 1 else Batch(*(field[first::stride] for field in batch))
            return self.train_step.contribute(
                mine.words,
                examples_of(mine),
                seed=seed,
                step=step,
                indices=mine.indices,
                part=None if stride == 1 else part,
            )

        summed = self.workers.add_up(contribution)
        metrics = self.train_step.apply(summed, num_examples=size)
        self.step.assign_add(1)
        return metrics

    def _predict_batch(self, batch: Batch, count: tf.Tensor, *, parts: int) -> Predicted:
        examples = examples_of(batch)
        if self.worlds is not None:
            programs = self.worlds.predict(batch.words, examples).programs
            right = tf.where(programs.rewarded, tf.exp(programs.log_prob), 0.0)
            agreeing = tf.where(programs.rewarded, programs.agreeing, 0)
            return Predicted(
                programs,
                num_complete=tf.reduce_sum(programs.agreeing, axis=1),
                num_rewarded=tf.reduce_sum(agreeing, axis=1),
                reward=tf.reduce_sum(right, axis=1),
            )
        memory = self.search.parser.read(batch.words, examples)
        seed = tf.zeros([2], tf.int32)
        tree = self.search.search(memory, examples, seed=seed, parts=parts)
        right = tf.where(tree.rewarded, tf.exp(tree.complete), 0.0)
        return Predicted(
            best_programs(self.task.machine, tree, count),
            num_complete=tree.num_complete,
            num_rewarded=tree.num_rewarded,
            reward=tf.reduce_sum(right, axis=[0, 2, 3]),
        )

    def _score_programs(self, batch: Batch, programs: tf.Tensor) -> tf.Tensor:
        """[B, Z] log-probabilities of programs [B, Z, 7], each of them of the present turn."""
        examples = examples_of(batch)
        memory = self.parser.read(batch.words, examples)
        return program_log_probs(
            self.parser,
            memory,
            self.task.machine,
            examples,
            programs,
            jit_compile=self.train_step.search.jit_compile,
        )


def _graph(function: Callable[..., Any], *signature: Any) -> Callable[..., Any]:
    """The one graph of a function; there is nothing in it for AutoGraph to do but take its time."""
    graph: Callable[..., Any] = tf.function(
        function, input_signature=list(signature), autograph=False
    )
    return graph
