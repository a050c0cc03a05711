"""Takes training steps of small learners, alone or with others, and writes down their weights.

`python -m tests.learning.shared_steps FILE.npz STRATEGY LEARNER…`; the strategy may be `None`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

import gin
from lang2program_tf.corpus.batches import training_batches
from lang2program_tf.gin_files import load_gin
from lang2program_tf.learning.learner import Learner
from lang2program_tf.learning.optimizers import OriginalAdam, adam, without_averaging
from lang2program_tf.learning.workers import DEVICES, Workers
from lang2program_tf.legacy_keras import Optimizer

STEPS = 20
BATCH_SIZE = 5  # which two cannot halve
BINDINGS = [
    'Task.corpus = "embedded"',
    "load_embedded.train_lines = 10",
    "load_embedded.dev_lines = 1",
    "load_embedded.test_lines = 1",
    "train/BeamSearch.jit_compile = False",
    "evaluate/BeamSearch.jit_compile = False",
]


class Kind(NamedTuple):
    """A kind of learner.

    Attributes:
        files: gin files.
        bindings: what is changed in them.
        optimizers: who learns anew with each.
    """

    files: Sequence[str]
    bindings: Sequence[str]
    optimizers: Sequence[str]


def _of_the_paper(name: str, *bindings: str) -> Kind:
    return Kind(
        ["domains/scene.gin", f"learners/{name}.gin"],
        [
            'Task.form = "substrings"',
            'Parser.history = ("stack",)',
            "train/BeamSearch.beam_size = 16",
            "TrainStep.optimizer = @Either()",
            *bindings,
        ],
        ("original_adam", "adam"),
    )


KINDS = {
    "randomer": _of_the_paper("randomer"),
    "reinforce": _of_the_paper(
        "reinforce",
        "TrainStep.baseline = @LogisticBaseline()",
        "Reinforce.baseline = 0.0",
        "train/BeamSearch.beam_size = 128",  # of a parser that knows nothing, few rollouts end
    ),
    "turns": Kind(
        ["turns/tangrams.gin"],
        ["Parser.encoder_units = 8", "CosineDecay.warmup_steps = 2"],
        ("averaged",),
    ),
}


@gin.configurable
class Either(OriginalAdam):
    """The original's Adam, or the ordinary one, as it is told: two learners with one graph."""

    def __init__(self) -> None:
        super().__init__(0.001, epsilon=1e-8)
        self.adam = adam()
        self.is_ordinary = tf.Variable(False, trainable=False)

    def _create_all_weights(self, variables: Sequence[tf.Variable]) -> None:
        super()._create_all_weights(variables)
        self.adam._create_all_weights(variables)

    def apply_gradients(self, gradients: Iterable[tuple[tf.Tensor, tf.Variable]]) -> None:
        pairs = list(gradients)

        def by(apply: Callable[..., object]) -> Callable[[], tf.Tensor]:
            return lambda: (apply(pairs), tf.constant(0))[1]

        tf.cond(self.is_ordinary, by(self.adam.apply_gradients), by(super().apply_gradients))


class InTwoParts(Workers):
    """One process that does the work of two: the parts of both, added up."""

    def add_up(self, part: Callable[[int, int], Any]) -> Any:
        """The sum of two floats is the same in either order: that of an all-reduce of two."""
        return tf.nest.map_structure(tf.add, part(0, 2), part(1, 2))


def _is_blind(variable: tf.Variable) -> bool:
    """Whether nothing depends on a variable: what all keys share, a softmax does not see.

    Its gradient is nothing but rounding, of which Adam makes whole steps.
    """
    return variable.name.endswith("/keys/bias:0")


def _rounding(optimizer: Optimizer, variable: tf.Variable) -> np.ndarray:
    """How far off a step may take each weight, only because its gradient was added up otherwise.

    Terms of a gradient are as large as the largest entries of its variable, and so is what rounding
    does to each entry. Adam divides a step by the size of the entry's own gradients so far: where
    their terms cancel, it makes more of the rounding, and whole steps of nothing but rounding.
    """
    rate = optimizer.learning_rate
    sizes = np.sqrt(optimizer.get_slot(variable, "v").numpy())
    unit = np.finfo(np.float32).eps * sizes.max()
    shares = np.divide(unit, sizes, out=np.zeros_like(sizes), where=sizes > 0)
    return 2 * float(rate(optimizer.iterations) if callable(rate) else rate) * shares.clip(max=1)


def take_steps(name: str, workers: Workers) -> dict[str, np.ndarray]:
    """What a learner knows after its steps with each optimizer, and the sum of each metric.

    Beside each weight of the parser stands, as `rounding`, how far rounding may take it.
    """
    kind = KINDS[name]
    baselines = "import lang2program_tf.learning.baseline"
    load_gin(kind.files, [baselines, *BINDINGS, *kind.bindings])
    learner = Learner(workers=workers)
    step = learner.train_step
    examples = learner.task.examples("train")
    learner.remember(examples)
    maker = learner.task.batch_maker(examples)
    batches = training_batches(maker, batch_size=BATCH_SIZE, seed=0)
    trained = [*learner.parser.trainable_variables, learner.step]
    if step.baseline is not None:
        trained += [step.baseline.kernel, step.baseline.bias, *step.baseline.optimizer.variables()]
    beginning = [variable.numpy() for variable in trained]
    values = {}
    for optimizer in kind.optimizers:
        for variable, value in zip(trained, beginning):
            variable.assign(value)
        if isinstance(step.optimizer, Either):
            step.optimizer.is_ordinary.assign(optimizer == "adam")
        used = without_averaging(step.optimizer)
        if isinstance(used, Either) and optimizer == "adam":
            used = used.adam
        metrics = []
        weights = learner.parser.trainable_variables
        rounding = [np.zeros(weight.shape) for weight in weights]
        for batch in batches.take(STEPS):
            metrics.append(learner.train(batch))
            for so_far, weight in zip(rounding, weights):
                so_far += _rounding(used, weight)
        pair = f"{name}/{optimizer}"
        for number, variable in enumerate(trained):
            if _is_blind(variable):
                continue
            values[f"{pair}/{number}"] = variable.numpy()
            if number < len(rounding):
                values[f"{pair}/{number}/rounding"] = rounding[number]
        for metric in metrics[0]._fields:
            total = sum(float(getattr(of_step, metric)) for of_step in metrics)
            values[f"{pair}/{metric}"] = np.array(total)
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
