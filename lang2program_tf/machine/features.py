"""What a parser sees of a prefix's execution: its last tokens and its stack, as table rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from lang2program_tf.language import MAX_STACK
from lang2program_tf.machine import state as st
from lang2program_tf.machine.primitives import color_row, fraction_row, number_row
from lang2program_tf.machine.rules import Rules

HISTORY_TOKENS = 4
STACK_SLOTS = MAX_STACK
MAX_OBJECTS = 7
ABSENT = -1

_CONSTANTS = 16  # more than there are different numbers or colors
_LARGEST = 10


class StackFeatures(NamedTuple):
    """A batch of stacks, or of single values, as rows of the primitive table.

    Slots are right-aligned: the top of the stack is slot 2, a stack of one value leaves slots 0
    and 1 empty. An empty slot has −1 everywhere and `is_object` False. Single values have no axis
    of slots.

    Attributes:
        primitive: [..., 3] int32, row of the number, color or fraction in a slot, −1 if none.
        attributes: [..., 3, A, 7] int32, row of attribute a (order of `WorldObject.attributes`) of
            the k-th object in a slot, −1 where there is none. A lone object is a list of one; of a
            longer list the first 7 count.
        is_object: [..., 3] bool, the slot holds an object or a list, be it an empty one.
    """

    primitive: tf.Tensor
    attributes: tf.Tensor
    is_object: tf.Tensor


class HistoryFeatures(NamedTuple):
    """The execution history of a batch of prefixes. A part that the parser does not use is None.

    Attributes:
        tokens: [..., 4] int32, ids of the last tokens, the latest in column 3, −1 where there is
            none yet.
        stack: a StackFeatures with the same leading dimensions.
    """

    tokens: tf.Tensor | None = None
    stack: StackFeatures | None = None


def _primitive_rows() -> NDArray[np.int32]:
    """[kinds * _CONSTANTS] the row of a number, color or fraction, at kind and value + 1."""
    rows = np.full([st.LIST + 1, _CONSTANTS], ABSENT, np.int32)
    for number in range(-1, _LARGEST + 1):
        rows[st.NUMBER, number + 1] = number_row(number)
    for color, letter in enumerate(st.COLOR_LETTERS[1:], start=1):
        rows[st.COLOR, color + 1] = color_row(letter)
    rows[st.FRACTION, 2] = fraction_row("1/1")
    return rows.ravel()


_PRIMITIVE_ROWS = _primitive_rows()


def stack_features(rules: Rules, kinds: tf.Tensor, values: tf.Tensor) -> StackFeatures:
    """The features of stacks, or of single values.

    Args:
        rules: the domain's rules.
        kinds: [...] and
        values: [..., P] as in `MachineState`; the last axis of kinds is that of slots, if any.
    """
    constant = tf.minimum(values[..., 0], _LARGEST) + 1
    codes = values[..., :MAX_OBJECTS]
    missing = MAX_OBJECTS - codes.shape[-1]
    if missing > 0:
        codes = tf.concat([codes, tf.zeros_like(codes[..., :missing])], axis=-1)
    return StackFeatures(
        primitive=tf.gather(_PRIMITIVE_ROWS, kinds * _CONSTANTS + constant),
        attributes=rules.attribute_rows(codes),
        is_object=kinds >= st.OBJECT,
    )
