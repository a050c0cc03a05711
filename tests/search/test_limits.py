"""How many iterations an example gets: by its own utterances, or by those of its batch."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from lang2program_tf.machine import get_machine
from lang2program_tf.search import BeamSearch
from tests.search.reference import Example, Program
from tests.search.toys import (
    assert_same_order,
    programs_of,
    run,
    tensors_of,
    toy_examples,
    toy_parser,
    words_of,
)

MACHINE = get_machine("scene")
EXAMPLES = toy_examples("scene")


@pytest.fixture(scope="module")
def parser():
    return toy_parser("scene")


def search_by_row(parser, examples: Sequence[Example], **padding: int) -> list[list[Program]]:
    """The programs that a search with a limit by row finds, best first."""
    search = BeamSearch(MACHINE, parser, beam_size=32, limit="row")
    words = words_of(examples, **padding)
    return programs_of(MACHINE, run(search, words, tensors_of(MACHINE, examples)))


@pytest.fixture(scope="module")
def together(parser) -> list[list[Program]]:
    """What is found for all examples in one batch."""
    programs = search_by_row(parser, EXAMPLES)
    assert all(programs)
    return programs


def assert_same(expected: list[Program], found: list[Program]) -> None:
    assert_same_order([p[:2] for p in expected], [p[:2] for p in found])


@pytest.mark.parametrize("row", [0, 1, 2])
def test_by_row_an_example_alone_has_the_programs_it_has_in_a_batch(row, parser, together):
    (alone,) = search_by_row(parser, EXAMPLES[row : row + 1])
    assert_same(together[row], alone)


def test_by_row_the_order_of_the_batch_does_not_matter(parser, together):
    order = [2, 0, 1]
    for row, found in zip(order, search_by_row(parser, [EXAMPLES[row] for row in order])):
        assert_same(together[row], found)


def test_by_row_padding_does_not_matter(parser, together):
    for expected, found in zip(together, search_by_row(parser, EXAMPLES, utterances=5, words=9)):
        assert_same(expected, found)


@pytest.mark.slow
def test_by_batch_the_longest_example_sets_the_limit_for_all(parser, together):
    """So it is in the original: a neighbour with five utterances makes 7 iterations 35."""
    short, long = EXAMPLES[0], EXAMPLES[2]
    long = long._replace(utterances=[*long.utterances, *long.utterances[:2]])
    search = BeamSearch(MACHINE, parser, beam_size=32, limit="batch")
    tree = run(search, words_of([short, long]), tensors_of(MACHINE, [short, long]))
    assert len(tree.parent) == 35
    found = programs_of(MACHINE, tree)[0]
    assert max(len(program.tokens) for program in found) > 7
    assert max(len(program.tokens) for program in together[0]) <= 7
    assert_same(together[0], [program for program in found if len(program.tokens) <= 7])
