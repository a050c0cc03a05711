"""Runs the Python executor and the tensor machine side by side, one token from many states."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from lang2program_tf.language import Continuation, Outcome, State, continuations
from lang2program_tf.machine import Machine, MachineState
from lang2program_tf.machine.encode import encode_states
from lang2program_tf.machine.state import OUTCOMES

_OUTCOME_NUMBERS = {outcome: OUTCOMES.index(outcome.value) for outcome in Outcome}
_MOST_GROUPS = 8


class Difference(NamedTuple):
    """A token on which the executors disagree.

    Attributes:
        row: which of the states it follows.
        token: the token's id.
        parts: in what they disagree: `outcome`, and fields of `MachineState`.
    """

    row: int
    token: int
    parts: tuple[str, ...]


class Applied(NamedTuple):
    """The N applications of a token to a state whose result was compared.

    Attributes:
        rows: [N] int, which of the states.
        tokens: [N] int, the token's id.
        python: [N, ...] the states after the tokens, encoded.
        machine: [N, ...] the same of the tensor machine.
    """

    rows: NDArray[np.int32]
    tokens: NDArray[np.int32]
    python: MachineState
    machine: MachineState


class Comparison(NamedTuple):
    """What tokens do to B states, by two executors.

    Attributes:
        outcomes: [B, V] int32, Python's outcomes of all tokens as `OUTCOMES` indices.
        machine_outcomes: [B, V] int32, the same of the tensor machine.
        applied: the states after the tokens that were applied.
        differences: where the executors disagree, by state and token.
    """

    outcomes: NDArray[np.int32]
    machine_outcomes: NDArray[np.int32]
    applied: Applied
    differences: tuple[Difference, ...]


class SideBySide:
    """Compares the tensor machine with Python.

    Both start from the same states, so a difference is the fault of one token.

    Attributes:
        machine: the tensor machine; its rules name the domain.
        max_utterances: the longest history that a state may have.
    """

    def __init__(self, machine: Machine, *, max_utterances: int) -> None:
        self.machine = machine
        self.max_utterances = max_utterances
        tokens = machine.rules.domain.tokens
        self._token_ids = {token.name: place for place, token in enumerate(tokens)}
        self._run = tf.function(
            self._run_machine,
            input_signature=_signature(machine, max_utterances),
            autograph=False,
        )

    def try_tokens(
        self, states: Sequence[State], num_utterances: Sequence[int]
    ) -> list[tuple[Continuation, ...]]:
        """What Python makes of all tokens, for each state."""
        domain = self.machine.rules.domain
        return [
            continuations(domain, state, num_utterances=count)
            for state, count in zip(states, num_utterances)
        ]

    def compare(
        self,
        states: Sequence[State],
        num_utterances: Sequence[int],
        *,
        tried: Sequence[Sequence[Continuation]],
        applied: Sequence[Sequence[Continuation]],
    ) -> Comparison:
        """Compares the outcomes of all tokens, and the states after some.

        Args:
            states: B states of programs that are not complete.
            num_utterances: B numbers of utterances.
            tried: what `try_tokens` gives for them.
            applied: those of `tried` whose states are to be compared. Tokens that fail have none;
                states with more values than the machine has slots, which a search prunes, are left
                out too.
        """
        runs = [
            (row, self._token_ids[step.token.name], step.state)
            for row, steps in enumerate(applied)
            for step in steps
            if step.state is not None and len(step.state.stack) <= self.machine.stack_slots
        ]
        rows = np.array([row for row, _, _ in runs], np.int32)
        tokens = np.array([token for _, token, _ in runs], np.int32)
        outcomes = np.array(
            [[_OUTCOME_NUMBERS[step.outcome] for step in steps] for steps in tried], np.int32
        )
        machine_outcomes, after = self._ask_machine(states, num_utterances, rows, tokens)
        compared = Applied(rows, tokens, self._encode([state for _, _, state in runs]), after)
        differences = _differences(outcomes, machine_outcomes, compared)
        return Comparison(outcomes, machine_outcomes, compared, differences)

    def _encode(self, states: Sequence[State]) -> MachineState:
        return encode_states(
            self.machine.rules,
            states,
            max_utterances=self.max_utterances,
            stack_slots=self.machine.stack_slots,
        )

    def _ask_machine(
        self,
        states: Sequence[State],
        num_utterances: Sequence[int],
        rows: NDArray[np.int32],
        tokens: NDArray[np.int32],
    ) -> tuple[NDArray[np.int32], MachineState]:
        """Outcomes [B, V] from all states, and the states after `tokens` from those of `rows`."""
        groups = math.gcd(len(states), _MOST_GROUPS)
        size = len(states) // groups
        # As in a search: G examples of K prefixes, J continuations chosen from each example's.
        group = rows // size
        counts = np.bincount(group, minlength=groups)
        place = np.arange(len(rows)) - (np.cumsum(counts) - counts)[group]
        parent = np.zeros([groups, counts.max()], np.int32)
        token = np.zeros_like(parent)
        parent[group, place] = rows % size
        token[group, place] = tokens
        before = MachineState(
            *(part.reshape(groups, size, *part.shape[1:]) for part in self._encode(states))
        )
        limits = np.array(num_utterances, np.int32).reshape(groups, size)
        outcomes, after = self._run(before, limits, parent, token)
        return (
            outcomes.numpy().reshape(len(states), -1),
            MachineState(*(part.numpy()[group, place] for part in after)),
        )

    def _run_machine(
        self,
        state: MachineState,
        num_utterances: tf.Tensor,
        parent: tf.Tensor,
        token: tf.Tensor,
    ) -> tuple[tf.Tensor, MachineState]:
        options = self.machine.options(state, num_utterances)
        return options.outcomes, self.machine.follow(state, options, parent, token).state


def _signature(machine: Machine, max_utterances: int) -> list[MachineState | tf.TensorSpec]:
    def spec(*sizes: int) -> tf.TensorSpec:
        return tf.TensorSpec([None, None, *sizes], tf.int32)

    positions, slots = machine.rules.num_positions, machine.stack_slots
    state = MachineState(
        world=spec(positions),
        kinds=spec(slots),
        values=spec(slots, positions),
        history=spec(max_utterances, 3),
        utterance=spec(),
        next_identity=spec(),
    )
    return [state, spec(), spec(), spec()]


def _differences(
    outcomes: NDArray[np.int32], machine_outcomes: NDArray[np.int32], applied: Applied
) -> tuple[Difference, ...]:
    parts: dict[tuple[int, int], list[str]] = {}
    for row, token in np.argwhere(outcomes != machine_outcomes).tolist():
        parts[row, token] = ["outcome"]
    for name, python, machine in zip(MachineState._fields, applied.python, applied.machine):
        unequal = (python != machine).any(axis=tuple(range(1, python.ndim)))
        for place in np.flatnonzero(unequal):
            key = int(applied.rows[place]), int(applied.tokens[place])
            parts.setdefault(key, []).append(name)
    return tuple(Difference(*key, tuple(names)) for key, names in sorted(parts.items()))
