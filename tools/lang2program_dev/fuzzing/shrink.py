"""Makes a failing case small: fewer utterances, a shorter program, a simpler world."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Callable

from lang2program_dev.fuzzing.cases import Case, Failure
from lang2program_dev.fuzzing.random_worlds import simpler_worlds
from lang2program_tf.language import Kind


def shrink(failure: Failure, *, find: Callable[[Case], Failure | None]) -> Failure:
    """Makes the case of a failure smaller as long as the same token still fails.

    Args:
        failure: a failure that `find` finds.
        find: the failure of a case, if there is one; its case may be shorter than the one given.
    """
    while True:
        for candidate in _smaller(failure.case):
            found = find(candidate)
            if found is not None and found.case.program[-1] is failure.case.program[-1]:
                failure = found
                break
        else:
            return failure


def _smaller(case: Case) -> Iterator[Case]:
    """Cases with less in one respect, those with much less first."""
    for count in range(1, case.num_utterances):
        yield case._replace(num_utterances=count)
    prefix, last = case.program[:-1], case.program[-1]
    size = len(prefix)
    while size:
        for start in range(len(prefix) - size + 1):
            rest = prefix[:start] + prefix[start + size :]
            yield case._replace(program=(*rest, last))
        size -= 1
    yield from _lower_numbers(case)
    for world in simpler_worlds(case.domain, case.world):
        simpler = case._replace(world=world)
        yield simpler
        # One object less to the left: what the program counts to is now one place nearer.
        yield from _lower_numbers(simpler)


def _lower_numbers(case: Case) -> Iterator[Case]:
    """The case with one less for one of the numbers in its program."""
    for place, token in enumerate(case.program[:-1]):
        if token.kind is Kind.NUMBER and int(token.value or 0) > 1:
            lower = case.domain.token(str(int(token.value or 0) - 1))
            program = (*case.program[:place], lower, *case.program[place + 1 :])
            yield case._replace(program=program)
