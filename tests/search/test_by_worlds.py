"""Prediction by worlds equals a plain reading, dialogue by dialogue."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from lang2program_tf.language import get_domain
from lang2program_tf.machine import get_machine
from lang2program_tf.model import Parser
from lang2program_tf.search import BeamSearch, WorldSearch, best_programs
from lang2program_tf.search.by_worlds import Predictions
from tests.search import plain_worlds
from tests.search.reference import Example
from tests.search.toys import (
    SEEDS,
    TOLERANCE,
    midway_examples,
    run,
    tensors_of,
    toy_examples,
    toy_parser,
    words_of,
)

pytestmark = pytest.mark.slow


def world_search(domain: str, *, iterations: int = 7, **options: Any) -> WorldSearch:
    search = BeamSearch(
        get_machine(domain),
        toy_parser(domain),
        beam_size=16,
        iterations_per_utterance=iterations,
    )
    return WorldSearch(search, **{"num_worlds": 3, **options})


def predict(worlds: WorldSearch, examples: list[Example]) -> Predictions:
    found = worlds.predict(words_of(examples), tensors_of(worlds.search.machine, examples))
    return Predictions(
        programs=type(found.programs)(*(part.numpy() for part in found.programs)),
        path=found.path.numpy(),
    )


def assert_plain(worlds: WorldSearch, examples: list[Example]) -> list[list[plain_worlds.Reached]]:
    """Asserts that all examples are predicted as by the plain reading, and gives that."""
    rules = worlds.search.machine.rules
    programs, path = predict(worlds, examples)
    plain = [plain_worlds.predict(worlds, rules.domain, example) for example in examples]
    for row, (example, reached) in enumerate(zip(examples, plain)):
        count = len(reached)
        done = example.beginning.utterance
        np.testing.assert_allclose(
            programs.log_prob[row, :count], [r.log_prob for r in reached], atol=TOLERANCE
        )
        assert np.isneginf(programs.log_prob[row, count:]).all()
        assert not programs.length[row, count:].any()
        assert not programs.agreeing[row, count:].any()
        assert (programs.tokens[row, count:] == -1).all()
        for place, expected in enumerate(reached):
            length = programs.length[row, place]
            assert tuple(programs.tokens[row, place, :length]) == expected.tokens
            assert programs.agreeing[row, place] == expected.agreeing
            assert rules.decode_world(programs.world[row, place]) == expected.state.world
            assert programs.rewarded[row, place] == (expected.state.world == example.target)
            after = path[row, place, done : len(example.utterances)]
            assert tuple(rules.decode_world(world) for world in after) == expected.path
    return plain


@pytest.mark.parametrize("domain", SEEDS)
def test_dialogues_of_different_lengths_are_predicted_as_by_a_plain_reading(domain: str):
    examples = [*toy_examples(domain), *midway_examples(domain)]
    plain = assert_plain(world_search(domain), examples)
    assert any(len(reached) > 1 for reached in plain)
    assert any(each.agreeing > 1 for reached in plain for each in reached)


def test_of_one_world_and_without_adding_up_the_best_program_of_each_sentence_is_left():
    worlds = world_search("tangrams", num_worlds=1, add_up=False)
    examples = toy_examples("tangrams")
    assert_plain(worlds, examples)
    (one, *_) = examples
    tree = run(worlds.search, words_of([one]), tensors_of(worlds.search.machine, [one]))
    best = best_programs(worlds.search.machine, tree, 1)
    found = predict(worlds, [one]).programs
    length = int(best.length[0, 0])
    np.testing.assert_array_equal(found.tokens[0, 0, :length], best.tokens[0, 0, :length])
    np.testing.assert_allclose(found.log_prob, best.log_prob, atol=TOLERANCE)


def test_the_probability_of_a_world_is_the_sum_of_its_programs():
    most = 0
    for domain in SEEDS:
        worlds = world_search(domain, num_programs=12)
        rules = worlds.search.machine.rules
        first, _, last = midway_examples(domain)  # of which one sentence is left
        for one in ([toy_examples(domain)[0]], [first], [last]):
            tree = run(worlds.search, words_of(one), tensors_of(worlds.search.machine, one))
            best = best_programs(worlds.search.machine, tree, 12)
            programs = [rules.decode_world(world) for world in best.world[0].numpy()]
            found = predict(worlds, one).programs
            for place in np.flatnonzero(found.length[0]):
                world = rules.decode_world(found.world[0, place])
                same = np.array([w == world for w in programs]) & (best.length[0].numpy() > 0)
                assert found.agreeing[0, place] == same.sum()
                total = np.exp(best.log_prob[0].numpy())[same].sum()
                assert np.exp(found.log_prob[0, place]) == pytest.approx(total, rel=1e-4)
            most = max(most, found.agreeing.max())
    assert most > 1


def beginnings(dialogue: Example) -> list[Example]:
    """A dialogue's first sentence, its first two and so on."""
    return [
        dialogue._replace(utterances=dialogue.utterances[: length + 1])
        for length in range(len(dialogue.utterances))
    ]


@pytest.mark.parametrize("domain", SEEDS)
def test_beginnings_of_a_dialogue_are_predicted_as_by_a_plain_reading(domain: str):
    _, two, three = toy_examples(domain)
    *_, midway = midway_examples(domain)
    elsewhere = three._replace(world=two.world)
    other_words = three._replace(utterances=[two.utterances[0], *three.utterances[1:]])
    examples = [*beginnings(three)[::-1], elsewhere, other_words, midway, three]
    assert_plain(world_search(domain), examples)


def test_beginnings_of_a_dialogue_are_searched_with_it(monkeypatch: pytest.MonkeyPatch):
    worlds = world_search("scene")
    search, searched = worlds.search.search, []
    monkeypatch.setattr(
        worlds.search,
        "search",
        lambda memory, examples, **options: (
            searched.append(int(examples.world.shape[0])) or search(memory, examples, **options)
        ),
    )
    *_, dialogue = toy_examples("scene")
    predict(worlds, [dialogue])
    alone, searched[:] = [*searched], []
    predict(worlds, beginnings(dialogue))
    assert searched == alone


def test_worlds_of_little_share_are_given_up():
    examples = toy_examples("tangrams")[1:]
    assert_plain(world_search("tangrams", least_share=0.5), examples)


def test_worlds_live_on_however_improbable_they_are():
    worlds = world_search("tangrams")
    assert isinstance(worlds.search.parser, Parser)
    for part in worlds.search.parser.decoder.query_scorer.weights:
        part.assign(1e9 * part)  # as of a parser that has diverged
    found = predict(worlds, toy_examples("tangrams")).programs
    # There a share of the probability is lost in rounding.
    assert (found.log_prob[:, 0] < -1e9).all()
    assert found.length[:, 0].all()


def test_who_finds_nothing_says_so():
    worlds = world_search("scene", iterations=1)  # no program has one token
    programs, path = predict(worlds, toy_examples("scene"))
    assert np.isneginf(programs.log_prob).all()
    for part in (programs.length, programs.world, programs.rewarded, programs.agreeing, path):
        assert not part.any()
    assert (programs.tokens == -1).all()


def test_a_dialogue_that_cannot_go_on_does_not_disturb_the_others():
    worlds = world_search("tangrams")
    examples = toy_examples("tangrams")
    empty = get_domain("tangrams").parse_world("")
    # Without any piece and without history no program runs.
    lost = examples[1]._replace(world=empty)
    programs, _ = predict(worlds, [lost, examples[1], examples[0]])
    alone, _ = predict(worlds, [examples[1]])
    assert np.isneginf(programs.log_prob[0]).all()
    assert not programs.length[0].any()
    np.testing.assert_allclose(programs.log_prob[1], alone.log_prob[0], atol=TOLERANCE)
    np.testing.assert_array_equal(programs.tokens[1], alone.tokens[0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_worlds": 0}, "num_worlds=0 must be 1 or more"),
        ({"num_programs": 0}, "num_programs=0 must be 1 or more"),
        ({"least_share": 1.0}, "least_share=1.0 must be from 0 to below 1"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, Any], message: str):
    with pytest.raises(ValueError, match=message):
        world_search("tangrams", **options)


def test_in_a_graph_dialogues_of_any_size_have_one_trace():
    worlds = world_search("tangrams")
    examples = toy_examples("tangrams")
    spec = tf.nest.map_structure(
        lambda part: (
            tf.TensorSpec([None] * len(part.shape[:-1]) + part.shape[-1:], part.dtype)
            if len(part.shape) > 1
            else tf.TensorSpec([None], part.dtype)
        ),
        tensors_of(worlds.search.machine, examples),
    )
    words = tf.TensorSpec([None, None, None], tf.int32)
    graph = tf.function(worlds.predict, input_signature=[words, spec], autograph=False)
    for some in (examples, examples[:1]):
        found = graph(words_of(some), tensors_of(worlds.search.machine, some)).programs
        expected = predict(worlds, some).programs
        np.testing.assert_array_equal(found.tokens, expected.tokens)
        np.testing.assert_allclose(found.log_prob, expected.log_prob, atol=TOLERANCE)
    assert graph.experimental_get_tracing_count() == 1
