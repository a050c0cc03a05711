"""Where the examples of a search stand in their batch."""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf

from lang2program_tf.machine import Examples


class BatchPart(NamedTuple):
    """Where the examples of a search stand in a batch of which others search the rest.

    Attributes:
        first: int or int32 scalar, the place of the first of them; the others follow it.
        size: int or int32 scalar, examples of the whole batch.
        most_new: int or int32 scalar, the largest number of utterances to parse in that batch.
        stride: how many places one stands behind the other.
    """

    first: int | tf.Tensor
    size: int | tf.Tensor
    most_new: int | tf.Tensor
    stride: int = 1

    def places(self, begin: int | tf.Tensor, end: int | tf.Tensor) -> slice:
        """Those of some of these examples."""
        return slice(self.first + begin * self.stride, self.first + end * self.stride, self.stride)


def whole_batch(examples: Examples) -> BatchPart:
    """All examples of a batch."""
    return BatchPart(0, num_examples(examples), most_new=tf.reduce_max(examples.num_new))


def num_examples(examples: Examples) -> int | tf.Tensor:
    """The number of examples: an int, if it is known."""
    return examples.num_utterances.shape[0] or tf.shape(examples.num_utterances)[0]
