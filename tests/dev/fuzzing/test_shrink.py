"""Shrinking keeps a failure and takes away all else."""

from __future__ import annotations

from lang2program_dev.fuzzing.cases import Case, Failure
from lang2program_dev.fuzzing.shrink import shrink
from lang2program_tf.language import State, get_domain, parse_program
from lang2program_tf.language.errors import ExecutionError
from lang2program_tf.language.executor import step

TANGRAMS = get_domain("tangrams")
LONG = Case(
    TANGRAMS,
    TANGRAMS.parse_world("1:2 2:0 3:4 4:1"),
    5,
    parse_program(
        TANGRAMS,
        "allObjects 1 index allObjects 2 index swap allObjects 3 index remove "
        "1 -1 prevArg1 add allObjects 1 index remove",
    ),
)


def _fails_if_a_piece_is_removed(case: Case) -> Failure | None:
    """A made-up bug: removing shape 4 is wrong."""
    state = State(case.world)
    for place, token in enumerate(case.program):
        shapes = str(state.world)
        try:
            state = step(case.domain, state, token)
        except ExecutionError:
            return None
        if token.name == "remove" and ":4" in shapes and ":4" not in str(state.world):
            return Failure(case._replace(program=case.program[: place + 1]), ("world",))
    return None


def test_what_does_not_matter_is_taken_away():
    failure = _fails_if_a_piece_is_removed(LONG)
    assert failure is not None
    small = shrink(failure, find=_fails_if_a_piece_is_removed).case
    assert str(small.world) == "1:4"
    assert [token.name for token in small.program] == ["allObjects", "remove"]
    assert small.num_utterances == 1


def test_a_failure_on_another_token_is_another_failure():
    failure = Failure(LONG, ("world",))

    def fails_on_another_token(case: Case) -> Failure | None:
        return Failure(case._replace(program=LONG.program[:1]), ("values",))

    assert shrink(failure, find=fails_on_another_token) == failure


def test_a_failure_that_nothing_can_be_taken_from_stays():
    case = Case(TANGRAMS, TANGRAMS.parse_world(""), 1, parse_program(TANGRAMS, "allObjects"))
    failure = Failure(case, ("values",))
    assert shrink(failure, find=lambda smaller: Failure(smaller, ("values",))) == failure
