"""Reads from the names and shapes of a checkpoint which model of the original it holds.

The original numbers its layers in the order in which it makes them: the projection of stack objects
if there is one, the ReLU layers, the query's scorer, the attention, the context's scorer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from lang2program_tf.errors import UserError
from lang2program_tf.language import DOMAINS, Domain
from lang2program_tf.machine.features import HISTORY_TOKENS, STACK_SLOTS
from lang2program_tf.parity.original_weights import OriginalModel

_LSTM = "UtteranceEmbedder/BidiLSTMSequenceEmbedder/lstm"
_SCOPES = {
    "relu_layers": "ParseModel/",
    "simple_scorer_projection": "CandidateScorer/",
    "attention_scorer_projection": "CandidateScorer_1/",
}


def infer_domain(arrays: Mapping[str, NDArray[Any]], *, source: Path) -> Domain:
    """The domain that has as many tokens as the token table has rows."""
    rows = _array(arrays, "static_pred_embeds", source).shape[:1]
    for domain in DOMAINS.values():
        if rows == (len(domain.tokens),):
            return domain
    raise UserError(
        f"{source}: static_pred_embeds has {rows} rows, as many as no domain has tokens"
    )


def infer_model(
    arrays: Mapping[str, NDArray[Any]], domain: Domain, *, source: Path
) -> OriginalModel:
    """What a `model.*.meta.json` would say.

    Args:
        arrays: the variables by their names.
        domain: of the model.
        source: where they come from, for error messages.

    Raises:
        UserError: a whole layer is missing, or the first one has a strange width.
    """
    roles = {
        role: _pairs(scope, _numbers(arrays, rf"{scope}dense_(\d+)_[Wb]"), source)
        for role, scope in _SCOPES.items()
    }
    projections = _numbers(arrays, r"dense_(\d+)_[Wb]")
    roles["utterance_attention_projection"] = _pairs("", projections[-1:], source)
    if len(projections) > 1:
        roles["stack_object_projection"] = _pairs("", projections[:1], source)
    directions = _numbers(arrays, rf"{_LSTM}_(\d+)_[WUb]_[ifco]")
    if len(directions) != 2:
        raise UserError(f"{source} has {len(directions)} LSTMs {_LSTM}_N instead of 2")
    for role, number in zip(("forward", "backward"), directions):
        roles[f"utterance_lstm_{role}"] = [
            f"{_LSTM}_{number}_{kind}_{gate}" for gate in "ifco" for kind in "WUb"
        ]
    kernels, biases = roles["relu_layers"][::2], roles["relu_layers"][1::2]
    return OriginalModel(
        path=source,
        domain=domain,
        history=_history(
            arrays,
            rows=int(_array(arrays, kernels[0], source).shape[0])
            - 2 * int(_array(arrays, f"{_LSTM}_{directions[0]}_b_i", source).shape[0]),
            source=source,
        ),
        query_layers=tuple(int(_array(arrays, name, source).shape[0]) for name in biases),
        roles=roles,
    )


def _numbers(names: Iterable[str], pattern: str) -> list[int]:
    """The different numbers in the names that a pattern matches, in order."""
    return sorted({int(match[1]) for name in names if (match := re.fullmatch(pattern, name))})


def _pairs(scope: str, numbers: list[int], source: Path) -> list[str]:
    """Kernels and biases of layers."""
    if not numbers:
        raise UserError(f"{source} has no variables {scope}dense_N_W and {scope}dense_N_b")
    return [f"{scope}dense_{number}_{kind}" for number in numbers for kind in "Wb"]


def _history(arrays: Mapping[str, NDArray[Any]], *, rows: int, source: Path) -> tuple[str, ...]:
    """The execution histories that make up so many rows of the first layer."""
    widths: dict[tuple[str, ...], int]
    tokens = HISTORY_TOKENS * int(_array(arrays, "static_pred_embeds", source).shape[-1])
    widths = {("tokens",): tokens}
    if "primitive_embeds" in arrays:
        stack = STACK_SLOTS * int(arrays["primitive_embeds"].shape[-1])
        widths = {("stack",): stack, ("tokens", "stack"): tokens + stack}
    for history, width in widths.items():
        if rows == width:
            return history
    raise UserError(
        f"{source}: the first ReLU layer has {rows} rows for the execution history, expected "
        + " or ".join(f"{width} ({' and '.join(history)})" for history, width in widths.items())
    )


def _array(arrays: Mapping[str, NDArray[Any]], name: str, source: Path) -> NDArray[Any]:
    if name not in arrays:
        raise UserError(f"{source}: {name} is missing")
    return arrays[name]
