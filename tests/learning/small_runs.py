"""Training runs so small that they take a second, once their graphs are built."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

import gin
from lang2program_tf.gin_files import load_gin
from lang2program_tf.learning.checkpoints import Checkpoints
from lang2program_tf.learning.learner import Learner
from lang2program_tf.learning.loop import TrainingLoop
from lang2program_tf.learning.progress import Progress
from lang2program_tf.learning.run_folder import RunFolder
from tests.serving import parsers

GIN_FILES = ["domains/scene.gin", "learners/randomer.gin"]
# Scene, because there some of the first random programs are rewarded, so that steps do something.
BINDINGS = [
    'Task.corpus = "embedded"',
    'Task.form = "substrings"',
    'Parser.history = ("stack",)',
    "load_embedded.train_lines = 10",
    "load_embedded.dev_lines = 3",
    "load_embedded.test_lines = 2",
    "train/BeamSearch.beam_size = 32",
    # Compiling takes longer than these runs; tests/search/test_compiled.py holds it.
    "train/BeamSearch.jit_compile = False",
    "evaluate/BeamSearch.jit_compile = False",
    "evaluate/BeamSearch.beam_size = 16",
    "TrainStep.optimizer = @averaged()",
    "averaged.optimizer = @original_adam()",
    "averaged.average_decay = 0.9",
    'Task.tokenizer = "known_forms"',
    "TrainingLoop.max_steps = 12",
    "TrainingLoop.evaluate_every = 4",
    "TrainingLoop.evaluate_all_every = 6",
    "TrainingLoop.save_every = 3",
    "TrainingLoop.log_every = 2",
    "TrainingLoop.sample_size = 2",
]


class SmallRuns:
    """Loops that share one learner, which each loop finds as it was at the beginning.

    Attributes:
        learner: the learner.
    """

    def __init__(self, folder: Path, bindings: Sequence[str] = ()) -> None:
        """Builds the learner, and keeps its beginning in the folder."""
        load_gin(GIN_FILES, [*BINDINGS, *bindings])
        self.learner = Learner()
        self._beginning = tf.train.Checkpoint(**self.learner.variables())
        self._path = self._beginning.write(str(folder / "beginning"))

    def loop(self, path: Path, **options: Any) -> TrainingLoop:
        """A loop of the settings above, but for `options`."""
        self._beginning.read(self._path).assert_consumed()
        return TrainingLoop(self.learner, RunFolder(path), **options)

    def weights(self) -> list[np.ndarray]:
        """The present weights."""
        return [variable.numpy() for variable in self.learner.parser.trainable_variables]


def knowing_learner(bindings: Sequence[str] = ()) -> Learner:
    """A learner of these settings that finds programs: it was told, which is quicker than to train.

    Its averaged weights are a little off its weights.
    """
    load_gin(GIN_FILES, [*BINDINGS, *bindings])
    learner = Learner()
    told = parsers.parser("scene", learner.parser.history).trainable_variables
    for variable, value in zip(learner.parser.trainable_variables, told):
        variable.assign(value)
        learner.train_step.optimizer.get_slot(variable, "average").assign(0.999 * value)
    return learner


def write_run(folder: Path, bindings: Sequence[str] = ()) -> None:
    """Makes the folder of a run whose learner knows something, with its best checkpoint."""
    learner = knowing_learner(bindings)
    learner.step.assign(77)
    learner.task.write_seen_words(folder)
    RunFolder(folder).write_config(gin.config_str())
    Checkpoints(folder, **learner.variables(), progress=Progress()).save_best(77)


def checkpoint_values(path: Path | str) -> dict[str, np.ndarray]:
    """What the latest checkpoint of a folder holds, but for times and TensorFlow's own."""
    reader = tf.train.load_checkpoint(str(path))
    return {
        name: reader.get_tensor(name)
        for name in reader.get_variable_to_shape_map()
        if not any(other in name for other in ("seconds", "save_counter", "OBJECT_GRAPH"))
    }


def same_values(first: dict[str, np.ndarray], second: dict[str, np.ndarray]) -> bool:
    """Whether two checkpoints are equal, bit for bit."""
    return first.keys() == second.keys() and all(
        first[name].tobytes() == second[name].tobytes() for name in first
    )


def log_without_times(path: Path) -> list[dict[str, Any]]:
    """The records of a run's log."""
    return [
        {key: value for key, value in record.items() if key != "steps_per_second"}
        for record in RunFolder(path).records()
    ]
