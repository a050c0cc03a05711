"""One step of learning: search, weigh, follow the gradient (the paper's Sections 3 and 4)."""

from __future__ import annotations

from typing import Any, NamedTuple

import tensorflow as tf

import gin
from lang2program_tf.learning.baseline import LogisticBaseline
from lang2program_tf.learning.gradient import (
    DecisionWeights,
    ScoredDecisions,
    score_decisions,
    weighted_loss,
)
from lang2program_tf.learning.lookup_squares import looked_up, lookup_squares
from lang2program_tf.learning.optimizers import TableSquares, apply_gradients, lookup_rule
from lang2program_tf.learning.recall import ProgramRecall
from lang2program_tf.learning.step_metrics import (
    StepMetrics,
    Totals,
    Weighed,
    step_metrics,
    totals_of,
)
from lang2program_tf.learning.tree_rows import (
    all_edges,
    decisions_at,
    path_log_probs,
    push_up,
    used_rows,
)
from lang2program_tf.learning.weights import GradientWeights
from lang2program_tf.legacy_keras import Optimizer
from lang2program_tf.log_probs import NEVER
from lang2program_tf.machine import Examples
from lang2program_tf.model.dropout import DropoutSeed
from lang2program_tf.model.parser import Parser
from lang2program_tf.model.parser_protocol import MemoryProtocol, ParserProtocol
from lang2program_tf.search import BatchPart, BeamSearch, SearchTree
from lang2program_tf.search.batch_part import whole_batch
from lang2program_tf.search.tree import by_example


class Sums(NamedTuple):
    """Sums over the programs through decisions, [B, R] float32 each.

    Attributes:
        weights: of the programs.
        count: how many programs there are that the rule weighs; 0 at padding.
        reward: how many of them are rewarded.
    """

    weights: DecisionWeights
    count: tf.Tensor
    reward: tf.Tensor


class Contribution(NamedTuple):
    """What examples add to a step: sums, to which those of other examples can be added; float32.

    Attributes:
        gradients: by trained variable.
        squares: by table, see `lookup_squares`; empty if the optimizer has no use for them.
        baseline: gradients of the learned baseline, by variable; empty without one.
        count: scalar, how many decisions all programs that are weighed have together.
        weighty: scalar, how many decisions have any weight.
        totals: for the metrics.
    """

    gradients: list[tf.Tensor]
    squares: list[tf.Tensor]
    baseline: list[tf.Tensor]
    count: tf.Tensor
    weighty: tf.Tensor
    totals: Totals


@gin.configurable(denylist=["search", "recall"])
class TrainStep(tf.Module):
    """Exploration × gradient weights × optimizer, on one parser."""

    def __init__(
        self,
        search: BeamSearch,
        *,
        weights: GradientWeights = gin.REQUIRED,
        optimizer: Optimizer = gin.REQUIRED,
        baseline: LogisticBaseline | None = None,
        fresh_scores: bool = False,
        recall: ProgramRecall | None = None,
        clip_norm: float | None = None,
    ) -> None:
        """Binds what does not change between batches, and creates the optimizer's variables.

        Args:
            search: the exploration.
            weights: of the programs found.
            optimizer: what applies the gradient.
            baseline: a learned baseline, subtracted from the weights of decisions; for weights that
                weigh all programs.
            fresh_scores: weigh programs by probabilities with the full history. The released code
                means to, but weighs by those of the search; they differ only for TOKENS with
                independent utterances.
            recall: where programs come from instead of a search, all of them rewarded.
            clip_norm: the most that the norm of the gradient may be.
        """
        super().__init__(name="train_step")
        if baseline is not None and not weights.weighs_all:
            raise ValueError(f"weights={weights} leave out programs that a baseline must know")
        parser = search.parser
        is_the_papers = isinstance(parser, Parser) and not parser.context
        if lookup_rule(optimizer) is not None and not is_the_papers:
            raise ValueError(f"optimizer={optimizer} knows the tables of the paper's parser only")
        self.search = search
        self.weights = weights
        self.optimizer = optimizer
        self.baseline = baseline
        self.fresh_scores = fresh_scores
        self.recall = recall
        self.clip_norm = clip_norm
        if recall is not None and weights.weighs_all:
            raise ValueError(f"weights={weights} need programs without reward, which none recalls")
        # Before a checkpoint is made or read, all variables must be there.
        self.optimizer._create_all_weights(self.parser.trainable_variables)

    @property
    def parser(self) -> ParserProtocol:
        """What learns."""
        return self.search.parser

    def run(
        self,
        words: tf.Tensor,
        examples: Examples,
        *,
        seed: tf.Tensor,
        step: tf.Tensor,
        indices: tf.Tensor | None = None,
    ) -> StepMetrics:
        """Learns from one batch.

        Args:
            words: [B, M, W] int32 word ids.
            examples: the B examples.
            seed: [2] int32, of the search.
            step: int64 scalar, for schedules.
            indices: [B] int32, the numbers of the examples; only recall must know.
        """
        contribution = self.contribute(words, examples, seed=seed, step=step, indices=indices)
        return self.apply(contribution, num_examples=tf.shape(words)[0])

    def contribute(
        self,
        words: tf.Tensor,
        examples: Examples,
        *,
        seed: tf.Tensor,
        step: tf.Tensor,
        indices: tf.Tensor | None = None,
        part: BatchPart | None = None,
    ) -> Contribution:
        """What a batch, or a part of one, has to teach; nothing is changed yet.

        Args:
            words: as for `run`, of the part.
            examples: of the part.
            seed: of the whole batch.
            step: int64 scalar.
            indices: of the part.
            part: if these examples are part of a batch.
        """
        machine = self.search.machine
        of_batch = part or whole_batch(examples)
        places = of_batch.first + of_batch.stride * tf.range(tf.shape(words)[0])
        with tf.GradientTape() as tape:
            memory = self._read(words, examples, DropoutSeed(seed, places))
            with tape.stop_recording():
                tree = self._explore(memory, examples, indices, part, seed=seed, step=step)
                weighed = tree.complete > NEVER if self.weights.weighs_all else tree.rewarded
                row = used_rows(push_up(tree, _column(weighed))[..., 0] > 0)
                edges = all_edges(tree, tf.constant(machine.action_tokens))
                decisions = decisions_at(machine, tree, edges, row)
            scored = score_decisions(self.parser, memory, decisions)
            with tape.stop_recording():
                programs = self._weigh(tree, row, scored, step)
                sums = _sums(tree, row, programs, weighed)
                weights = self._decision_weights(sums, scored)
            loss = weighted_loss(scored, weights)
        variables = self.parser.trainable_variables
        *gradients, by_history = tape.gradient(loss, [*variables, scored.scores.history])
        squares, baseline = [], []
        if lookup_rule(self.optimizer) is not None:
            assert isinstance(self.parser, Parser)
            squares = lookup_squares(self.parser, memory, scored, by_history, weights)
        if self.baseline is not None:
            baseline = self.baseline.gradients(
                scored.scores.query, rewards=sums.reward, counts=sums.count
            )
        return Contribution(
            gradients=[tf.convert_to_tensor(gradient) for gradient in gradients],
            squares=[of_table.squares for of_table in squares],
            baseline=baseline,
            count=tf.reduce_sum(sums.count),
            weighty=tf.math.count_nonzero(weights.squared > 0, dtype=tf.float32),
            totals=totals_of(tree, programs, loss, sums.count),
        )

    def apply(self, contribution: Contribution, *, num_examples: int | tf.Tensor) -> StepMetrics:
        """Changes the weights by what all examples of a batch have to teach."""
        gradients = contribution.gradients

        def update() -> tf.Tensor:
            applied, norm = gradients, tf.linalg.global_norm(gradients)
            if self.clip_norm is not None:
                applied, _ = tf.clip_by_global_norm(gradients, self.clip_norm, use_norm=norm)
            squares = []
            if contribution.squares:
                assert isinstance(self.parser, Parser)
                pairs = zip(looked_up(self.parser), contribution.squares)
                squares = [TableSquares(*pair) for pair in pairs]
            variables = self.parser.trainable_variables
            apply_gradients(
                self.optimizer,
                zip(applied, variables),
                squares=squares,
                cases=contribution.count,
            )
            if self.baseline is not None:
                self.baseline.learn(contribution.baseline, contribution.count)
            return norm

        # Without any weight to learn from, even the moments of the optimizer stay as they are.
        norm = tf.cond(contribution.weighty > 0, update, lambda: tf.constant(0.0))
        return step_metrics(contribution.totals, norm, num_examples)

    def _read(self, words: tf.Tensor, examples: Examples, seed: DropoutSeed) -> Any:
        """What the parser has read, with what is dropped in learning."""
        parser = self.parser
        if isinstance(parser, Parser) and parser.context and self.search.jit_compile:
            see = tf.function(parser.context_features, autograph=False, jit_compile=True)
            return parser.read(words, examples, dropout_seed=seed, features=see(examples))
        return parser.read(words, examples, dropout_seed=seed)

    def _explore(
        self,
        memory: MemoryProtocol,
        examples: Examples,
        indices: tf.Tensor | None,
        part: BatchPart | None,
        *,
        seed: tf.Tensor,
        step: tf.Tensor,
    ) -> SearchTree:
        """Finds programs to learn from."""
        if self.recall is None:
            return self.search.explore(memory, examples, seed=seed, step=step, part=part)
        if indices is None:
            raise ValueError("indices=None: recall must know which examples these are")
        return self.recall.explore(
            examples,
            indices=indices,
            seed=seed,
            part=part,
            jit_compile=self.search.jit_compile,
        )

    def _weigh(
        self, tree: SearchTree, row: tf.Tensor, scored: ScoredDecisions, step: tf.Tensor
    ) -> Weighed:
        """Weighs the complete programs, all of whose edges are among the decisions `row`."""
        log_probs = tree.complete
        if self.recall is not None or (self.fresh_scores and self.weights.uses_probabilities):
            log_probs = path_log_probs(tree, row, scored.log_prob)
        shape = tf.shape(log_probs)
        weights = self.weights.weigh(
            tf.reshape(by_example(log_probs), [shape[1], -1]),
            tf.reshape(by_example(tree.rewarded), [shape[1], -1]),
            step,
        )
        by_iteration = tf.reshape(weights, tf.gather(shape, [1, 0, 2, 3]))
        return Weighed(log_probs, tree.rewarded, tf.transpose(by_iteration, [1, 0, 2, 3]))

    def _decision_weights(self, sums: Sums, scored: ScoredDecisions) -> DecisionWeights:
        """The weights of decisions: Σ w, or with a learned baseline v Σ (w − v)."""
        weights = sums.weights
        if self.baseline is None:
            return weights
        value = self.baseline.values(scored.scores.query)
        squared = weights.squared - 2 * value * weights.total + sums.count * tf.square(value)
        return DecisionWeights(
            total=weights.total - sums.count * value,
            squared=tf.maximum(squared, 0.0),  # rounding may leave less than nothing
        )


def _column(flags: tf.Tensor) -> tf.Tensor:
    """[..., 1] float32."""
    return tf.cast(flags, tf.float32)[..., tf.newaxis]


def _sums(tree: SearchTree, row: tf.Tensor, programs: Weighed, weighed: tf.Tensor) -> Sums:
    """What goes through the edges `row` [B, R] of a tree; `weighed` is [T, B, K, C] bool."""
    numbers = [
        programs.weights,
        tf.square(programs.weights),
        tf.cast(weighed, tf.float32),
        tf.cast(programs.rewarded, tf.float32),
    ]
    sums = tf.gather(push_up(tree, tf.stack(numbers, axis=-1)), row, batch_dims=1)
    total, squared, count, reward = tf.unstack(sums, axis=-1)
    return Sums(DecisionWeights(total, squared), count, reward)
