"""Turns states of the Python language into states of the tensor machine, many at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

from lang2program_tf.language import MAX_STACK, UNKNOWN_COMMAND, Command, State, World
from lang2program_tf.language.values import Color, Fraction, ObjectList, Value, WorldObject
from lang2program_tf.machine import state as st
from lang2program_tf.machine.rules import Rules
from lang2program_tf.machine.state import MachineState


def encode_states(
    rules: Rules, states: Sequence[State], *, max_utterances: int, stack_slots: int = MAX_STACK
) -> MachineState:
    """The tensors that the machine holds for these states.

    Args:
        rules: the domain's rules.
        states: N states; states that follow each other share most of their parts, and a part that
            is shared is encoded once.
        max_utterances: M, how many commands a history holds.
        stack_slots: S, how many values a stack holds.

    Returns:
        NumPy int32 arrays with the leading axis N.
    """
    encoder = _Encoder(rules, max_utterances=max_utterances, stack_slots=stack_slots)
    parts = np.array([encoder.parts(state) for state in states], np.int64)
    parts = parts.reshape(len(states), 2 + stack_slots)
    worlds = encoder.worlds.array()[parts[:, 0]]  # [N, 1 + P]
    histories = encoder.histories.array()[parts[:, 1]]  # [N, 1 + 3 M]
    values = encoder.values.array()[parts[:, 2:]]  # [N, S, 1 + P]
    return MachineState(
        world=worlds[:, 1:],
        kinds=values[..., 0],
        values=values[..., 1:],
        history=histories[:, 1:].reshape(len(states), max_utterances, 3),
        utterance=histories[:, 0],
        next_identity=worlds[:, 0],
    )


class _Rows:
    """Rows of ints, one for each object that was asked for.

    Objects are told apart by `id`: equality of worlds leaves out the hidden numbers of people. So
    the objects must live as long as the rows.
    """

    def __init__(self, encode: Callable[[Any], list[int]], *, width: int) -> None:
        """`encode` gives the `width` ints of an object; row 0 is zeros, for no object."""
        self._encode = encode
        self._places: dict[int, int] = {}
        self._rows = [[0] * width]

    def place(self, thing: Any) -> int:
        """The number of the row that encodes `thing`."""
        place = self._places.get(id(thing))
        if place is None:
            place = self._places[id(thing)] = len(self._rows)
            self._rows.append(self._encode(thing))
        return place

    def array(self) -> NDArray[np.int32]:
        """[rows, width] int32."""
        return np.array(self._rows, np.int32)


class _Encoder:
    """Encodes states as the places of their world, history and stack values in three tables."""

    def __init__(self, rules: Rules, *, max_utterances: int, stack_slots: int) -> None:
        self._rules = rules
        self._max_utterances = max_utterances
        self._stack_slots = stack_slots
        names = [UNKNOWN_COMMAND.action, *(token.name for token in rules.domain.action_tokens)]
        self._numbers = {name: number for number, name in enumerate(names)}
        self.worlds = _Rows(self._encode_world, width=1 + rules.num_positions)
        self.histories = _Rows(self._encode_history, width=1 + 3 * max_utterances)
        self.values = _Rows(self._encode_value, width=1 + rules.num_positions)

    def parts(self, state: State) -> list[int]:
        """The places of the world, of the history, and of the value in each slot, right-aligned."""
        free = self._stack_slots - len(state.stack)
        if free < 0:
            raise ValueError(f"stack_slots={self._stack_slots} is less than {len(state.stack)}")
        return [
            self.worlds.place(state.world),
            self.histories.place(state.history),
            *[0] * free,
            *map(self.values.place, state.stack),
        ]

    def _encode_world(self, world: World) -> list[int]:
        return [self._rules.next_identity(world), *self._rules.encode_world(world)]

    def _encode_history(self, history: tuple[Command, ...]) -> list[int]:
        free = self._max_utterances - len(history)
        if free < 0:
            raise ValueError(f"max_utterances={self._max_utterances} is less than {len(history)}")
        row = [len(history)]
        for action, arguments in history:
            codes = [self._encode_scalar(argument)[1] for argument in arguments]
            row += [self._numbers[action], *codes, *[0] * (2 - len(codes))]
        return row + [0] * (3 * free)

    def _encode_value(self, value: Value) -> list[int]:
        if isinstance(value, ObjectList):
            row = [st.LIST, *map(self._rules.encode_object, value)]
        else:
            row = [*self._encode_scalar(value)]
        return row + [0] * (1 + self._rules.num_positions - len(row))

    def _encode_scalar(self, value: Value) -> tuple[int, int]:
        """Kind and code of a value that is not a list."""
        if isinstance(value, int):
            return st.NUMBER, value
        if isinstance(value, Color):
            return st.COLOR, st.COLOR_LETTERS.index(value)
        if isinstance(value, Fraction):
            return st.FRACTION, 1
        if isinstance(value, WorldObject):
            return st.OBJECT, self._rules.encode_object(value)
        raise ValueError(f"value={value!r} is not a value of the language")
