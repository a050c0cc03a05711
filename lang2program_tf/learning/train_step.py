"""One step of learning: search, weigh, follow the gradient (the paper's Sections 3 and 4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import tensorflow as tf
from tensorflow.keras.optimizers.legacy import Optimizer

import gin
from lang2program_tf.learning.baseline import LogisticBaseline
from lang2program_tf.learning.gradient import (
    Decisions,
    DecisionWeights,
    ScoredDecisions,
    lookup_squares,
    score_decisions,
    weighted_loss,
)
from lang2program_tf.learning.optimizers import apply_gradients, lookup_rule
from lang2program_tf.learning.stale_beams import Exploration, StaleBeams
from lang2program_tf.learning.tree_rows import (
    Edges,
    all_edges,
    decisions_at,
    path_log_probs,
    push_up,
    used_rows,
)
from lang2program_tf.learning.weights import GradientWeights
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
        complete: complete programs an example; of stale beams, those that were kept.
        reward: Σ p(z) R(z) an example: the expected reward, as far as the search saw.
        entropy: of q, averaged over the examples with reward: does it spread or collapse?
        effective: e^entropy, the effective number of programs, averaged likewise.
        gradient_norm: of all variables together.
        decisions: how many different decisions were learned from.
        searched: share of examples that were searched; fewer than all only with stale beams.
        overflow: rewarded programs that stale beams had no room for; a search loses none.
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
    searched: tf.Tensor
    overflow: tf.Tensor


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


@gin.configurable(denylist=["search", "num_examples", "max_utterances"])
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
        stale_beams: Callable[..., StaleBeams] | None = None,
        num_examples: int | None = None,
        max_utterances: int | None = None,
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
            stale_beams: the class StaleBeams, so that an example is not searched at every visit;
                for weights that weigh only rewarded programs.
            num_examples: how many examples there are, and
            max_utterances: their largest number of utterances; only stale beams must know.
        """
        super().__init__(name="train_step")
        if baseline is not None and not weights.weighs_all:
            raise ValueError(f"weights={weights} leave out programs that a baseline must know")
        if lookup_rule(optimizer) is not None and not isinstance(search.parser, Parser):
            raise ValueError(f"optimizer={optimizer} knows the tables of the paper's parser only")
        self.search = search
        self.weights = weights
        self.optimizer = optimizer
        self.baseline = baseline
        self.fresh_scores = fresh_scores
        self.stale_beams: StaleBeams | None = None
        if stale_beams is not None:
            if weights.weighs_all:
                raise ValueError(f"weights={weights} need programs that stale beams do not keep")
            if num_examples is None or max_utterances is None:
                raise ValueError("stale_beams needs num_examples and max_utterances")
            self.stale_beams = stale_beams(
                search, num_examples=num_examples, max_utterances=max_utterances
            )
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
            indices: [B] int32, the numbers of the examples; only stale beams must know.
        """
        with tf.GradientTape() as tape:
            memory = self.parser.read(words, examples)
            with tape.stop_recording():
                explored = self._explore(memory, examples, indices, seed=seed, step=step)
                tree = explored.tree
                edges = all_edges(tree, tf.constant(self.search.machine.action_tokens))
                programs = self._weigh(memory, tree, edges, step)
                decisions, sums = self._decisions(tree, edges, programs)
            scored = score_decisions(self.parser, memory, decisions)
            with tape.stop_recording():
                weights = self._decision_weights(sums, scored)
            loss = weighted_loss(scored, weights)
        variables = self.parser.trainable_variables
        *gradients, by_history = tape.gradient(loss, [*variables, scored.scores.history])
        gradients = [tf.convert_to_tensor(gradient) for gradient in gradients]

        def update() -> tf.Tensor:
            squares = []
            if lookup_rule(self.optimizer) is not None:
                assert isinstance(self.parser, Parser)
                squares = lookup_squares(self.parser, memory, scored, by_history, weights)
            apply_gradients(self.optimizer, zip(gradients, variables), squares=squares)
            if self.baseline is not None:
                self.baseline.learn(scored.scores.query, rewards=sums.reward, counts=sums.count)
            return tf.linalg.global_norm(gradients)

        # Without any weight to learn from, even the moments of the optimizer stay as they are.
        num_decisions = tf.math.count_nonzero(sums.count > 0, dtype=tf.int32)
        norm = tf.cond(tf.reduce_any(weights.squared > 0), update, lambda: tf.constant(0.0))
        return _metrics(explored, programs, loss=loss, norm=norm, num_decisions=num_decisions)

    def _explore(
        self,
        memory: MemoryProtocol,
        examples: Examples,
        indices: tf.Tensor | None,
        *,
        seed: tf.Tensor,
        step: tf.Tensor,
    ) -> Exploration:
        """Finds programs to learn from."""
        if self.stale_beams is None:
            tree = self.search.explore(memory, examples, seed=seed, step=step)
            return Exploration(tree, tf.size(examples.num_utterances), tf.constant(0))
        if indices is None:
            raise ValueError("indices=None: stale beams must know which examples these are")
        return self.stale_beams.explore(memory, examples, indices=indices, seed=seed, step=step)

    def _weigh(
        self, memory: MemoryProtocol, tree: SearchTree, edges: Edges, step: tf.Tensor
    ) -> Weighed:
        """Weighs the complete programs."""
        log_probs = tree.complete
        if self.fresh_scores and self.weights.uses_probabilities:
            used = push_up(tree, tf.cast(log_probs > _NEVER, tf.float32)[..., tf.newaxis])
            row = used_rows(used[..., 0] > 0)
            decisions = decisions_at(self.search.machine, tree, edges, row)
            scored = score_decisions(self.parser, memory, decisions)
            log_probs = path_log_probs(tree, row, scored.log_prob)
        shape = tf.shape(log_probs)
        weights = self.weights.weigh(
            tf.reshape(by_example(log_probs), [shape[1], -1]),
            tf.reshape(by_example(tree.rewarded), [shape[1], -1]),
            step,
        )
        by_iteration = tf.reshape(weights, tf.gather(shape, [1, 0, 2, 3]))
        return Weighed(log_probs, tree.rewarded, tf.transpose(by_iteration, [1, 0, 2, 3]))

    def _decisions(
        self, tree: SearchTree, edges: Edges, programs: Weighed
    ) -> tuple[Decisions, Sums]:
        """The edges that weighed programs go through."""
        weighed = programs.log_probs > _NEVER if self.weights.weighs_all else programs.rewarded
        numbers = [
            programs.weights,
            tf.square(programs.weights),
            tf.cast(weighed, tf.float32),
            tf.cast(programs.rewarded, tf.float32),
        ]
        sums = push_up(tree, tf.stack(numbers, axis=-1))  # [B, E, 4]
        row = used_rows(sums[..., 2] > 0)
        total, squared, count, reward = tf.unstack(tf.gather(sums, row, batch_dims=1), axis=-1)
        decisions = decisions_at(self.search.machine, tree, edges, row)
        return decisions, Sums(DecisionWeights(total, squared), count, reward)

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


def _metrics(
    explored: Exploration,
    programs: Weighed,
    *,
    loss: tf.Tensor,
    norm: tf.Tensor,
    num_decisions: tf.Tensor,
) -> StepMetrics:
    tree = explored.tree
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
        searched=tf.cast(explored.searched, tf.float32) / tf.cast(tf.size(solved), tf.float32),
        overflow=tf.cast(explored.overflow, tf.float32),
    )
