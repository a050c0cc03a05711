"""The walks of `executor.DOMAIN` on the tensor machine, many at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from lang2program_tf.language import MAX_STACK, Domain, State
from lang2program_tf.machine import Examples, Machine, MachineState, get_machine
from lang2program_tf.machine.decode import decode_state
from lang2program_tf.machine.state import OUTCOMES
from lang2program_tf.parity.comparison import Comparison
from lang2program_tf.parity.executor_records import (
    canonical_state,
    compare_end,
    compare_form,
    compare_letters,
    compare_state,
)
from lang2program_tf.parity.recordings import Record, chunks, reading

_WALKS_AT_ONCE = 5000
_LETTERS = np.frombuffer("".join(OUTCOMES).encode(), np.uint8)


def compare_on_machine(
    comparison: Comparison, domain: Domain, records: Iterator[Record], path: Path
) -> None:
    """Follows the walks of a recording with the tensor machine."""
    for start, chunk in chunks(records, _WALKS_AT_ONCE):
        with reading(path, f"records {start} to {start + len(chunk) - 1}"):
            _Walks(comparison, domain, chunk, start).compare()


class _Walks:
    """Walks that advance together, one token at a time."""

    def __init__(
        self, comparison: Comparison, domain: Domain, records: Sequence[Record], start: int
    ) -> None:
        self._comparison = comparison
        self._domain = domain
        self._records = records
        self._places = [f"record {start + row}" for row in range(len(records))]
        # A walk may go through prefixes that a search would drop, with deeper stacks.
        deepest = max(len(step.get("stack", ())) for r in records for step in r["steps"])
        self._machine: Machine = get_machine(domain.name, stack_slots=max(deepest, MAX_STACK))

    def compare(self) -> None:
        """Compares all walks to their ends."""
        for record, place in zip(self._records, self._places):
            self._comparison.records += 1
            compare_form(self._comparison, self._domain, record, place)
        ends: list[State | None] = [self._domain_state(record) for record in self._records]
        options_of = tf.function(self._machine.options, autograph=False)
        follow = tf.function(self._machine.follow, autograph=False)
        state = self._first_state()
        limits = tf.constant([[record["n_utterances"]] for record in self._records])
        parent = tf.zeros([len(self._records), 1], tf.int32)
        for position in range(max(len(record["allowed"]) for record in self._records)):
            options = options_of(state, limits)
            tokens = self._tokens_at(position)
            outcomes = options.outcomes.numpy()[:, 0]
            self._compare_letters(outcomes, position)
            state = follow(state, options, parent, tf.constant(tokens[:, np.newaxis])).state
            self._compare_states(state, outcomes, tokens, position, ends)
        for record, place, end in zip(self._records, self._places, ends):
            compare_end(self._comparison, record, end, place)

    def _domain_state(self, record: Record) -> State:
        return State(self._domain.parse_world(record["world0"]))

    def _first_state(self) -> MachineState:
        """The state before all walks, leading axes [walks, 1]."""
        worlds = [self._domain.parse_world(record["world0"]) for record in self._records]
        rules = self._machine.rules
        starts = tf.constant(rules.encode_worlds(worlds))
        examples = Examples.without_history(
            starts,
            next_identity=tf.constant(rules.next_identities(worlds)),
            target=starts,
            num_utterances=tf.constant([record["n_utterances"] for record in self._records]),
        )
        return self._machine.initial_state(examples, num_prefixes=1)

    def _tokens_at(self, position: int) -> NDArray[np.int32]:
        """[walks] ids of the tokens that come next, 0 for a walk that is over."""
        tokens = np.zeros([len(self._records)], np.int32)
        for row, record in enumerate(self._records):
            if position < len(record["tokens"]):
                token = self._domain.token(record["tokens"][position])
                tokens[row] = self._domain.token_id(token)
        return tokens

    def _compare_letters(self, outcomes: NDArray[np.int32], position: int) -> None:
        letters = _LETTERS[outcomes]
        for row, (record, place) in enumerate(zip(self._records, self._places)):
            if position < len(record["allowed"]):
                found = letters[row].tobytes().decode()
                expected = record["allowed"][position]
                compare_letters(self._comparison, self._domain, expected, found, place, position)

    def _compare_states(
        self,
        state: MachineState,
        outcomes: NDArray[np.int32],
        tokens: NDArray[np.int32],
        position: int,
        ends: list[State | None],
    ) -> None:
        """Compares the states after the tokens, and keeps them in `ends`."""
        arrays = MachineState(*(part.numpy()[:, 0] for part in state))
        for row, (record, place) in enumerate(zip(self._records, self._places)):
            if position >= len(record["tokens"]) or ends[row] is None:
                continue
            expected = record["steps"][position]
            where = f"{place}, step {position + 1} ({record['tokens'][position]}),"
            if OUTCOMES[outcomes[row, tokens[row]]] == "E":
                self._comparison.same(set(expected), {"error"}, where, "fails")
                ends[row] = None
                continue
            after = decode_state(self._machine.rules, MachineState(*(part[row] for part in arrays)))
            ends[row] = after
            compare_state(self._comparison, expected, canonical_state(self._domain, after), where)
