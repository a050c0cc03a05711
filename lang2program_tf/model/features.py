"""What the parser sees of a prefix's execution: its last tokens and its stack, as table rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from lang2program_tf.language import MAX_STACK, Domain
from lang2program_tf.language.values import ObjectList, Value
from lang2program_tf.model.primitives import ATTRIBUTES, attribute_rows, primitive_row

HISTORY_TOKENS = 4
STACK_SLOTS = MAX_STACK
MAX_OBJECTS = 7
ABSENT = -1


class StackFeatures(NamedTuple):
    """A batch of stacks as rows of the primitive table.

    Slots are right-aligned: the top of the stack is slot 2, a stack of one value leaves slots 0
    and 1 empty. An empty slot has −1 everywhere and `is_object` False.

    Attributes:
      primitive: [..., 3] int32, row of the number, color or fraction in a slot, −1 if none.
      attributes: [..., 3, A, 7] int32, row of attribute a (order of `primitives.ATTRIBUTES`) of
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


def tokens_features(token_ids: Sequence[Sequence[int]]) -> tf.Tensor:
    """The `tokens` feature of R prefixes given as sequences of token ids: [R, 4] int32."""
    rows = np.full([len(token_ids), HISTORY_TOKENS], ABSENT, np.int32)
    for row, prefix in zip(rows, token_ids):
        latest = list(prefix)[-HISTORY_TOKENS:]
        row[HISTORY_TOKENS - len(latest) :] = latest
    return tf.constant(rows)


def stack_features(domain: Domain, stacks: Sequence[Sequence[Value]]) -> StackFeatures:
    """The features of R stacks of language values, bottom first: leading dimension R."""
    shape = [len(stacks), STACK_SLOTS]
    primitive = np.full(shape, ABSENT, np.int32)
    attributes = np.full([*shape, len(ATTRIBUTES[domain.name]), MAX_OBJECTS], ABSENT, np.int32)
    is_object = np.zeros(shape, np.bool_)
    for r, stack in enumerate(stacks):
        if len(stack) > STACK_SLOTS:
            raise ValueError(f"stacks[{r}] holds {len(stack)} values, more than {STACK_SLOTS}")
        for slot, value in enumerate(stack, start=STACK_SLOTS - len(stack)):
            row = primitive_row(value)
            if row is not None:
                primitive[r, slot] = row
                continue
            is_object[r, slot] = True
            things = value if isinstance(value, ObjectList) else (value,)
            for k, thing in enumerate(things[:MAX_OBJECTS]):
                attributes[r, slot, :, k] = attribute_rows(thing)
    return StackFeatures(tf.constant(primitive), tf.constant(attributes), tf.constant(is_object))
