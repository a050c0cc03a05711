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
from lang2program_tf.learning.lookup_squares import lookup_squares
from lang2program_tf.learning.optimizers import apply_gradients, lookup_rule
from lang2program_tf.learning.recall import ProgramRecall
from lang2program_tf.learning.tree_rows import (
    all_edges,
    decisions_at,
    path_log_probs,
    push_up,
    used_rows,
)
from lang2program_tf.learning.weights import GradientWeights
from lang2program_tf.legacy_keras import Optimizer
from lang2program_tf.machine import Examples
from lang2program_tf.model.parser import Parser
from lang2program_tf.model.parser_protocol import MemoryProtocol, ParserProtocol
from lang2program_tf.search import BeamSearch, SearchTree
from lang2program_tf.search.tree import by_example

_NEVER = -float("inf")


class StepMetrics(NamedTuple):
    """What one step tells; float32 scalars.

    Attributes:
        loss: Σ weight × cross-entropy.
        solved: share of examples with a rewarded program.
        rewarded: rewarded programs an example.
        complete: complete programs an example; recalled ones are all complete.
        reward: Σ p(z) R(z) an example: the expected reward, as far as the search saw.
        entropy: of q, averaged over the examples with reward: does it spread or collapse?
        effective: e^entropy, the effective number of programs, averaged likewise.
        gradient_norm: of all variables together.
        decisions: how many different decisions were learned from.
    """

    loss: tf.Tensor
    solved: tf.Tensor
    rewarded: tf.Tensor
    complete: tf.Tensor
    reward: tf.Tensor
    entropy: tf.Tensor
    effective: tf.Tensor
    gradient_norm: tf.Tensor
    decisions: tf.Tensor


class Weighed(NamedTuple):
    """The complete programs of a search, [T, B, K, C] each.

    Attributes:
        log_probs: float32, as the weights see them; −inf where there is no program.
        rewarded: bool.
        weights: float32.
    """

    log_probs: tf.Tensor
    rewarded: tf.Tensor
    weights: tf.Tensor


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
        machine = self.search.machine
        with tf.GradientTape() as tape:
            memory = self._read(words, examples, seed)
            with tape.stop_recording():
                tree = self._explore(memory, examples, indices, seed=seed, step=step)
                weighed = tree.complete > _NEVER if self.weights.weighs_all else tree.rewarded
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
        gradients = [tf.convert_to_tensor(gradient) for gradient in gradients]

        def update() -> tf.Tensor:
            applied, norm = gradients, tf.linalg.global_norm(gradients)
            if self.clip_norm is not None:
                applied, _ = tf.clip_by_global_norm(gradients, self.clip_norm, use_norm=norm)
            squares = []
            if lookup_rule(self.optimizer) is not None:
                assert isinstance(self.parser, Parser)
                squares = lookup_squares(self.parser, memory, scored, by_history, weights)
            apply_gradients(self.optimizer, zip(applied, variables), squares=squares)
            if self.baseline is not None:
                self.baseline.learn(scored.scores.query, rewards=sums.reward, counts=sums.count)
            return norm

        # Without any weight to learn from, even the moments of the optimizer stay as they are.
        num_decisions = tf.math.count_nonzero(sums.count > 0, dtype=tf.int32)
        norm = tf.cond(tf.reduce_any(weights.squared > 0), update, lambda: tf.constant(0.0))
        return _metrics(tree, programs, loss=loss, norm=norm, num_decisions=num_decisions)

    def _read(self, words: tf.Tensor, examples: Examples, seed: tf.Tensor) -> Any:
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
        *,
        seed: tf.Tensor,
        step: tf.Tensor,
    ) -> SearchTree:
        """Finds programs to learn from."""
        if self.recall is None:
            return self.search.explore(memory, examples, seed=seed, step=step)
        if indices is None:
            raise ValueError("indices=None: recall must know which examples these are")
        return self.recall.explore(
            examples,
            indices=indices,
            seed=seed,
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


def _metrics(
    tree: SearchTree,
    programs: Weighed,
    *,
    loss: tf.Tensor,
    norm: tf.Tensor,
    num_decisions: tf.Tensor,
) -> StepMetrics:
    solved = tf.cast(tree.num_rewarded > 0, tf.float32)  # [B]
    num_solved = tf.maximum(tf.reduce_sum(solved), 1.0)
    shares = tf.where(programs.rewarded, tf.maximum(programs.weights, 0.0), 0.0)
    shares = tf.math.divide_no_nan(shares, tf.reduce_sum(shares, axis=[0, 2, 3], keepdims=True))
    entropy = -tf.reduce_sum(tf.math.xlogy(shares, shares), axis=[0, 2, 3])  # [B]
    mass = tf.where(programs.rewarded, tf.exp(programs.log_probs), 0.0)
    return StepMetrics(
        loss=loss,
        solved=tf.reduce_mean(solved),
        rewarded=tf.reduce_mean(tf.cast(tree.num_rewarded, tf.float32)),
        complete=tf.reduce_mean(tf.cast(tree.num_complete, tf.float32)),
        reward=tf.reduce_mean(tf.reduce_sum(mass, axis=[0, 2, 3])),
        entropy=tf.reduce_sum(entropy * solved) / num_solved,
        effective=tf.reduce_sum(tf.exp(entropy) * solved) / num_solved,
        gradient_norm=norm,
        decisions=tf.cast(num_decisions, tf.float32),
    )
