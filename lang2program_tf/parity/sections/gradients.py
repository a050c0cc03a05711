"""`grads.*` and `adamsparse.*`: loss, gradient of every variable, and the step that Adam makes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from lang2program_tf.model import Parser
from lang2program_tf.parity.comparison import Comparison, Tolerance
from lang2program_tf.parity.folder import RecordingsFolder
from lang2program_tf.parity.gradient_records import (
    Step,
    compare_sparse_step,
    first_changes,
    step_on_cases,
)
from lang2program_tf.parity.original_weights import OriginalModel, parser_layout, read_npz
from lang2program_tf.parity.recordings import Record, read_json, read_json_lines, reading
from lang2program_tf.parity.sections.model import compare_prefix, steps_before

NAME = "gradients"
LOSS_TOLERANCE = Tolerance(1e-5, relative=1e-5)
GRADIENT_TOLERANCE = Tolerance(1e-5, of_largest=True)
STEP_TOLERANCE, SPARSE_TOLERANCE = Tolerance(5e-7), Tolerance(1e-7)
_SPARSE = "adamsparse."
_FILES = (".cases.jsonl.gz", ".meta.json", ".npz")
# A variable of the original that no loss reaches.
_UNUSED = "type_embeds"


def find(folder: RecordingsFolder) -> list[str]:
    """Names such as `grads.scene.stack.step150` and `adamsparse.scene.stack`."""
    steps = {name for end in _FILES for name in folder.names("grads.", end)}
    sparse = folder.names(_SPARSE, ".npz")
    return [*(f"grads.{name}" for name in sorted(steps)), *(f"{_SPARSE}{name}" for name in sparse)]


def check(folder: RecordingsFolder, name: str) -> Iterable[Comparison]:
    """Takes the recorded step."""
    if name.startswith(_SPARSE):
        yield _compare_sparse(folder, name)
        return
    model, parser, _ = folder.load(name[len("grads.") :])
    cases_path = folder.file(f"{name}.cases.jsonl.gz")
    cases = list(read_json_lines(cases_path))
    meta_path = folder.file(f"{name}.meta.json")
    meta = read_json(meta_path)
    arrays = read_npz(folder.file(f"{name}.npz"))
    with reading(cases_path, "the cases"):
        step = step_on_cases(parser, model, cases, word_vectors=folder.words)
    with reading(meta_path, "the description"):
        yield _compare_loss(name, model, step, cases, meta, arrays)
        yield _compare_gradient(name, model, parser, step, meta, arrays)
        if meta["step_before"] == 0:
            yield _compare_step(name, model, parser, step, arrays)


def _compare_loss(
    name: str,
    model: OriginalModel,
    step: Step,
    cases: list[Record],
    meta: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
) -> Comparison:
    comparison = Comparison(NAME, f"{name}, loss", tolerance=LOSS_TOLERANCE)
    comparison.records = len(cases)
    for number, case in enumerate(cases, start=1):
        compare_prefix(comparison, model.domain, case, f"case {number},")
    comparison.close(meta["loss"], float(step.loss), "loss")
    comparison.same(meta["n_cases"], len(cases), "n_cases")
    comparison.same(meta["step_before"], steps_before(name), "step_before")
    comparison.close(meta["sum_weights"], sum(case["weight"] for case in cases), "sum_weights")
    for variable, norm in meta["grad_norms"].items():
        gradient = arrays[f"grad.{variable.replace('__', '/')}"]
        found = np.linalg.norm(gradient.astype(np.float64))
        comparison.close(norm, found, "norm of the recorded gradient of", variable)
    return comparison


def _compare_gradient(
    name: str,
    model: OriginalModel,
    parser: Parser,
    step: Step,
    meta: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
) -> Comparison:
    comparison = Comparison(NAME, f"{name}, gradient", tolerance=GRADIENT_TOLERANCE)
    comparison.records = 1
    expected = _part(model, arrays, "grad.")
    for variable, gradient in zip(_variables(parser), step.gradients):
        comparison.close(expected[variable], gradient.numpy(), variable)
    _compare_unused(comparison, arrays, "grad.")
    if meta["step_before"] != 0:
        comparison.notes.append(
            f"{name}: the Adam step is not compared, since the moments before it were not recorded"
        )
    return comparison


def _compare_step(
    name: str,
    model: OriginalModel,
    parser: Parser,
    step: Step,
    arrays: Mapping[str, NDArray[Any]],
) -> Comparison:
    """What a first step makes of the recorded gradient: of ours, small numbers would be noise."""
    comparison = Comparison(NAME, f"{name}, Adam step", tolerance=STEP_TOLERANCE)
    comparison.records = 1
    variables = _variables(parser)
    gradients, expected = (_part(model, arrays, kind) for kind in ("grad.", "delta."))
    recorded = [tf.constant(gradients[variable]) for variable in variables]
    for variable, change in zip(variables, first_changes(parser, recorded, step.squares)):
        comparison.close(expected[variable], change, variable)
    _compare_unused(comparison, arrays, "delta.")
    return comparison


def _variables(parser: Parser) -> list[str]:
    return [variable.name.split(":")[0] for variable in parser.trainable_variables]


def _compare_sparse(folder: RecordingsFolder, name: str) -> Comparison:
    path = folder.file(f"{name}.npz")
    comparison = Comparison(NAME, name, tolerance=SPARSE_TOLERANCE)
    with reading(path, "the arrays"):
        for table, (expected, found) in compare_sparse_step(path).items():
            comparison.records += 1
            comparison.close(expected, found, table)
    return comparison


def _part(
    model: OriginalModel, arrays: Mapping[str, NDArray[Any]], kind: str
) -> dict[str, NDArray[np.float32]]:
    """The recorded arrays whose names begin with `kind`, as the Parser has them."""
    return parser_layout(
        model, {name[len(kind) :]: a for name, a in arrays.items() if name.startswith(kind)}
    )


def _compare_unused(comparison: Comparison, arrays: Mapping[str, NDArray[Any]], kind: str) -> None:
    unused = arrays.get(f"{kind}{_UNUSED}")
    if unused is not None:
        comparison.close(unused, np.zeros_like(unused), _UNUSED)
