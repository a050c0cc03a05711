"""`checkpoint/`: a checkpoint of the original, and what it predicted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

import numpy as np

from lang2program_tf.errors import UserError
from lang2program_tf.parity.beam_records import ITERATIONS_PER_UTTERANCE, FoundBeam
from lang2program_tf.parity.comparison import Comparison
from lang2program_tf.parity.folder import RecordingsFolder
from lang2program_tf.parity.original_names import infer_domain, infer_model
from lang2program_tf.parity.original_weights import read_checkpoint
from lang2program_tf.parity.ranked_programs import TOLERANCE, near
from lang2program_tf.parity.recordings import Record, chunks, read_json_lines, reading

NAME = "checkpoint"
_FOLDER = "checkpoint"
_PREDICTIONS = "dev_predictions.jsonl.gz"
_BATCH = 32


def find(folder: RecordingsFolder) -> list[str]:
    """The checkpoint's folder, if it holds anything of a checkpoint."""
    parts = ("*.index", "*.data-*", _PREDICTIONS)
    there = any(any((folder.path / _FOLDER).glob(part)) for part in parts)
    return [_FOLDER] if there else []


def check(folder: RecordingsFolder, name: str) -> Iterable[Comparison]:
    """Predicts the recorded examples with the checkpoint."""
    prefix = _prefix(folder.path / name)
    path = folder.file(f"{name}/{_PREDICTIONS}")
    arrays = read_checkpoint(prefix)
    domain = infer_domain(arrays, source=prefix)
    model = infer_model(arrays, domain, source=prefix)
    _, search = folder.load_arrays(model, arrays)
    comparison = Comparison(NAME, f"{domain.name}, {prefix.name}", tolerance=TOLERANCE)
    if "word_embeds" in arrays:
        equal = np.array_equal(folder.words.vectors, arrays["word_embeds"])
        comparison.same(True, equal, "word_embeds of the checkpoint are those of the recordings")
    for start, batch in _batches(path):
        with reading(path, f"records {start} to {start + len(batch) - 1}"):
            found = search.run(batch, iterations=batch[0]["batch_num_iterations"])
            for number, (record, beam) in enumerate(zip(batch, found), start=start):
                comparison.records += 1
                _compare_record(comparison, record, beam, f"record {number},")
    yield comparison


def _prefix(folder: Path) -> Path:
    """The path of the only checkpoint, without `.index`."""
    found = sorted(folder.glob("*.index"))
    if len(found) != 1:
        raise UserError(f"{folder} holds {len(found)} checkpoints (*.index) instead of one")
    return found[0].with_suffix("")


def _batches(path: Path) -> Iterator[tuple[int, list[Record]]]:
    """Records that follow each other and were searched for as long as each other."""
    start = 1
    for _, group in groupby(read_json_lines(path), key=lambda r: r.get("batch_num_iterations")):
        for _, batch in chunks(group, _BATCH):
            yield start, batch
            start += len(batch)


def _compare_record(comparison: Comparison, record: Record, found: FoundBeam, place: str) -> None:
    limit, utterances = record["batch_num_iterations"], len(record["utterances"])
    enough = (
        limit % ITERATIONS_PER_UTTERANCE == 0 and limit >= ITERATIONS_PER_UTTERANCE * utterances
    )
    comparison.same(enough, True, place, f"{limit} iterations for {utterances} utterances")
    comparison.same(record["n_terminated"], found.num_complete[-1], place, "n_terminated")
    if record["prediction"] is None or not found.programs:
        ours = found.programs[0].tokens if found.programs else None
        comparison.same(record["prediction"], ours, place, "prediction")
        comparison.same(record["correct"], False, place, "correct without a prediction")
        return
    tokens = tuple(record["prediction"])
    best = found.programs[0]
    same = next((program for program in found.programs if program.tokens == tokens), None)
    if same is None or (same is not best and not near(best.log_prob, record["log_prob"])):
        comparison.differs(tokens, best.tokens, place, "prediction")
        return
    comparison.near_ties += same is not best
    comparison.values += 1
    comparison.close(record["log_prob"], same.log_prob, place, "log_prob")
    comparison.same(record["world"], same.world, place, "world")
    comparison.same(record["correct"], same.rewarded, place, "correct")
