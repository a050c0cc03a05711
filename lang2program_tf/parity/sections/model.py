"""`model.DOMAIN.VARIANT`: scoring cases, from the words to the log-probabilities."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lang2program_tf.corpus.words import WordVectors
from lang2program_tf.language import Domain, State, step
from lang2program_tf.machine.features import HISTORY_TOKENS, MAX_OBJECTS
from lang2program_tf.machine.primitives import PRIMITIVES
from lang2program_tf.model import Parser
from lang2program_tf.parity.comparison import Comparison, Tolerance
from lang2program_tf.parity.executor_records import canonical_state
from lang2program_tf.parity.folder import RecordingsFolder
from lang2program_tf.parity.model_records import (
    activations,
    recorded_activations,
    scoring_inputs,
)
from lang2program_tf.parity.original_weights import read_npz
from lang2program_tf.parity.recordings import (
    Record,
    chunks,
    read_json,
    read_json_lines,
    reading,
)

NAME = "model"
UNTRAINED, TRAINED = Tolerance(1e-5), Tolerance(2e-5)
# Recorded statistics are sums in float32.
STATISTICS = Tolerance(2e-7)
_CASES = ("model.", ".cases.jsonl.gz")
_CASES_AT_ONCE = 256
_HASH_VECTORS = {"history_hash": "history_hash_vector", "stack_hash": "exec_stack_hash_vector"}


def find(folder: RecordingsFolder) -> list[str]:
    """Names such as `scene.stack.step150`: if there are any cases, all models of the folder."""
    if not folder.names(*_CASES):
        return []
    files = (_CASES, ("model.", ".meta.json"), ("weights.", ".npz"))
    return sorted({name for parts in files for name in folder.names(*parts)})


def check(folder: RecordingsFolder, name: str) -> Iterable[Comparison]:
    """Scores the recorded cases."""
    path = folder.file(name.join(_CASES))
    model, parser, _ = folder.load(name)
    arrays = read_npz(folder.file(f"weights.{name}.npz"))
    yield _compare_variables(folder, name, model.domain, arrays)
    comparison = Comparison(NAME, name, tolerance=TRAINED if steps_before(name) else UNTRAINED)
    vectors = {part: arrays[v] for part, v in _HASH_VECTORS.items() if v in arrays}
    for start, cases in chunks(read_json_lines(path), _CASES_AT_ONCE):
        with reading(path, f"records {start} to {start + len(cases) - 1}"):
            for number, case in enumerate(cases, start=start):
                comparison.records += 1
                _compare_inputs(comparison, model.domain, folder.words, case, f"record {number},")
            _compare_activations(comparison, parser, model.domain, cases, vectors, start)
    yield comparison


def _compare_variables(
    folder: RecordingsFolder, name: str, domain: Domain, arrays: Mapping[str, NDArray[Any]]
) -> Comparison:
    """Compares the orders of rows with ours, and the weights with what the recording says of them.

    A weight that no case uses would not be missed by the cases.
    """
    comparison = Comparison(NAME, f"{name}, variables", tolerance=STATISTICS)
    path = folder.file(f"model.{name}.meta.json")
    meta = read_json(path)
    with reading(path, "vocabularies and variables"):
        names = [token.original for token in domain.tokens]
        comparison.same(meta["choices"], names, "choices")
        rows = [names[i] for i in domain.embedding_order]
        comparison.same(meta["static_pred_vocab"], rows, "static_pred_vocab")
        if "primitive_vocab" in meta:
            comparison.same(meta["primitive_vocab"], [*PRIMITIVES], "primitive_vocab")
        _compare_settings(comparison, meta, domain)
        comparison.same(meta["ntrain"], steps_before(name), "ntrain")
        listed = {variable["name"]: variable for variable in meta["variables"]}
        listed.pop("word_embeds", None)  # is in a file of its own
        comparison.same(sorted(listed), sorted(arrays), "names of variables")
        for variable in sorted({*listed} & {*arrays}):
            comparison.records += 1
            _compare_variable(comparison, variable, listed[variable], arrays[variable])
    return comparison


def _compare_settings(comparison: Comparison, meta: Record, domain: Domain) -> None:
    """Compares the settings that shape the network with what ours is fixed to."""
    settings = meta["config"]["parse_model"]
    ours = {
        "history_length": HISTORY_TOKENS,
        "predicate_positions": False,
        "soft_copy": False,
        "train_word_embeddings": False,
    }
    for setting, value in ours.items():
        comparison.same(settings[setting], value, setting)
    length = settings["utterance_embedder"]["utterance_length"]
    comparison.same(length, domain.max_words, "utterance_length")
    if settings["condition_on_stack"]:
        size = settings["stack_embedder"]["max_list_size"]
        comparison.same(size, MAX_OBJECTS, "max_list_size")


def _compare_variable(
    comparison: Comparison, name: str, expected: Record, array: NDArray[Any]
) -> None:
    comparison.same(expected["shape"], [*array.shape], name, "shape")
    comparison.same(expected["dtype"], str(array.dtype), name, "dtype")
    numbers = array.astype(np.float64)
    found = {"absmax": np.abs(numbers).max(), "mean": numbers.mean(), "std": numbers.std()}
    for statistic, value in found.items():
        comparison.close(expected[statistic], value, name, statistic)


def steps_before(name: str) -> int:
    """The training steps of a model whose name ends in `.stepN`, 0 for any other."""
    match = re.search(r"\.step(\d+)$", name)
    return int(match[1]) if match else 0


def _compare_inputs(
    comparison: Comparison, domain: Domain, words: WordVectors, case: Record, place: str
) -> None:
    """What follows from the case itself: its word ids, and the stack that its tokens lead to."""
    ids = [words.lookup(word) for word in case["utterance"]][: domain.max_words]
    comparison.same(case["word_indices"], ids, place, "word_indices")
    choices = [token.original for token in domain.tokens]
    comparison.same(case["choices"], choices, place, "choices")
    compare_prefix(comparison, domain, case, place)


def compare_prefix(comparison: Comparison, domain: Domain, case: Record, place: str) -> None:
    """Runs the tokens before a decision."""
    state = State(domain.parse_world(case["world0"]))
    present: list[str] = []
    for name in case["previous_decisions"]:
        after = step(domain, state, name)
        present = [*present, name] if after.utterance == state.utterance else []
        state = after
    found = canonical_state(domain, state)
    comparison.same(case["stack"], found["stack"], place, "stack")
    comparison.same(case["utterance_idx"], found["utterance_idx"], place, "utterance_idx")
    expected = case["previous_decisions_this_utterance"]
    comparison.same(expected, present, place, "previous_decisions_this_utterance")


def _compare_activations(
    comparison: Comparison,
    parser: Parser,
    domain: Domain,
    cases: Sequence[Record],
    vectors: dict[str, NDArray[np.float32]],
    start: int,
) -> None:
    inputs = scoring_inputs(domain, cases, [case["word_indices"] for case in cases])
    found = activations(parser, inputs, vectors)
    expected = recorded_activations(cases, found)
    comparison.same(sorted(expected), sorted(found), f"record {start}", "activations")
    tokens = [token.original for token in domain.tokens]
    for name in sorted({*expected} & {*found}):
        labels = tokens if found[name].shape[-1] == len(tokens) else None
        for row, number in enumerate(range(start, start + len(cases))):
            place = f"record {number}, {name}"
            comparison.close(expected[name][row], found[name][row], place, labels=labels)
