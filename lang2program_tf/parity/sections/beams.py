"""`beams.DOMAIN.VARIANT`: test-time beam search, complete programs and the live beam on the way."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

import numpy as np

from lang2program_tf.parity.beam_records import ITERATIONS_PER_UTTERANCE, FoundBeam
from lang2program_tf.parity.comparison import Comparison
from lang2program_tf.parity.folder import RecordingsFolder
from lang2program_tf.parity.ranked_programs import TOLERANCE, RankedPrograms
from lang2program_tf.parity.recordings import Record, read_json_lines, reading

NAME = "beams"
_START, _END = "beams.", ".jsonl.gz"
_BATCH = 8


def find(folder: RecordingsFolder) -> list[str]:
    """Names such as `scene.stack.step150`."""
    return folder.names(_START, _END)


def check(folder: RecordingsFolder, name: str) -> Iterable[Comparison]:
    """Searches the recorded batches."""
    path = folder.file(f"{_START}{name}{_END}")
    model, parser, search = folder.load(name)
    comparison = Comparison(NAME, name, tolerance=TOLERANCE)
    number = 0
    for _, group in groupby(_numbered(path), key=lambda pair: pair[1].get("batch")):
        batch = [record for _, record in group]
        with reading(path, f"records {number + 1} to {number + len(batch)}"):
            iterations = _iterations(comparison, batch, number + 1)
            for record, found in zip(batch, search.run(batch, iterations=iterations)):
                number += 1
                comparison.records += 1
                ranked = RankedPrograms(
                    comparison,
                    record,
                    found,
                    parser=parser,
                    domain=model.domain,
                    words=folder.words,
                )
                _compare_record(comparison, ranked, record, found, f"record {number},")
    yield comparison


def _numbered(path: Path) -> Iterable[tuple[int, Record]]:
    return enumerate(read_json_lines(path), start=1)


def _iterations(comparison: Comparison, batch: list[Record], first: int) -> int:
    """How many iterations a batch was given; that of a batch that was cut can only be believed."""
    most = max(len(record["utterances"]) for record in batch)
    needed = ITERATIONS_PER_UTTERANCE * most
    recorded: int = batch[0]["batch_num_iterations"]
    cut = len(batch) < _BATCH and recorded > needed and recorded % ITERATIONS_PER_UTTERANCE == 0
    for number, record in enumerate(batch, start=first):
        expected = recorded if cut else needed
        place = f"record {number}, batch_num_iterations"
        comparison.same(record["batch_num_iterations"], expected, place)
    return recorded if cut else needed


def _compare_record(
    comparison: Comparison, ranked: RankedPrograms, record: Record, found: FoundBeam, place: str
) -> None:
    steps = record.get("beam_steps", ())
    numbers = [step["iteration"] for step in steps]
    possible = sorted({*numbers} & {*range(1, record["batch_num_iterations"] + 1)})
    comparison.same(numbers, possible, place, "iterations")
    for step in steps:
        iteration = step["iteration"]
        where = f"{place} iteration {iteration},"
        live = [(tuple(text.split()), score) for text, score in step["unterminated"]]
        ranked.compare(live, found.live_after(iteration), where)
        complete = found.num_complete[min(iteration, len(found.num_complete)) - 1]
        ranked.count(step["n_terminated"], complete, where, "n_terminated")
    best = [(tuple(program["decisions"]), program["log_prob"]) for program in record["top32"]]
    ranked.compare(best, {p.tokens: p.log_prob for p in found.programs}, place)
    ranked.count(record["n_terminated"], found.num_complete[-1], place, "n_terminated")
    by_tokens = {program.tokens: program for program in found.programs}
    for program in record["top32"]:
        tokens = tuple(program["decisions"])
        if tokens in by_tokens:
            where = f"{place} {' '.join(tokens)},"
            comparison.same(program["world"], by_tokens[tokens].world, where, "world")
            comparison.same(program["correct"], by_tokens[tokens].rewarded, where, "correct")
            scores = [
                found.live_after(length).get(tokens[:length], np.nan)
                for length in range(1, len(tokens))
            ]
            ours = [*scores, by_tokens[tokens].log_prob]
            sums = np.cumsum(program["decision_log_probs"])
            comparison.close(sums, ours, where, "sums of decision_log_probs")
