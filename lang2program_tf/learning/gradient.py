"""The weighted log-likelihood of decisions, which learning climbs."""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf

from lang2program_tf.machine.features import HistoryFeatures
from lang2program_tf.model.decoder import DecoderScores
from lang2program_tf.model.parser_protocol import MemoryProtocol, ParserProtocol

# Too small a weight to show in a gradient, and large enough to be divided by.
_TRACE = 1e-12


class Decisions(NamedTuple):
    """R decisions of each of B examples, to learn from.

    Attributes:
        history: the execution histories of the prefixes, leading axes [B, R].
        utterance: [B, R] int32, the utterance each is at.
        token: [B, R] int32, the token that was chosen.
    """

    history: HistoryFeatures
    utterance: tf.Tensor
    token: tf.Tensor


class ScoredDecisions(NamedTuple):
    """Decisions and what the parser says of them, recorded by a gradient tape.

    Attributes:
        decisions: the decisions.
        scores: of all tokens.
        log_prob: [B, R] float32, of the chosen tokens.
    """

    decisions: Decisions
    scores: DecoderScores
    log_prob: tf.Tensor


class DecisionWeights(NamedTuple):
    """Sums over the programs that go through decisions, [B, R] float32 each.

    Attributes:
        total: Σ w.
        squared: Σ w².
    """

    total: tf.Tensor
    squared: tf.Tensor

    @property
    def traced(self) -> tf.Tensor:
        """Σ w, with a trace of weight where weights cancel out but their squares do not."""
        cancels = tf.equal(self.total, 0.0) & (self.squared > 0)
        return tf.where(cancels, _TRACE, self.total)


def score_decisions(
    parser: ParserProtocol, memory: MemoryProtocol, decisions: Decisions
) -> ScoredDecisions:
    """Scores decisions; call it under a tape."""
    scores = parser.score(memory, decisions.history, decisions.utterance)
    log_prob = tf.gather(scores.log_probs, decisions.token, batch_dims=2)
    return ScoredDecisions(decisions, scores, log_prob)


def weighted_loss(scored: ScoredDecisions, weights: DecisionWeights) -> tf.Tensor:
    """Σ weight × cross-entropy, a scalar."""
    return -tf.reduce_sum(weights.traced * scored.log_prob)
