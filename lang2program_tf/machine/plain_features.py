"""The features of prefixes that are given in Python, one after the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import tensorflow as tf

from lang2program_tf.language import Domain
from lang2program_tf.language.values import ObjectList, Value
from lang2program_tf.machine.features import (
    ABSENT,
    HISTORY_TOKENS,
    MAX_OBJECTS,
    STACK_SLOTS,
    StackFeatures,
)
from lang2program_tf.machine.primitives import attribute_rows, primitive_row


def plain_tokens_features(token_ids: Sequence[Sequence[int]]) -> tf.Tensor:
    """The `tokens` feature of R prefixes given as sequences of token ids: [R, 4] int32."""
    rows = np.full([len(token_ids), HISTORY_TOKENS], ABSENT, np.int32)
    for row, prefix in zip(rows, token_ids):
        latest = list(prefix)[-HISTORY_TOKENS:]
        row[HISTORY_TOKENS - len(latest) :] = latest
    return tf.constant(rows)


def plain_stack_features(domain: Domain, stacks: Sequence[Sequence[Value]]) -> StackFeatures:
    """The features of R stacks of language values, bottom first: leading dimension R."""
    shape = [len(stacks), STACK_SLOTS]
    primitive = np.full(shape, ABSENT, np.int32)
    num_attributes = len(domain.things.attributes)
    attributes = np.full([*shape, num_attributes, MAX_OBJECTS], ABSENT, np.int32)
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
