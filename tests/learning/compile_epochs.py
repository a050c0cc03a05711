"""Trains for two epochs and predicts dev after each; prints how much XLA has compiled by then.

XLA_FLAGS are those of `tests.xla_dumps`.
"""

from __future__ import annotations

from lang2program_tf.corpus.batches import training_batches
from lang2program_tf.gin_files import load_gin
from lang2program_tf.learning.evaluation import Evaluator
from lang2program_tf.learning.learner import Learner
from tests.learning.small_runs import BINDINGS, GIN_FILES
from tests.xla_dumps import num_compiled_loops

_BATCH_SIZE = 8


def main() -> None:
    compiled = ["train/BeamSearch.jit_compile = True", "evaluate/BeamSearch.jit_compile = True"]
    load_gin(GIN_FILES, [*BINDINGS, *compiled])
    learner = Learner()
    examples = learner.task.examples("train")
    maker = learner.task.batch_maker(examples)
    batches = iter(training_batches(maker, batch_size=_BATCH_SIZE, seed=0))
    evaluator = Evaluator(learner, learner.task.examples("dev"))
    for _ in range(2):
        for _ in range(-(-len(examples) // _BATCH_SIZE)):
            learner.train(next(batches))
        evaluator.measures()
        print(num_compiled_loops())


if __name__ == "__main__":
    main()
