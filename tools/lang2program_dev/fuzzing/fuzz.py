"""Random programs on random worlds: the Python executor against the tensor machine."""

from __future__ import annotations

import contextlib
import gc
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from tqdm import tqdm

from lang2program_dev.fuzzing.cases import Case, Failure, find_failure
from lang2program_dev.fuzzing.coverage import Coverage
from lang2program_dev.fuzzing.shrink import shrink
from lang2program_dev.fuzzing.side_by_side import Difference, SideBySide
from lang2program_dev.fuzzing.walks import MAX_UTTERANCES, Walk, Walker
from lang2program_tf.machine import Machine

_MOST_FAILURES = 3


@dataclass(frozen=True)
class Budget:
    """How long to go on: until so many token steps were compared, or so many seconds have passed.

    One of the two is None.
    """

    steps: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        if (self.steps is None) == (self.seconds is None):
            raise ValueError(f"steps={self.steps}, seconds={self.seconds}: one must be given")


@dataclass
class FuzzReport:
    """What a run has seen.

    Attributes:
        coverage: how often every token had every outcome.
        steps: token steps, states after a token that were compared in full.
        states: states from which all tokens were tried and their outcomes compared.
        walks: how many walks led there.
        situations: how many different (token, outcome, types on the stack, length of the history)
            the walks took.
        histories: how many of `states` had a history of each length.
        seconds: how long it took.
        differences: on how many token steps or outcomes the executors disagreed.
        failures: some of the differences as small cases, each on another token.
        only_in_batch: cases that differ in a batch and agree when they run alone.
    """

    coverage: Coverage
    steps: int = 0
    states: int = 0
    walks: int = 0
    situations: int = 0
    histories: Counter[int] = field(default_factory=Counter)
    seconds: float = 0.0
    differences: int = 0
    failures: list[Failure] = field(default_factory=list)
    only_in_batch: list[Failure] = field(default_factory=list)


def fuzz(machine: Machine, *, budget: Budget, seed: int, batch: int) -> FuzzReport:
    """Compares the machine with Python, token by token, until the budget is spent or they differ.

    From every state that a walk comes to, the outcomes of all tokens are compared. States are
    compared after the token that the walk takes, and after all others that run and are not
    constants: a constant does the same from every state.

    Args:
        machine: the tensor machine, of any domain.
        budget: when to stop.
        seed: what the walks depend on, together with the domain and `batch`.
        batch: how many walks go on at once.
    """
    domain = machine.rules.domain
    side_by_side = SideBySide(machine, max_utterances=MAX_UTTERANCES)
    walker = Walker(domain, Random(f"{domain.name} {seed}"))
    report = FuzzReport(Coverage(domain))
    walks = [walker.start() for _ in range(batch)]
    start = time.monotonic()
    total, unit = budget.steps or budget.seconds, " token steps" if budget.steps else " s"
    with _old_garbage_left_alone(), tqdm(total=total, desc=domain.name, unit=unit) as bar:
        while bar.n < bar.total and not report.differences:
            followed, differences = _step(side_by_side, walker, walks, report)
            _add_failures(report, side_by_side, walks, differences)
            walks = followed
            report.seconds = time.monotonic() - start
            spent = report.steps if budget.steps else report.seconds
            bar.update(min(spent, bar.total) - bar.n)
    report.walks, report.situations = walker.num_walks, len(walker.situations)
    return report


@contextlib.contextmanager
def _old_garbage_left_alone() -> Iterator[None]:
    """Spares the collector the objects of TensorFlow; looking through them takes half the time."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _step(
    side_by_side: SideBySide, walker: Walker, walks: Sequence[Walk], report: FuzzReport
) -> tuple[list[Walk], tuple[Difference, ...]]:
    """Takes all walks one token further and compares."""
    states = [walk.state for walk in walks]
    counts = [walk.num_utterances for walk in walks]
    tried = side_by_side.try_tokens(states, counts)
    chosen = [walker.choose(walk, steps) for walk, steps in zip(walks, tried)]
    applied = [
        [step for step in steps if step.token.arity or step is own]
        for steps, own in zip(tried, chosen)
    ]
    comparison = side_by_side.compare(states, counts, tried=tried, applied=applied)
    report.coverage.add(comparison.outcomes)
    report.steps += len(comparison.applied.rows)
    report.states += len(states)
    report.histories.update(state.utterance for state in states)
    followed = [walker.follow(walk, step) for walk, step in zip(walks, chosen)]
    return followed, comparison.differences


def _add_failures(
    report: FuzzReport,
    side_by_side: SideBySide,
    walks: Sequence[Walk],
    differences: Sequence[Difference],
) -> None:
    """Counts the differences, and shrinks the first one of each of the first few tokens."""
    report.differences += len(differences)
    first_of_token = {difference.token: difference for difference in reversed(differences)}

    def find(case: Case) -> Failure | None:
        return find_failure(side_by_side, case)

    for difference in list(first_of_token.values())[:_MOST_FAILURES]:
        walk, domain = walks[difference.row], report.coverage.domain
        program = (*walk.tokens, domain.tokens[difference.token])
        case = Case(domain, walk.world, walk.num_utterances, program)
        alone = find(case)
        if alone is None:
            report.only_in_batch.append(Failure(case, difference.parts))
        else:
            report.failures.append(shrink(alone, find=find))
