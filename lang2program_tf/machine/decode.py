"""Turns states of the tensor machine back into states of the Python language."""

from __future__ import annotations

from typing import Any

import numpy as np

from lang2program_tf.language import UNKNOWN_COMMAND, Command, State
from lang2program_tf.language.values import Color, Fraction, ObjectList, Value
from lang2program_tf.machine import state as st
from lang2program_tf.machine.rules import Rules
from lang2program_tf.machine.state import MachineState


def decode_state(rules: Rules, state: MachineState) -> State:
    """One state without leading axes, as NumPy arrays or eager tensors."""
    codes = np.asarray(state.world).tolist()
    world = rules.decode_world(codes, next_identity=int(state.next_identity))
    stack = tuple(
        _decode_value(rules, int(kind), values.tolist())
        for kind, values in zip(np.asarray(state.kinds), np.asarray(state.values))
        if kind != st.NONE
    )
    names = [UNKNOWN_COMMAND.action, *(token.name for token in rules.domain.action_tokens)]
    history = tuple(
        Command(
            names[action],
            tuple(_decode_argument(rules, argument) for argument in arguments if argument),
        )
        for action, *arguments in np.asarray(state.history)[: int(state.utterance)].tolist()
    )
    return State(world, history, stack)


def _decode_value(rules: Rules, kind: int, values: list[int]) -> Value:
    if kind == st.NUMBER:
        return values[0]
    if kind == st.COLOR:
        return Color(st.COLOR_LETTERS[values[0]])
    if kind == st.FRACTION:
        return Fraction("1/1")
    if kind == st.OBJECT:
        return _decode_object(rules, values[0])
    return ObjectList(_decode_object(rules, code) for code in values if code)


def _decode_argument(rules: Rules, argument: int) -> Value:
    if argument < st.OBJECT_CODE_BASE:
        return argument
    return _decode_object(rules, argument)


def _decode_object(rules: Rules, code: int) -> Any:
    return rules.decode_object(code)
