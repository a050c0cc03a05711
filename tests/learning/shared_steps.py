"""Takes training steps of small learners, alone or with others, and writes down their weights.

`python -m tests.learning.shared_steps FILE.npz STRATEGY LEARNER…`; the strategy may be `None`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import tensorflow as tf

import gin
from lang2program_tf.corpus.batches import Batch, training_batches
from lang2program_tf.gin_files import load_gin
from lang2program_tf.learning.learner import Learner
from lang2program_tf.learning.optimizers import OriginalAdam, adam, without_averaging
from lang2program_tf.learning.workers import DEVICES, Workers
from lang2program_tf.legacy_keras import Optimizer

STEPS = 20
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
        batch_size: examples a step.
    """

    files: Sequence[str]
    bindings: Sequence[str]
    optimizers: Sequence[str]
    batch_size: int


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
        batch_size=4,  # so that both parts are searched by one graph
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
        [
            "Parser.encoder_units = 8",
            "CosineDecay.warmup_steps = 2",
            "ProgramRecall.cuts = (8, 14)",
            "LinearSchedule.wait = 8",
        ],
        ("averaged",),
        batch_size=5,  # which two cannot halve
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


def _batches(learner: Learner, batch_size: int) -> Iterator[Batch]:
    """Those of the steps; programs are cut when it is time, as in a run."""
    examples = learner.task.examples("train")
    learner.remember(examples)
    former, batches = None, iter(())
    maker = learner.training_maker(examples)
    for step in range(STEPS):
        maker = learner.cut_if_due(maker)
        if maker is not former:
            batches = iter(training_batches(maker, batch_size=batch_size, seed=0, start_step=step))
        former = maker
        yield next(batches)


def _moments(optimizer: Optimizer, weights: Sequence[tf.Variable]) -> dict[str, np.ndarray]:
    """What an Adam remembers of gradients and of their squares, all variables in one."""
    return {
        slot: np.concatenate([optimizer.get_slot(each, slot).numpy().ravel() for each in weights])
        for slot in ("m", "v")
    }


def take_steps(name: str, workers: Workers) -> dict[str, np.ndarray]:
    """What a learner knows after its steps with each optimizer, and the sum of each metric."""
    kind = KINDS[name]
    baselines = "import lang2program_tf.learning.baseline"
    load_gin(kind.files, [baselines, *BINDINGS, *kind.bindings])
    learner = Learner(workers=workers)
    step = learner.train_step
    weights = learner.parser.trainable_variables
    trained = [*weights, learner.step]
    if step.baseline is not None:
        trained += [step.baseline.kernel, step.baseline.bias, *step.baseline.optimizer.variables()]
    beginning = [variable.numpy() for variable in trained]
    values = {}
    for optimizer in kind.optimizers:
        for variable, value in zip(trained, beginning):
            variable.assign(value)
        used = without_averaging(step.optimizer)
        if isinstance(used, Either):
            used.is_ordinary.assign(optimizer == "adam")
            used = used.adam if optimizer == "adam" else used
        metrics = [learner.train(batch) for batch in _batches(learner, kind.batch_size)]
        found = {str(number): variable.numpy() for number, variable in enumerate(trained)}
        found.update(_moments(used, weights))
        for metric in metrics[0]._fields:
            found[metric] = np.sum([getattr(of_step, metric) for of_step in metrics])
        if step.recall is not None:
            found["kept"] = step.recall.kept.numpy()
            found["choices"] = step.recall.choices.numpy()
        values.update({f"{name}/{optimizer}/{what}": value for what, value in found.items()})
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
