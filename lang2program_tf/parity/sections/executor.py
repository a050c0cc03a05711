"""`executor.DOMAIN`: walks through programs, state by state and continuation by continuation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lang2program_tf.language import Domain, ExecutionError, State, continuations, step
from lang2program_tf.parity.comparison import Comparison
from lang2program_tf.parity.executor_records import (
    canonical_state,
    compare_end,
    compare_form,
    compare_letters,
    compare_state,
)
from lang2program_tf.parity.folder import RecordingsFolder, domain_of
from lang2program_tf.parity.recordings import Record, read_json, read_json_lines, reading
from lang2program_tf.parity.sections.executor_tensor import compare_on_machine

NAME = "executor"
EXECUTORS = ("python", "tensor")
_START, _END = "executor.", ".jsonl.gz"
_PREDICATES = "predicates.json"


def find(folder: RecordingsFolder) -> list[str]:
    """Domains with walks, and, if there are any, all domains that `predicates.json` describes."""
    found = folder.names(_START, _END)
    if not found:
        return []
    described = read_json(folder.file(_PREDICATES))
    return sorted({*found, *(name for name, part in described.items() if _is_domain(part))})


def _is_domain(part: Any) -> bool:
    return isinstance(part, dict) and "choices" in part


def check(
    folder: RecordingsFolder, name: str, *, executors: Iterable[str] = EXECUTORS
) -> Iterable[Comparison]:
    """Compares the walks of a domain with the executors asked for."""
    domain = domain_of(name)
    path = folder.file(f"{_START}{name}{_END}")
    for executor in executors:
        comparison = Comparison(NAME, f"{name}, {executor}")
        _compare_orders(comparison, folder, domain)
        records = read_json_lines(path)
        if executor == "tensor":
            compare_on_machine(comparison, domain, records, path)
        else:
            for number, record in enumerate(records, start=1):
                with reading(path, f"record {number}"):
                    _compare_walk(comparison, domain, record, number)
        yield comparison


def _compare_orders(comparison: Comparison, folder: RecordingsFolder, domain: Domain) -> None:
    """Orders of the tokens: of the letters, and of the original's embedding table."""
    path = folder.file(_PREDICATES)
    with reading(path, domain.name):
        recorded = read_json(path)[domain.name]
        names = [token.original for token in domain.tokens]
        comparison.same(recorded["choices"], names, _PREDICATES, "choices")
        rows = [names[i] for i in domain.embedding_order]
        comparison.same(recorded["fixed_predicates"], rows, _PREDICATES, "fixed_predicates")


def _compare_walk(comparison: Comparison, domain: Domain, record: Record, number: int) -> None:
    """Follows a walk with the Python executor."""
    comparison.records += 1
    place = f"record {number}"
    compare_form(comparison, domain, record, place)
    state: State | None = State(domain.parse_world(record["world0"]))
    for position, letters in enumerate(record["allowed"]):
        assert state is not None
        found = continuations(domain, state, num_utterances=record["n_utterances"])
        outcomes = "".join(continuation.outcome.value for continuation in found)
        compare_letters(comparison, domain, letters, outcomes, place, position)
        if position < len(record["tokens"]):
            state = _compare_step(comparison, domain, state, record, place, position)
            if state is None:
                break
    compare_end(comparison, record, state, place)


def _compare_step(
    comparison: Comparison, domain: Domain, state: State, record: Record, place: str, position: int
) -> State | None:
    """Runs one token; None if it fails."""
    token, expected = record["tokens"][position], record["steps"][position]
    where = f"{place}, step {position + 1} ({token}),"
    try:
        after = step(domain, state, token)
    except ExecutionError as error:
        comparison.same(set(expected), {"error"}, where, f"fails ({error})")
        return None
    compare_state(comparison, expected, canonical_state(domain, after), where)
    return after
