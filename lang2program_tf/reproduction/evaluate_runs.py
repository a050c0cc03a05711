"""Evaluates trained runs in another way than they are, and keeps that as a run of its own.

Not a command for people, who have `lang2program evaluate`: a queue of runs calls it.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import gin
from lang2program_tf.code_version import code_version
from lang2program_tf.errors import UserError
from lang2program_tf.files import write_atomically
from lang2program_tf.gin_files import add_gin
from lang2program_tf.learning.evaluation import final_accuracies
from lang2program_tf.learning.experiment import open_together
from lang2program_tf.learning.run_folder import RESULT, RunFolder


def evaluate_runs(
    sources: Sequence[str | Path],
    root_dir: str | Path,
    *,
    gin_files: Sequence[str],
    gin_params: Sequence[str],
) -> None:
    """Writes settings and result to a folder, as training does.

    Args:
        sources: the folders of trained runs, which are evaluated as one parser.
        root_dir: the folder of the evaluation.
        gin_files: all settings of the evaluation: those of the runs, but for how they predict.
        gin_params: bindings that override the files.
    """
    results = [RunFolder(source).result() for source in sources]
    for source, result in zip(sources, results):
        if result is None:
            raise UserError(f"{source} is to be evaluated, but is not trained; train it first")
    started = time.monotonic()
    learner = open_together(sources, gin_files=gin_files, gin_params=gin_params)
    accuracies = final_accuracies(learner)
    # Only now is it certain that the settings work.
    gin.clear_config()
    add_gin(gin_files, gin_params)
    folder = RunFolder(root_dir)
    with folder.lock():
        folder.write_config(gin.config_str())
        result = {
            "domain": learner.task.domain.name,
            "corpus": learner.task.corpus,
            "seed": learner.seed,
            "sources": [Path(source).name for source in sources],
            "steps": int(learner.step),
            "best_step": int(learner.step),
            "seconds": round(time.monotonic() - started, 1),
            "code": [code_version()],
            **accuracies,
        }
        write_atomically(folder.path / RESULT, json.dumps(result, indent=1) + "\n")


def main(argv: Sequence[str]) -> int:
    """Runs it with the arguments of a process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", action="append", required=True)
    parser.add_argument("--root_dir", required=True)
    parser.add_argument("--gin_file", action="append", default=[])
    parser.add_argument("--gin_param", action="append", default=[])
    arguments = parser.parse_args(argv)
    try:
        evaluate_runs(
            arguments.source,
            arguments.root_dir,
            gin_files=arguments.gin_file,
            gin_params=arguments.gin_param,
        )
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
