from __future__ import annotations

import pytest

import gin
from lang2program_tf.corpus.embedded.load import load_embedded
from lang2program_tf.corpus.embedded.splits import Sizes, generate_splits
from lang2program_tf.language import execute, get_domain

SMALL = {"train_lines": 6, "dev_lines": 3, "test_lines": 3}


@pytest.mark.parametrize(
    ("domain", "form", "count"),
    [("scene", "substrings", 54), ("scene", "orig", 12), ("alchemy", "orig", 30)],
)
def test_training_examples_come_in_two_forms(domain, form, count):
    examples = load_embedded(domain, split="train", form=form, **SMALL)
    assert len(examples) == count
    assert {len(example.utterances) for example in examples} == {1, 2}


@pytest.mark.parametrize("domain", ["alchemy", "scene", "tangrams"])
def test_turns_of_the_embedded_corpus_lead_where_their_gold_programs_lead(domain):
    language = get_domain(domain)
    examples = load_embedded(domain, split="train", form="turns", **SMALL)
    assert [len(example.utterances) for example in examples] == [1, 2, 3, 4, 5] * 6
    for example in examples:
        first = language.parse_world(example.first_world)
        *before, last = example.gold_programs
        state = execute(language, first, [token for command in before for token in command])
        assert str(state.world) == example.world
        assert [c.action for c in example.start.history] == [c.action for c in state.history]
        after = execute(language, first, [t for c in example.gold_programs for t in c])
        assert str(after.world) == example.target
        assert last


def test_evaluation_examples_are_prefixes_of_the_split():
    examples = load_embedded("tangrams", split="dev", **SMALL)
    lines = generate_splits("tangrams", sizes=Sizes(6, 3, 3), until="dev")["dev"]
    assert len(examples) == 15
    for example in examples:
        line = lines[example.line]
        assert example.world == line.worlds[0]
        assert example.utterances == line.utterances[: len(example.utterances)]


def test_gin_chooses_the_size_and_the_seed():
    with gin.unlock_config():
        gin.bind_parameter("load_embedded.test_lines", 2)
        gin.bind_parameter("load_embedded.seed", 8)
    try:
        chosen = load_embedded("scene", split="test")
    finally:
        gin.clear_config()
    assert chosen == load_embedded("scene", split="test", test_lines=2, seed=8)
    assert len(chosen) == 10


@pytest.mark.parametrize("arguments", [{"split": "valid"}, {"split": "train", "form": "paper"}])
def test_an_unknown_split_or_form_is_named(arguments):
    with pytest.raises(ValueError, match="(split='valid'|form='paper') must be one of"):
        load_embedded("scene", **arguments)
