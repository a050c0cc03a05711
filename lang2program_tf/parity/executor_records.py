"""Executor states in the form of the recordings `executor.DOMAIN`, and comparing them."""

from __future__ import annotations

from typing import Any

from lang2program_tf.language import Domain, State
from lang2program_tf.language.alchemy import Beaker
from lang2program_tf.language.scene import Person, SceneWorld
from lang2program_tf.language.tangrams import Tangram
from lang2program_tf.language.values import Fraction, ObjectList, Value
from lang2program_tf.parity.comparison import Comparison
from lang2program_tf.parity.recordings import Record

_KEPT = "TU"  # letters of the continuations that a search keeps


def canonical_value(value: Value) -> list[Any]:
    """A stack value or history argument as it stands in a recording."""
    if isinstance(value, int):
        return ["i", value]
    if isinstance(value, Fraction):
        return ["s", f"X{value}"]
    if isinstance(value, str):
        return ["s", str(value)]
    if isinstance(value, ObjectList):
        return ["l", [canonical_value(item) for item in value]]
    if isinstance(value, Beaker):
        return ["o", [value.position, value.units, value.color]]
    if isinstance(value, Person):
        return ["o", [value.position, value.shirt, value.hat, value.identity]]
    if isinstance(value, Tangram):
        return ["o", [value.position, value.shape]]
    raise TypeError(f"value={value!r} is not a value of the language")


def canonical_state(domain: Domain, state: State) -> dict[str, Any]:
    """A state as it stands in a recording."""
    record: dict[str, Any] = {
        "world": str(state.world),
        "stack": [canonical_value(value) for value in state.stack],
        "history": [
            [domain.token(action).original[1:], *map(canonical_value, arguments)]
            for action, arguments in state.history
        ],
        "utterance_idx": state.utterance,
    }
    if isinstance(state.world, SceneWorld):
        record["ids"] = [person.identity for person in state.world.objects]
        record["next_id"] = state.world.next_identity
    return record


def compare_form(comparison: Comparison, domain: Domain, record: Record, place: str) -> None:
    """Compares what must hold of a walk before it is run."""
    tokens, steps = record["tokens"], record["steps"]
    comparison.same(record["domain"], domain.name, place, "domain")
    comparison.same(len(steps), len(tokens), place, "number of steps")
    comparison.same(len(record["allowed"]) - len(tokens) in (0, 1), True, place, "letters a token")
    failed = [position for position, step in enumerate(steps, start=1) if "error" in step]
    comparison.same(failed in ([], [len(tokens)]), True, place, "fails at its last token only")


def compare_letters(
    comparison: Comparison, domain: Domain, expected: str, found: str, place: str, position: int
) -> None:
    """Compares the letters of all tokens after a prefix of `position` tokens."""
    comparison.values += len(found)
    if expected == found:
        return
    if len(expected) != len(found):
        comparison.differs(expected, found, f"{place}, after {position} tokens, letters")
        return
    for token, wanted, got in zip(domain.tokens, expected, found):
        if wanted != got:
            where = f"{place}, after {position} tokens, letter of {token.original}"
            comparison.differs(wanted, got, where)


def compare_state(comparison: Comparison, expected: Record, found: Record, place: str) -> None:
    """Compares all fields of a state."""
    if expected == found:
        comparison.values += len(found)
        return
    for field in sorted({*expected, *found}):
        comparison.same(expected.get(field), found.get(field), place, field)


def compare_end(comparison: Comparison, record: Record, state: State | None, place: str) -> None:
    """Compares how a walk ends; `state` is None if it failed."""
    ended = state is not None and state.utterance >= record["n_utterances"]
    comparison.same(record["terminated"], ended, place, "terminated")
    left_over = bool(state and state.stack)
    final = str(state.world) if state and ended and not left_over else None
    comparison.same(record.get("finalized"), final, place, "finalized")
    comparison.same("finalize_error" in record, ended and left_over, place, "finalize_error")
    if record.get("dead_end"):
        kept = [letter for letter in record["allowed"][-1] if letter in _KEPT]
        comparison.same([], kept, place, "letters at a dead_end")
