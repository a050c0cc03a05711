"""Takes training steps of small learners, alone or with others, and writes down their weights.

`python -m tests.learning.shared_steps FILE.npz STRATEGY LEARNER…`; the strategy may be `None`.
"""

from __future__ import annotations

import sys

import numpy as np
import tensorflow as tf

from lang2program_tf.corpus.batches import training_batches
from lang2program_tf.gin_files import load_gin
from lang2program_tf.learning.learner import Learner
from lang2program_tf.learning.workers import DEVICES, Workers

STEPS = 20
BATCH_SIZE = 5  # which two cannot halve
BINDINGS = [
    'Task.domain = "scene"',
    'Task.corpus = "embedded"',
    'Task.form = "substrings"',
    'Parser.history = ("stack",)',
    "load_embedded.train_lines = 10",
    "load_embedded.dev_lines = 1",
    "load_embedded.test_lines = 1",
    "train/BeamSearch.beam_size = 16",
    "train/BeamSearch.jit_compile = False",
    "evaluate/BeamSearch.jit_compile = False",
]
LEARNERS = {
    "randomer": [
        "TrainStep.optimizer = @averaged()",
        "averaged.optimizer = @original_adam()",
        "averaged.average_decay = 0.9",
    ],
    "reinforce": [
        "TrainStep.optimizer = @adam()",
        "adam.epsilon = 1e-6",  # with less, weights whose gradient is all rounding move too
        "TrainStep.baseline = @LogisticBaseline()",
        "Reinforce.baseline = 0.0",
        "train/BeamSearch.beam_size = 128",  # of a parser that knows nothing, few rollouts end
    ],
}


def take_steps(name: str, workers: Workers) -> dict[str, np.ndarray]:
    """The weights of a learner after its steps, and the sum of each metric over them."""
    files = ["domains/scene.gin", f"learners/{name}.gin"]
    load_gin(files, ["import lang2program_tf.learning.baseline", *BINDINGS, *LEARNERS[name]])
    learner = Learner(workers=workers)
    maker = learner.task.batch_maker(learner.task.examples("train"))
    batches = training_batches(maker, batch_size=BATCH_SIZE, seed=0)
    metrics = [learner.train(batch) for batch in batches.take(STEPS)]
    values = {
        f"{name}/{number}": variable.numpy()
        for number, variable in enumerate(learner.parser.trainable_variables)
    }
    if learner.train_step.baseline is not None:
        values[f"{name}/baseline"] = learner.train_step.baseline.kernel.numpy()
    for metric in metrics[0]._fields:
        total = sum(float(getattr(of_step, metric)) for of_step in metrics)
        values[f"{name}/{metric}"] = np.array(total)
    return values


def main(path: str, strategy: str, *names: str) -> None:
    """Joins the others, if there are any, and takes the steps of each learner."""
    tf.config.experimental.enable_op_determinism()
    tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})  # takes long
    if strategy == DEVICES:
        cpu = tf.config.list_physical_devices("CPU")[0]
        tf.config.set_logical_device_configuration(
            cpu, [tf.config.LogicalDeviceConfiguration()] * 2
        )
    workers = Workers(None if strategy == "None" else strategy, timeout=300)
    values: dict[str, np.ndarray] = {}
    with workers.joined():
        for name in names:
            values.update(take_steps(name, workers))
    np.savez(path, **values)


if __name__ == "__main__":
    main(*sys.argv[1:])
