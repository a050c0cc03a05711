"""Says which variable is to blame when scores are not finite."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import tensorflow as tf

from lang2program_tf.errors import UserError
from lang2program_tf.model.parser_protocol import ParserProtocol

NOT_FINITE = "token scores are not finite"


def all_finite(parser: ParserProtocol) -> tf.Tensor:
    """Whether all trained weights are finite: bool scalar, in the graph.

    Scores alone do not tell: a fused ReLU of TensorFlow may turn NaN into 0.
    """
    sums = [tf.reduce_sum(variable) for variable in parser.trainable_variables]
    return tf.reduce_all(tf.math.is_finite(tf.stack(sums)))


class NonFiniteError(UserError):
    """Scores are NaN or infinite."""


@contextmanager
def blame_non_finite(parser: ParserProtocol) -> Iterator[None]:
    """Turns the graph's complaint about scores into an error that names the variable."""
    try:
        yield
    except tf.errors.InvalidArgumentError as error:
        if NOT_FINITE not in str(error):
            raise
        name = parser.first_non_finite_variable()
        where = f"variable {name} holds NaN or infinity" if name else "all variables are finite"
        raise NonFiniteError(f"{NOT_FINITE}: {where}") from error
