from __future__ import annotations

import pytest

from lang2program_tf.corpus.gold import seen_from

REMOVE = ("allObjects", "2", "index", "remove")
ADD_IT_BACK = ("2", "-1", "prevArg1", "add")
SWAP = ("allObjects", "1", "index", "allObjects", "2", "index", "swap")
STEP_2_AGAIN = ("2", "prevArg1", "2", "prevArg2", "2", "prevAction")


def test_a_program_without_history_stays_as_it_is():
    assert seen_from([REMOVE, SWAP], 1) == (SWAP,)


def test_a_reference_to_the_last_command_stays_as_it_is():
    assert seen_from([SWAP, REMOVE, ADD_IT_BACK], 1) == (REMOVE, ADD_IT_BACK)


def test_a_numbered_reference_counts_from_the_start_of_the_part():
    assert seen_from([REMOVE, SWAP, STEP_2_AGAIN], 1) == (
        SWAP,
        ("1", "prevArg1", "1", "prevArg2", "1", "prevAction"),
    )


def test_the_whole_line_keeps_its_numbers():
    commands = [REMOVE, SWAP, STEP_2_AGAIN]
    assert seen_from(commands, 0) == tuple(commands)


@pytest.mark.parametrize(
    ("commands", "start"),
    [([REMOVE, ADD_IT_BACK], 1), ([REMOVE, SWAP, REMOVE, STEP_2_AGAIN], 2)],
)
def test_a_part_that_needs_what_came_before_has_no_program(commands, start):
    assert seen_from(commands, start) is None
