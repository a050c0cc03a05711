"""What the STACK embedding sees of states of the tensor machine."""

from __future__ import annotations

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from lang2program_tf.machine import state as st
from lang2program_tf.machine.rules import Rules
from lang2program_tf.model.features import ABSENT, MAX_OBJECTS, StackFeatures
from lang2program_tf.model.primitives import color_row, fraction_row, number_row

_CONSTANTS = 16  # more than there are different numbers or colors
_LARGEST = 10


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
