"""Exports the parser of a training run."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path

from lang2program_tf.corpus.scone import Example
from lang2program_tf.errors import UserError
from lang2program_tf.learning.experiment import open_run
from lang2program_tf.learning.run_folder import CONFIG, OPERATIVE_CONFIG
from lang2program_tf.learning.task import Task
from lang2program_tf.serving.exporter import export_parser
from lang2program_tf.serving.settings import ExportSettings, Origin


def export_run(
    root_dir: str | os.PathLike[str],
    export_dir: str | os.PathLike[str],
    *,
    top_k: int,
    max_utterances: int,
    beam_size: int | None = None,
) -> Path:
    """Exports the best weights of a run.

    Args:
        root_dir: the run's folder.
        export_dir: gets the next version.
        top_k: how many programs an answer holds.
        max_utterances: how many utterances a row may have.
        beam_size: of the search; None for the one that the run is evaluated with.

    Returns:
        The folder of the new version.

    Raises:
        UserError: there is no such run, or nothing can be written.
    """
    learner = open_run(Path(root_dir))
    settings = ExportSettings(
        beam_size=beam_size or learner.search.beam_size,
        iterations_per_utterance=learner.search.iterations_per_utterance,
        top_k=top_k,
        max_utterances=max_utterances,
    )
    origin = Origin(
        config=_config(Path(root_dir)),
        step=int(learner.step),
        data_fingerprint=_data_fingerprint(learner.task),
    )
    with learner.evaluation_weights():
        return export_parser(
            learner.parser,
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
