"""Numbers that are said because an earlier command had to do with them: "he moves back"."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from lang2program_tf.language import Domain, Kind
from lang2program_tf.machine.examples import take
from lang2program_tf.model.initial_values import InitialValues
from lang2program_tf.model.linear import Linear

_NOT_THERE = -1e9
_NUMBERS = 4  # of a command, see `ContextFeatures.numbers`


class Copies(NamedTuple):
    """The M commands before each of B turns, ready to be copied from.

    Attributes:
        keys: [B, M, Q] float32, what queries are compared with.
        bias: [B, M] float32, very low where there is no command.
        tokens: [B, M, 4 * V] float32, 1 at the token of each number of a command.
    """

    keys: tf.Tensor
    bias: tf.Tensor
    tokens: tf.Tensor

    def of_examples(self, rows: slice | tf.Tensor) -> Copies:
        """Those of some of the examples."""
        return Copies(*(take(part, rows) for part in self))


class CopiedNumbers(tf.keras.layers.Layer):
    """Scores of numbers: how much a command is meant, times which of its numbers is."""

    def __init__(
        self,
        domain: Domain,
        *,
        command_width: int,
        query_width: int,
        initial: InitialValues,
    ) -> None:
        """Creates the variables.

        Args:
            domain: whose tokens are scored.
            command_width: how many features a command has.
            query_width: width Q of a query.
            initial: where initial values come from.
        """
        super().__init__()
        self.num_tokens = len(domain.tokens)
        self._token = _tokens_of_numbers(domain)
        # Without a bias, which a softmax does not see.
        self.keys = tf.Variable(initial.glorot_uniform(command_width, query_width), name="keys")
        with tf.name_scope("which"):
            self.which = Linear(query_width, outputs=_NUMBERS, initial=initial)

    def prepare(self, commands: tf.Tensor, performed: tf.Tensor, numbers: tf.Tensor) -> Copies:
        """Multiplies out what no query changes, see `ContextFeatures`."""
        shape = tf.shape(performed)
        keys = tf.matmul(tf.reshape(commands, [-1, commands.shape[-1]]), self.keys)
        keys *= self.keys.shape[1] ** -0.5
        token = tf.gather(self._token, tf.clip_by_value(numbers, 0, len(self._token) - 1))
        tokens = tf.one_hot(token, self.num_tokens)  # [B, M, 4, V]
        return Copies(
            keys=tf.reshape(keys, [shape[0], shape[1], keys.shape[-1]]),
            bias=tf.where(performed, 0.0, _NOT_THERE),
            tokens=tf.reshape(tokens, [shape[0], shape[1], _NUMBERS * self.num_tokens]),
        )

    def score(self, copies: Copies, query: tf.Tensor) -> tf.Tensor:
        """[B, R, V] what to add to the scores of tokens, for queries [B, R, Q]."""
        shape = tf.shape(query)
        meant = tf.matmul(query, copies.keys, transpose_b=True) + copies.bias[:, tf.newaxis]
        said = tf.matmul(tf.nn.softmax(meant), copies.tokens)  # [B, R, 4 * V]
        which = self.which(tf.reshape(query, [-1, query.shape[-1]]))
        scores = tf.matmul(
            which[:, tf.newaxis], tf.reshape(said, [-1, _NUMBERS, self.num_tokens])
        )  # [B * R, 1, V]
        return tf.reshape(scores, [shape[0], shape[1], self.num_tokens])


def _tokens_of_numbers(domain: Domain) -> NDArray[np.int32]:
    """The ids of the tokens of 0, 1, 2 and so on; −1 for numbers without one."""
    numbers = {
        token.value: place
        for place, token in enumerate(domain.tokens)
        if token.kind is Kind.NUMBER and isinstance(token.value, int)
    }
    return np.array([numbers.get(n, -1) for n in range(max(numbers) + 1)], np.int32)
