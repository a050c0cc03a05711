"""What is said for or against programs before any of them was tried on words."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

import gin
from lang2program_tf.language import Domain, Kind

# Their number stands before them.
_TAKE_A_NUMBER = (Kind.INDEX, Kind.PREV_ARG, Kind.PREV_ACTION)


@gin.configurable
class NamingPrior:
    """Costs for naming things by place: who is named by what he wears is meant so.

    Among programs that lead to the same world, those with `index` and with bare numbers are most
    often right by chance: whatever stands somewhere can be named by where it stands.
    """

    def __init__(self, *, index_nats: float = 0.0, number_nats: float = 0.0) -> None:
        """Costs in nats, 0 or more.

        Args:
            index_nats: for each `index`.
            number_nats: for each number that is itself an argument, of an action or of nothing yet;
                not for those that say which object or which command.
        """
        for name, nats in (("index_nats", index_nats), ("number_nats", number_nats)):
            if nats < 0:
                raise ValueError(f"{name}={nats} must be 0 or more")
        self.index_nats = index_nats
        self.number_nats = number_nats

    def __call__(self, domain: Domain, tokens: tf.Tensor) -> tf.Tensor:
        """The logarithm of the prior, not normalised.

        Args:
            domain: whose tokens they are.
            tokens: [..., L] int, token ids of programs; −1 behind the end.

        Returns:
            [...] float32.
        """
        # The last row is that of −1.
        kinds = [*(token.kind for token in domain.tokens), None]
        here = tf.where(tokens < 0, len(domain.tokens), tf.cast(tokens, tf.int32))  # [..., L]
        after = tf.concat([here[..., 1:], tf.fill(tf.shape(here[..., :1]), len(kinds) - 1)], -1)
        is_index = _among(kinds, (Kind.INDEX,), here)
        is_bare = _among(kinds, (Kind.NUMBER,), here) * (1 - _among(kinds, _TAKE_A_NUMBER, after))
        costs = self.index_nats * is_index + self.number_nats * is_bare
        return -tf.reduce_sum(costs, axis=-1)


def _among(kinds: list[Kind | None], wanted: tuple[Kind, ...], tokens: tf.Tensor) -> tf.Tensor:
    """Float32 of the shape of `tokens`: 1 for tokens of a wanted kind, else 0."""
    return tf.gather(np.array([kind in wanted for kind in kinds], np.float32), tokens)
