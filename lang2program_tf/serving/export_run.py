"""Exports the parser of a training run, or those of several runs as one."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from lang2program_tf.corpus.scone import Example
from lang2program_tf.errors import UserError
from lang2program_tf.learning.experiment import open_runs
from lang2program_tf.learning.run_folder import CONFIG, OPERATIVE_CONFIG
from lang2program_tf.learning.task import Task
from lang2program_tf.model.committee import Committee
from lang2program_tf.serving.exporter import export_parser
from lang2program_tf.serving.settings import ExportSettings, Origin


def export_run(
    root_dirs: Sequence[str | os.PathLike[str]],
    export_dir: str | os.PathLike[str],
    *,
    top_k: int,
    max_utterances: int,
    beam_size: int | None = None,
) -> Path:
    """Exports the best weights of a run, or of several runs as one parser.

    Args:
        root_dirs: the runs' folders; what an answer looks like is told by the first.
        export_dir: gets the next version.
        top_k: how many programs an answer holds.
        max_utterances: how many utterances a row may have.
        beam_size: of the search; None for the one that the run is evaluated with.

    Returns:
        The folder of the new version.

    Raises:
        UserError: there is no such run, runs do not fit together, or nothing can be written.
    """
    learners = open_runs([Path(root_dir) for root_dir in root_dirs])
    learner = learners[0]
    settings = ExportSettings(
        beam_size=beam_size or learner.search.beam_size,
        iterations_per_utterance=learner.search.iterations_per_utterance,
        top_k=top_k,
        max_utterances=max_utterances,
        by_worlds=learner.worlds is not None,
    )
    origin = Origin(
        config=_config(Path(root_dirs[0])),
        step=int(learner.step),
        data_fingerprint=_data_fingerprint(learner.task),
    )
    parsers = [each.parser for each in learners]
    return export_parser(
        Committee(parsers) if len(parsers) > 1 else parsers[0],
        learner.task.words,
        export_dir,
        domain=learner.task.domain,
        tokenizer=learner.task.tokenizer,
        settings=settings,
        origin=origin,
    )


def _config(folder: Path) -> str:
    """The settings in force in a run, or those that it was given if it has not come that far."""
    operative = folder / OPERATIVE_CONFIG
    return (operative if operative.is_file() else folder / CONFIG).read_text(encoding="utf-8")


def _data_fingerprint(task: Task) -> str:
    """The fingerprint of the training examples; "" if they are not on this machine."""
    try:
        return fingerprint(task.examples("train"))
    except UserError:
        return ""


def fingerprint(examples: Iterable[Example]) -> str:
    """Identifies examples: SHA-256 over what a learner sees of them, in their order."""
    digest = hashlib.sha256()
    for example in examples:
        row = [example.world, list(example.utterances), example.target]
        digest.update(json.dumps(row).encode() + b"\n")
    return digest.hexdigest()
