"""The search in the graph equals the search in plain Python, program by program."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import tensorflow as tf

from lang2program_tf.machine import get_machine
from lang2program_tf.machine.encode import encode_states
from lang2program_tf.machine.plain_features import plain_tokens_features
from lang2program_tf.search import BeamSearch, RandomizedOriginal, RandomizedPaper, SearchTree
from tests.search import reference
from tests.search.reference import Example, Result, Rule
from tests.search.toys import (
    NEAR_TIE,
    SEEDS,
    assert_same_order,
    beams_of,
    midway_examples,
    programs_of,
    run,
    tensors_of,
    toy_examples,
    toy_parser,
    words_of,
)

# Every domain with every history, every domain and every history with every beam size. Seeds are
# such that programs are found.
# The first of each domain will do while editing.
CASES = [
    ("alchemy", ("tokens",), 8, 25),
    ("alchemy", ("stack",), 32, 42),
    ("alchemy", ("tokens", "stack"), 1, 20),
    ("scene", ("tokens", "stack"), 32, 19),
    ("scene", ("tokens",), 1, 8),
    ("scene", ("stack",), 8, 48),
    ("tangrams", ("stack",), 1, 35),
    ("tangrams", ("tokens",), 32, 60),
    ("tangrams", ("tokens", "stack"), 8, 51),
]


def assert_equal(search: BeamSearch, tree: SearchTree, expected: Sequence[Result]) -> None:
    """Asserts that a search tree holds the programs and the live beams of the reference."""
    assert any(result.programs for result in expected)
    assert len(tree.parent) == max(len(result.beams) for result in expected)
    for row, (found, result) in enumerate(zip(programs_of(search.machine, tree), expected)):
        assert tree.num_complete[row] == len(result.programs)
        assert_same_order([p[:2] for p in result.best_first], [p[:2] for p in found])
        outcomes = {p.tokens: (str(p.world), p.rewarded) for p in result.programs}
        assert {p.tokens: (str(p.world), p.rewarded) for p in found} == outcomes
        beams = [[(p.tokens, p.score) for p in beam] for beam in result.beams]
        beams += [[]] * (len(tree.parent) - len(beams))  # while other examples go on
        for beam, found_beam in zip(beams, beams_of(tree, row)):
            assert_same_order(beam, found_beam)


def smallest_gap(results: Sequence[Result], ranks: slice) -> float:
    """The smallest difference between neighbours among these ranks of all pools."""
    pools = [np.array(pool[ranks]) for result in results for pool in result.pools]
    return min((-np.diff(pool).max() for pool in pools if len(pool) > 1), default=np.inf)


def found_in_tensors(search: BeamSearch, examples: Sequence[Example], **options) -> SearchTree:
    """Runs eagerly what `test_graph` shows to be the same in a graph."""
    tensors = tensors_of(search.machine, examples)
    return run(search, words_of(examples), tensors, **options)


def found_plainly(
    search: BeamSearch, examples: Sequence[Example], rules: Sequence[Rule] | None = None
) -> list[Result]:
    """What the reference finds with the settings of `search`; rules are classic by default."""
    counts = [len(e.utterances) - e.beginning.utterance for e in examples]
    limits = counts if search.limit == "row" else [max(counts)] * len(counts)
    return [
        reference.search(
            search.parser,
            search.machine.rules.domain,
            example,
            iterations=search.iterations_per_utterance * limit,
            rule=rule,
            independent_utterances=search.independent_utterances,
        )
        for example, limit, rule in zip(
            examples, limits, rules or [reference.classic(search.beam_size)] * len(counts)
        )
    ]


def assert_finds_the_same(search: BeamSearch, examples: Sequence[Example]) -> SearchTree:
    """Asserts that a classic search finds what the reference finds."""
    expected = found_plainly(search, examples)
    cut = slice(search.beam_size - 1, search.beam_size + 1)
    assert smallest_gap(expected, cut) > NEAR_TIE, "a near-tie decides: take another seed"
    tree = found_in_tensors(search, examples)
    assert_equal(search, tree, expected)
    return tree


@pytest.mark.parametrize(
    ("domain", "history", "beam_size", "seed"),
    [
        pytest.param(
            *case,
            id=f"{case[0]}-{'+'.join(case[1])}-{case[2]}",
            marks=pytest.mark.slow if number % 3 else [],
        )
        for number, case in enumerate(CASES)
    ],
)
def test_it_finds_what_the_plain_search_finds(domain, history, beam_size, seed):
    parser = toy_parser(domain, history, seed=seed)
    search = BeamSearch(get_machine(domain), parser, beam_size=beam_size)
    assert_finds_the_same(search, toy_examples(domain))


@pytest.mark.slow
def test_with_a_limit_by_row_each_example_gets_its_own_iterations():
    search = BeamSearch(get_machine("scene"), toy_parser("scene"), beam_size=16, limit="row")
    tree = assert_finds_the_same(search, toy_examples("scene"))
    for row, count in enumerate((1, 2, 3)):
        assert np.isneginf(tree.complete[7 * count :, row]).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("domain", "seed", "limit"),
    [("alchemy", 2, "row"), ("scene", 38, "batch"), ("tangrams", 19, "row")],
)
def test_in_the_middle_of_a_dialogue_programs_go_on_from_its_world_and_commands(
    domain, seed, limit
):
    parser = toy_parser(domain, seed=seed)
    search = BeamSearch(get_machine(domain), parser, beam_size=16, limit=limit)
    tree = assert_finds_the_same(search, midway_examples(domain))
    np.testing.assert_array_equal(tree.utterance[0, :, 0], [1, 1, 2])
    assert tree.num_complete.numpy().min() > 0
    repeats = tree.complete[..., -1].numpy() > -np.inf  # programs that end with prevAction
    assert repeats[:, :2].any()
    assert len(repeats) <= 2 * search.iterations_per_utterance


@pytest.mark.slow
def test_no_complete_program_is_lost():
    search = BeamSearch(get_machine("scene"), toy_parser("scene"), beam_size=128)
    assert_finds_the_same(search, toy_examples("scene")[:2])


def test_complete_programs_take_no_place_in_the_beam():
    search = BeamSearch(get_machine("scene"), toy_parser("scene"), beam_size=8)
    tree = found_in_tensors(search, toy_examples("scene")[1:2])
    assert tree.num_complete[0] > 8


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rule", "domain"),
    [
        (RandomizedPaper, "alchemy"),
        (RandomizedPaper, "tangrams"),
        (RandomizedOriginal, "scene"),
        (RandomizedOriginal, "tangrams"),
    ],
)
def test_randomized_search_finds_what_the_plain_one_finds_with_its_draws(rule, domain, monkeypatch):
    selection = rule(epsilon=0.2)
    search = BeamSearch(get_machine(domain), toy_parser(domain), beam_size=16, selection=selection)
    draw, draws = selection.draw, []

    def draw_and_keep(*args, **options):
        draws.append(draw(*args, **options))
        return draws[-1]

    monkeypatch.setattr(selection, "draw", draw_and_keep)
    examples = toy_examples(domain)
    tree = found_in_tensors(search, examples, seed=tf.constant([1, 2]))
    (drawn,) = draws  # once for all iterations
    rules = [reference.randomized(rule, drawn, row) for row in range(len(examples))]
    expected = found_plainly(search, examples, rules)
    # A draw takes a rank, so that every order of near-ties decides something.
    ranks = slice(0, search.beam_size + 1)
    assert smallest_gap(expected, ranks) > NEAR_TIE, "a near-tie decides: take another seed"
    assert_equal(search, tree, expected)


@pytest.mark.slow
def test_independent_utterances_hide_the_tokens_of_earlier_ones():
    machine, parser, examples = get_machine("scene"), toy_parser("scene"), toy_examples("scene")
    search = BeamSearch(machine, parser, beam_size=16, independent_utterances=True)
    tree = assert_finds_the_same(search, examples)
    usual = found_in_tensors(BeamSearch(machine, parser, beam_size=16), examples)
    one, *_, three = ((beams_of(tree, row), beams_of(usual, row)) for row in range(3))
    assert one[0] == one[1]  # nothing to hide
    assert three[0] != three[1]


def test_independent_utterances_change_nothing_for_a_stack_history():
    machine, parser = get_machine("scene"), toy_parser("scene", ("stack",))
    examples = toy_examples("scene")[1:2]
    trees = [
        found_in_tensors(
            BeamSearch(machine, parser, beam_size=16, independent_utterances=choice), examples
        )
        for choice in (False, True)
    ]
    assert trees[0].num_complete[0] > 0
    tf.nest.map_structure(np.testing.assert_array_equal, *trees)


@pytest.mark.parametrize("domain", SEEDS)
def test_the_tree_keeps_the_execution_history_of_every_live_prefix(domain):
    search = BeamSearch(get_machine(domain), toy_parser(domain), beam_size=16)
    examples = toy_examples(domain)[1:2]
    tree = found_in_tensors(search, examples, keep_prefixes=True)
    for row, result in enumerate(found_plainly(search, examples)):
        states = {p.tokens: p.state for beam in result.beams for p in beam}
        for iteration, beam in enumerate(beams_of(tree, row)[:-1], start=1):
            encoded = encode_states(
                search.machine.rules, [states[tokens] for tokens, _ in beam], max_utterances=2
            )
            recent = plain_tokens_features([tokens for tokens, _ in beam])
            for found, expected in (
                (tree.utterance, encoded.utterance),
                (tree.world, encoded.world),
                (tree.prefixes.recent, recent),
                (tree.prefixes.kinds, encoded.kinds),
                (tree.prefixes.values, encoded.values),
            ):
                np.testing.assert_array_equal(found[iteration, row, : len(beam)], expected)


@pytest.mark.parametrize("option", [{"beam_size": 0}, {"limit": "utterance"}])
def test_options_that_make_no_sense_are_refused(option):
    with pytest.raises(ValueError, match=str(*option.values())):
        BeamSearch(get_machine("tangrams"), toy_parser("tangrams"), **option)
