"""What search and learning know of a parser: any class with these methods can take its place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import tensorflow as tf

from lang2program_tf.machine.examples import Examples
from lang2program_tf.machine.features import HistoryFeatures
from lang2program_tf.machine.follow import Following
from lang2program_tf.model.decoder import DecoderScores
from lang2program_tf.model.dropout import DropoutSeed


class MemoryProtocol(Protocol):
    """What a parser has read of B examples: all that scoring needs and no prefix changes."""

    def of_examples(self, rows: slice | tf.Tensor) -> Any:
        """The memory of some of the examples, by a slice or by their numbers [n]."""

    def with_room(self) -> Any:
        """The same for XLA, in one of few shapes.

        A search that is compiled asks for it: compiled code is for one shape. No score changes.
        """

    def in_place(self, attention: tf.Tensor) -> tf.Tensor:
        """Attention [B, R, N] of scores as attention to all words, [B, R, M, W]."""


class ParserProtocol(Protocol):
    """p(token | prefix, utterances).

    A search reads a batch once and begins a set of prefixes. Then, once an iteration, it asks for
    log-probabilities, runs the tokens it has chosen, lets the parser look at what they did, and
    lets it note that. What a parser carries from one iteration to the next is its own business: any
    nest of tensors with the leading axes [B, K].

    Learning scores decisions of prefixes that a search has left behind.

    Attributes:
        trainable_variables: everything that is trained.
    """

    trainable_variables: Sequence[tf.Variable]

    def read(
        self, words: tf.Tensor, examples: Examples, *, dropout_seed: DropoutSeed | None = None
    ) -> Any:
        """The memory of B examples, see `MemoryProtocol`.

        Args:
            words: [B, M, W] int32, word ids.
            examples: where they begin.
            dropout_seed: in learning, for parsers that then drop some of what they see.
        """

    def begin(self, memory: Any, num_prefixes: int) -> Any:
        """What is carried for K = `num_prefixes` empty prefixes of each example."""

    def log_probs(
        self, memory: Any, carried: Any, *, recent: tf.Tensor, utterance: tf.Tensor
    ) -> tf.Tensor:
        """[B, K, V] float32, log-probabilities of all tokens after each prefix.

        Args:
            memory: of B examples.
            carried: for the prefixes.
            recent: [B, K, 4] int32, their last tokens, as far as they may be seen.
            utterance: [B, K] int32, which of its example's M utterances a prefix is at.
        """

    def look(self, after: Following) -> Any:
        """What the parser wants to know of tokens that were run: any nest of ints."""

    def note(
        self,
        memory: Any,
        carried: Any,
        *,
        seen: Any,
        parent: tf.Tensor,
        source: tf.Tensor,
    ) -> Any:
        """What is carried after tokens.

        Args:
            memory: of B examples.
            carried: for the prefixes before.
            seen: what `look` gave.
            parent: [B, K] int32, which of the prefixes before each new one continues.
            source: [B, K, S] int32, where its stack slots come from, see `Following`.
        """

    def score(self, memory: Any, history: HistoryFeatures, utterance: tf.Tensor) -> DecoderScores:
        """Scores of all tokens for decisions [B, R], to learn from or to show.

        Args:
            memory: of B examples.
            history: of the prefixes, leading axes [B, R].
            utterance: [B, R] int32, which utterance each is at.
        """

    def first_non_finite_variable(self) -> str | None:
        """The name of a trained variable that holds NaN or infinity, None if all are finite."""
