"""Gradient weights: `softmax_alpha_beta` by themselves, `caseweights.*` from recorded beams."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from lang2program_tf.errors import UserError
from lang2program_tf.parity.comparison import Comparison, Tolerance
from lang2program_tf.parity.folder import RecordingsFolder
from lang2program_tf.parity.path_scores import score_paths
from lang2program_tf.parity.ranked_programs import TOLERANCE as SCORE_TOLERANCE
from lang2program_tf.parity.recordings import Record, read_json, read_json_lines, reading
from lang2program_tf.parity.weight_records import (
    WeighedPrograms,
    case_rules,
    compare_weights,
    softmax_rules,
)

NAME = "weights"
SOFTMAX_TOLERANCE, CASE_TOLERANCE = Tolerance(1e-6), Tolerance(2e-6)
_SOFTMAX = "softmax_alpha_beta"
_START, _END = "caseweights.", ".jsonl.gz"


def find(folder: RecordingsFolder) -> list[str]:
    """`softmax_alpha_beta` if it is there, and names such as `scene.stack.step150`."""
    alone = [_SOFTMAX] if (folder.path / f"{_SOFTMAX}{_END}").is_file() else []
    return [*alone, *folder.names(_START, _END)]


def check(folder: RecordingsFolder, name: str) -> Iterable[Comparison]:
    """Weighs the recorded programs, and scores those of recorded beams."""
    if name == _SOFTMAX:
        path = folder.file(f"{name}{_END}")
        records = list(read_json_lines(path))
        with reading(path, "the records"):
            rules = softmax_rules(records)
        yield _compare_rules(Comparison(NAME, name, tolerance=SOFTMAX_TOLERANCE), rules, records)
        return
    path = folder.file(f"{_START}{name}{_END}")
    records = list(read_json_lines(path))
    with reading(path, "the records"):
        rules = case_rules(records)
    yield _compare_rules(Comparison(NAME, name, tolerance=CASE_TOLERANCE), rules, records)
    yield _compare_programs(folder, name, records)


def _compare_rules(
    comparison: Comparison,
    rules: dict[str, list[WeighedPrograms]],
    records: Sequence[Record],
) -> Comparison:
    comparison.records = len(records)
    for name, examples in rules.items():
        for example, (expected, found) in zip(examples, compare_weights(name, examples)):
            comparison.close(expected, found, f"record {example.number}, {name}, weight of program")
    return comparison


def _compare_programs(folder: RecordingsFolder, name: str, records: Sequence[Record]) -> Comparison:
    """Compares what the weights were made of: log-probabilities and rewards."""
    comparison = Comparison(NAME, f"{name}, programs", tolerance=SCORE_TOLERANCE)
    path = folder.path / f"{_START}{name}{_END}"
    model, parser, _ = folder.load(name)
    independent = _explores_independently(folder, name)
    for number, record in enumerate(records, start=1):
        comparison.records += 1
        with reading(path, f"record {number}"):
            target = model.domain.parse_world(record["answer"])
            for field, alone in (
                ("log_prob_fresh_full_history", False),
                ("log_prob_seen_by_weighter", independent),
            ):
                paths = score_paths(
                    parser,
                    model.domain,
                    record,
                    record["paths"],
                    words=folder.words,
                    independent=alone,
                )
                found = [np.nan if p is None else float(p.log_probs.sum()) for p in paths]
                comparison.close(record[field], found, f"record {number}, {field} of program")
            right = [p is not None and p.state.world == target for p in paths]
            comparison.same(record["correct"], right, f"record {number}, correct")
    return comparison


def _explores_independently(folder: RecordingsFolder, name: str) -> bool:
    """Whether TOKENS saw only the present utterance in the search that found the programs."""
    path = folder.file(f"model.{name}.meta.json")
    try:
        policy = read_json(path)["config"]["decoder"]["train_exploration_policy"]
        return bool(policy["independent_utterance_exploration"])
    except (KeyError, TypeError) as error:
        raise UserError(f"{path} does not say how the model explored ({error!r})") from error
