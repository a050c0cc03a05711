"""Times a checkout of this project: training steps, or the predictions of batches.

As a script, `python worker.py DIR`, it imports the project from DIR, which may be older or newer
than this file: so it imports nothing from beside it, and uses names only that have been there for
long. A request is a line of JSON on stdin, its answer a line on stdout.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO


def open_learner(
    run: Path, *, gin_files: Sequence[str] = (), gin_params: Sequence[str] = ()
) -> Any:
    """The learner of a run with its best weights, or its latest, as training left them.

    Args:
        run: its folder.
        gin_files: the settings; those of the run if there are none.
        gin_params: these go before all others.
    """
    import tensorflow as tf

    from lang2program_tf.gin_files import load_gin
    from lang2program_tf.learning.learner import Learner
    from lang2program_tf.learning.task import Task

    # As in training.
    tf.config.experimental.enable_op_determinism()
    load_gin(list(gin_files) or [str(run / "config.gin")], list(gin_params))
    learner = Learner(Task(folder=run))
    path = tf.train.latest_checkpoint(run / "best") or tf.train.latest_checkpoint(
        run / "checkpoints"
    )
    if path is None:
        raise ValueError(f"{run} has no checkpoint yet; train it first")
    parts = learner.variables()
    weights = tf.train.Checkpoint(parser=parts["parser"]).restore(path)
    weights.assert_existing_objects_matched().expect_partial()
    # Another checkout may have an optimizer with other variables: what fits is taken. Moments and
    # averages are found only together with the weights that they belong to.
    tf.train.Checkpoint(**parts).restore(path).expect_partial()
    return learner


class Training:
    """Training steps, in turns that all begin with the same weights."""

    def __init__(self, learner: Any, *, batch_size: int) -> None:
        """Remembers the weights. Batches are those that would follow.

        Args:
            learner: what learns.
            batch_size: examples a step.
        """
        from lang2program_tf.corpus.batches import training_batches

        self.learner = learner
        self.first_step = int(learner.step)
        examples = learner.task.examples("train")
        learner.remember(examples)
        self.batches = iter(
            training_batches(
                learner.task.batch_maker(examples),
                batch_size=batch_size,
                seed=learner.seed,
                start_step=self.first_step,
            )
        )
        step = learner.train_step
        self._variables = [
            *learner.parser.trainable_variables,
            *step.variables,
            *step.optimizer.variables(),
            learner.step,
        ]
        self._start = [variable.numpy() for variable in self._variables]

    def go_back(self) -> None:
        """Goes back to the weights of the start."""
        for variable, value in zip(self._variables, self._start):
            variable.assign(value)

    def turn(self, steps: int) -> dict[str, Any]:
        """Takes steps from the start: the seconds of each, what was found, and on which examples.

        `amounts` has the share of examples that were solved, the different decisions that were
        learned from, and the share of steps that updated anything.
        """
        self.go_back()
        seconds, examples, amounts = [], [], []
        for _ in range(steps):
            started = time.perf_counter()
            batch = next(self.batches)
            metrics = {k: float(v) for k, v in self.learner.train(batch)._asdict().items()}
            seconds.append(time.perf_counter() - started)
            examples.append(sorted(batch.indices.numpy().tolist()))
            updated = float(metrics["gradient_norm"] > 0)
            amounts.append([metrics["solved"], metrics["decisions"], updated])
        means = [sum(column) / steps for column in zip(*amounts)]
        names = ("solved", "decisions", "updated")
        return {"seconds": seconds, "examples": examples, "amounts": dict(zip(names, means))}


class Evaluation:
    """Predictions of dev examples of five utterances, a batch at a time."""

    def __init__(self, learner: Any, *, batch_size: int) -> None:
        """Takes the weights that the learner is evaluated with.

        Args:
            learner: what predicts.
            batch_size: examples a batch.
        """
        learner.keep_evaluation_weights()
        longest = [e for e in learner.task.examples("dev") if len(e.utterances) == 5]
        if not longest:
            raise ValueError("the dev split has no example of five utterances")
        self.learner = learner
        self._maker = learner.task.batch_maker(tuple(longest))
        self._size = batch_size
        self._done = 0

    def next_batch(self) -> Any:
        """The next examples, over and over."""
        numbers = [(self._done + i) % len(self._maker) for i in range(self._size)]
        self._done = (numbers[-1] + 1) % len(self._maker)
        return self._maker(numbers)

    def turn(self, batches: int) -> dict[str, Any]:
        """Predicts batches: the seconds of each, the share of right answers, and the examples."""
        seconds, examples, right = [], [], 0.0
        for _ in range(batches):
            batch = self.next_batch()
            started = time.perf_counter()
            programs = self.learner.predict(batch).programs
            rewarded = programs.rewarded.numpy()
            seconds.append(time.perf_counter() - started)
            examples.append(batch.indices.numpy().tolist())
            right += float(rewarded[:, 0].mean()) / batches
        return {"seconds": seconds, "examples": examples, "amounts": {"right": right}}


KINDS: dict[str, Any] = {"train": Training, "search": Evaluation}


def _answers(checkout: Path, requests: TextIO) -> Any:
    """Answers each request: the first opens a run, the others ask for turns."""
    from lang2program_tf.tensorflow_defaults import set_tensorflow_defaults

    set_tensorflow_defaults()
    import lang2program_tf

    found = Path(lang2program_tf.__file__).resolve().parent.parent
    if found != checkout.resolve():
        raise ValueError(f"imported {found} instead")
    opening = json.loads(next(requests))
    learner = open_learner(
        Path(opening["run"]), gin_files=opening["gin_files"], gin_params=opening["gin_params"]
    )
    timed = KINDS[opening["kind"]](learner, batch_size=opening["batch_size"])
    yield {"domain": learner.task.domain.name, "corpus": learner.task.corpus}
    for line in requests:
        answer = timed.turn(json.loads(line)["count"])
        yield {**answer, "peak_mb": _peak_mb()}


def _peak_mb() -> float:
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Answers requests until there are no more."""
    # What others print must not come between the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.path[0] = sys.argv[1]
    try:
        for answer in _answers(Path(sys.argv[1]), sys.stdin):
            print(json.dumps(answer), file=answers, flush=True)
    except Exception as error:  # whatever it is, the other process says it
        first = str(error).strip().splitlines() or [""]
        line = json.dumps({"error": f"{type(error).__name__}: {first[0]}"})
        print(line, file=answers, flush=True)


if __name__ == "__main__":
    main()
