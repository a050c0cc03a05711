"""Several parsers of one domain as one: the average of their probabilities of the next token."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from lang2program_tf.machine.examples import Examples
from lang2program_tf.machine.features import HistoryFeatures
from lang2program_tf.machine.follow import Following
from lang2program_tf.model.decoder import DecoderScores
from lang2program_tf.model.dropout import DropoutSeed
from lang2program_tf.model.parser import Parser, ParserMemory


class CommitteeMemory(tuple[ParserMemory, ...]):
    """What each member has read of B examples."""

    def of_examples(self, rows: slice | tf.Tensor) -> CommitteeMemory:
        """What they have read of some of the examples."""
        return CommitteeMemory(memory.of_examples(rows) for memory in self)

    def with_room(self) -> CommitteeMemory:
        """The same for XLA, in one of few shapes."""
        return CommitteeMemory(memory.with_room() for memory in self)

    def in_place(self, attention: tf.Tensor) -> tf.Tensor:
        """Attention [B, R, N] of scores as attention to all words, [B, R, M, W]."""
        return self[0].in_place(attention)


class Committee:
    """A parser, see `ParserProtocol`, that others make up; it is for prediction, not for learning.

    Attributes:
        members: two or more parsers with the same vocabulary; they share its vectors.
        context: what they see beside the present sentence.
        trainable_variables: of all members.
    """

    def __init__(self, members: Sequence[Parser]) -> None:
        first, *others = members
        for number, other in enumerate(others, start=2):
            vectors = other.encoder.word_vectors
            if not np.array_equal(vectors.numpy(), first.encoder.word_vectors.numpy()):
                raise ValueError(f"members[{number - 1}] has other words than members[0]")
            other.encoder.word_vectors = first.encoder.word_vectors
        self.members = tuple(members)
        self.context = first.context
        self.trainable_variables: Sequence[tf.Variable] = [
            variable for member in members for variable in member.trainable_variables
        ]

    @property
    def variables(self) -> list[tf.Variable]:
        """Of all members, the shared ones once."""
        found = {v.ref(): v for member in self.members for v in member.variables}
        return list(found.values())

    @property
    def num_words(self) -> int:
        """Rows of the vocabulary."""
        return self.members[0].num_words

    def read(
        self, words: tf.Tensor, examples: Examples, *, dropout_seed: DropoutSeed | None = None
    ) -> CommitteeMemory:
        """Every member reads; all see the same of the world."""
        features = self.members[0].context_features(examples)
        return CommitteeMemory(
            member.read(words, examples, dropout_seed=dropout_seed, features=features)
            for member in self.members
        )

    def begin(self, memory: CommitteeMemory, num_prefixes: int) -> tuple[tf.Tensor, ...]:
        """What every member carries."""
        return tuple(member.begin(part, num_prefixes) for member, part in zip(self.members, memory))

    def log_probs(
        self,
        memory: CommitteeMemory,
        carried: tuple[tf.Tensor, ...],
        *,
        recent: tf.Tensor,
        utterance: tf.Tensor,
    ) -> tf.Tensor:
        """[B, K, V] float32, logarithms of the averages of the members' probabilities."""
        return _average(
            member.log_probs(part, own, recent=recent, utterance=utterance)
            for member, part, own in zip(self.members, memory, carried)
        )

    def look(self, after: Following) -> tf.Tensor:
        """What members want to know of tokens that were run; all want the same."""
        return self.members[0].look(after)

    def note(
        self,
        memory: CommitteeMemory,
        carried: tuple[tf.Tensor, ...],
        *,
        seen: tf.Tensor,
        parent: tf.Tensor,
        source: tf.Tensor,
    ) -> tuple[tf.Tensor, ...]:
        """What every member carries after tokens."""
        return tuple(
            member.note(part, own, seen=seen, parent=parent, source=source)
            for member, part, own in zip(self.members, memory, carried)
        )

    def score(
        self, memory: CommitteeMemory, history: HistoryFeatures, utterance: tf.Tensor
    ) -> DecoderScores:
        """Scores of decisions: averaged probabilities and attention, the rest of the first."""
        scores: list[Any] = [
            member.score(part, history, utterance) for member, part in zip(self.members, memory)
        ]
        attention = tf.add_n([each.attention for each in scores]) / float(len(scores))
        log_probs = _average(each.log_probs for each in scores)
        return scores[0]._replace(log_probs=log_probs, attention=attention)

    def first_non_finite_variable(self) -> str | None:
        """The name of a variable that holds NaN or infinity, None if all are finite."""
        names = (member.first_non_finite_variable() for member in self.members)
        return next((name for name in names if name is not None), None)


def _average(log_probs: Any) -> tf.Tensor:
    parts = list(log_probs)
    return tf.reduce_logsumexp(tf.stack(parts), axis=0) - np.log(float(len(parts)))
