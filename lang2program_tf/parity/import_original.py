"""Makes a run folder of a model that the original system has trained."""

from __future__ import annotations

import math
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

import gin
from lang2program_tf.corpus.word_table import write_word_table
from lang2program_tf.corpus.words import WordVectors
from lang2program_tf.errors import UserError
from lang2program_tf.files import put_in_place
from lang2program_tf.learning.checkpoints import Checkpoints
from lang2program_tf.learning.learner import Learner
from lang2program_tf.learning.optimizers import without_averaging
from lang2program_tf.learning.progress import Progress
from lang2program_tf.learning.run_folder import RunFolder
from lang2program_tf.learning.task import Task
from lang2program_tf.legacy_keras import Adam, Optimizer
from lang2program_tf.parity.original_weights import (
    OriginalModel,
    assign_weights,
    parser_layout,
    shape_problems,
)

Arrays = Mapping[str, NDArray[Any]]

WORDS = "words.npz"
_SLOTS = {"m": "/Adam", "v": "/Adam_1"}  # our names of Adam's moments, and the original's
_BETA_2 = 0.999


class Imported(NamedTuple):
    """What a run folder was made of.

    Attributes:
        model: its shape.
        step: training steps so far.
        updates: how often Adam has changed the weights; None if its moments did not come along.
    """

    model: OriginalModel
    step: int
    updates: int | None


def run_bindings(model: OriginalModel) -> list[str]:
    """The gin bindings that an imported model needs."""
    return [
        f'Task.domain = "{model.domain.name}"',
        f"Parser.history = {model.history!r}",
        f"Parser.query_layers = {model.query_layers!r}",
        'load_word_vectors.source = "table"',
        f'load_word_vectors.path = "{WORDS}"',
        "load_word_vectors.max_rank = None",
    ]


def import_run(
    root_dir: Path, *, model: OriginalModel, arrays: Arrays, words: WordVectors
) -> Imported:
    """Writes a run folder, whole or not at all, with the gin settings in force.

    Args:
        root_dir: the folder, which must not exist or be empty.
        model: the shape of the model.
        arrays: all variables by the original's names; Adam's moments may be among them.
        words: the word table.

    Raises:
        UserError: variables are missing, unknown or have wrong shapes (the message lists them), or
            the folder cannot be written.
    """
    if root_dir.exists() and (not root_dir.is_dir() or any(root_dir.iterdir())):
        raise UserError(f"{root_dir} is not empty; import into a folder of its own")
    moments = _moments(model, arrays)
    weights = parser_layout(model, arrays)
    building = root_dir.absolute().with_name(f".{root_dir.absolute().name}.{os.getpid()}")
    try:
        building.mkdir(parents=True)
        write_word_table(building / WORDS, words.words, words.vectors)
        learner = Learner(Task(folder=building))
        problems = shape_problems(model, arrays, learner.parser)
        if problems:
            raise UserError(f"weights do not fit {model.path}: {'; '.join(problems)}")
        assign_weights(learner.parser, weights)
        learner.step.assign(_step(arrays))
        updates = _assign_moments(learner, moments, arrays)
        _write_run(building, learner)
        put_in_place(building, root_dir)
    except OSError as error:
        raise UserError(f"cannot write {root_dir}: {error.strerror}") from error
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return Imported(model, int(learner.step), updates)


def _write_run(folder: Path, learner: Learner) -> None:
    run = RunFolder(folder)
    learner.task.write_seen_words(folder)
    run.write_config(gin.config_str())
    checkpoints = Checkpoints(folder, **learner.variables(), progress=Progress())
    # It is the latest state, and until training has found a better one the best.
    checkpoints.save(int(learner.step))
    checkpoints.save_best(int(learner.step))


def _step(arrays: Arrays) -> int:
    return int(arrays["step"]) if "step" in arrays else 0


def _moments(model: OriginalModel, arrays: Arrays) -> dict[str, dict[str, NDArray[np.float32]]]:
    """Adam's moments, by our names of them and of the variables; nothing if there are none."""
    found = {
        slot: {name[: -len(end)]: array for name, array in arrays.items() if name.endswith(end)}
        for slot, end in _SLOTS.items()
    }
    if not any(found.values()):
        return {}
    moments, problems = {}, []
    for slot, end in _SLOTS.items():
        try:
            moments[slot] = parser_layout(model, found[slot])
        except UserError as error:
            problems.append(f"moments {end}: {error}")
    if "beta2_power" not in arrays:
        problems.append("beta2_power is missing")
    if problems:
        raise UserError("; ".join(problems))
    return moments


def _assign_moments(
    learner: Learner, moments: Mapping[str, Mapping[str, NDArray[np.float32]]], arrays: Arrays
) -> int | None:
    """Gives the optimizer its moments; how often it has changed the weights."""
    optimizer, variables = learner.train_step.optimizer, learner.parser.trainable_variables
    adam = without_averaging(optimizer)
    if adam is not optimizer:
        for variable in variables:
            optimizer.get_slot(variable, "average").assign(variable)
    if not moments or not isinstance(adam, Adam):
        return None
    _assign_slots(adam, variables, moments)
    updates = _updates(arrays)
    optimizer.iterations.assign(updates)
    return updates


def _assign_slots(
    optimizer: Optimizer,
    variables: Sequence[tf.Variable],
    moments: Mapping[str, Mapping[str, NDArray[np.float32]]],
) -> None:
    problems = []
    for slot, arrays in moments.items():
        for variable in variables:
            name = variable.name.split(":")[0]
            if arrays[name].shape != tuple(variable.shape):
                problems.append(f"moment {slot} of {name} has shape {arrays[name].shape}")
            else:
                optimizer.get_slot(variable, slot).assign(arrays[name])
    if problems:
        raise UserError(f"Adam's moments do not fit: {'; '.join(problems)}")


def _updates(arrays: Arrays) -> int:
    """How many updates Adam has made: its power of β₂ starts at β₂ and is multiplied in each.

    That is fewer than steps, since a step that finds no program changes nothing.
    """
    power = float(arrays["beta2_power"])
    if not 0 < power < 1:
        return _step(arrays)  # after 100,000 updates nothing is left of it
    return max(0, round(math.log(power) / math.log(_BETA_2)) - 1)
