from __future__ import annotations

import hashlib

import pytest

from lang2program_tf.corpus.embedded.splits import SPLITS, Sizes, generate_splits, orig_lines
from lang2program_tf.corpus.scone import Line, orig_examples, prefixes, substrings
from lang2program_tf.corpus.words import load_word_vectors
from lang2program_tf.language import execute, get_domain

DOMAINS = ("alchemy", "scene", "tangrams")


@pytest.fixture(scope="module")
def corpora() -> dict[str, dict[str, tuple[Line, ...]]]:
    return {domain: generate_splits(domain, seed=0) for domain in DOMAINS}


@pytest.mark.parametrize("domain", DOMAINS)
def test_no_example_occurs_in_two_splits(corpora, domain):
    seen: dict[tuple[str, tuple[str, ...]], str] = {}
    for split in SPLITS:
        lines = corpora[domain][split]
        for example in (*substrings(lines), *prefixes(lines)):
            key = (example.world, example.utterances)
            assert seen.setdefault(key, split) == split


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_gold_program_of_every_example_runs_to_its_target(corpora, domain):
    language = get_domain(domain)
    without = 0
    for lines in corpora[domain].values():
        examples = (*substrings(lines), *prefixes(lines), *orig_examples(orig_lines(domain, lines)))
        for example in examples:
            if example.gold_programs is None:
                without += 1
                continue
            program = [token for command in example.gold_programs for token in command]
            state = execute(language, language.parse_world(example.world), program)
            assert state.world == language.parse_world(example.target)
            assert not state.stack
            assert len(state.history) == len(example.utterances)
    assert without > 0


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_prefix_has_a_gold_program(corpora, domain):
    for lines in corpora[domain].values():
        assert all(example.gold_programs for example in prefixes(lines))


def test_sizes_are_as_asked_for():
    splits = generate_splits("tangrams", sizes=Sizes(train=7, dev=5, test=3))
    assert {split: len(lines) for split, lines in splits.items()} == {
        "train": 7,
        "dev": 5,
        "test": 3,
    }


def test_a_size_of_none_is_named():
    with pytest.raises(ValueError, match="dev must be at least 1, got 0"):
        Sizes(dev=0)


def test_a_larger_training_set_begins_with_the_smaller_one(corpora):
    small = generate_splits("scene", sizes=Sizes(train=20))
    assert small["train"] == corpora["scene"]["train"][:20]
    assert small["test"] == corpora["scene"]["test"]


def test_another_seed_gives_another_corpus():
    sizes = Sizes(train=5, dev=5, test=5)
    first, second = (generate_splits("alchemy", seed=seed, sizes=sizes) for seed in (0, 1))
    assert not set(first["train"]) & set(second["train"])


@pytest.mark.parametrize(
    ("domain", "digest"),
    [("alchemy", "4cd47e302a6a"), ("scene", "ad081d6ec20a"), ("tangrams", "6414f736ee68")],
)
def test_seed_0_gives_the_same_test_lines_on_every_python(corpora, domain, digest):
    # Results measured on the embedded corpus are comparable only while this does not change.
    text = repr([tuple(line) for line in corpora[domain]["test"]])
    assert hashlib.sha256(text.encode()).hexdigest()[:12] == digest


def test_the_vocabulary_is_wide_and_the_shipped_vectors_cover_it(corpora):
    words = {
        word
        for splits in corpora.values()
        for line in splits["train"]
        for utterance in line.utterances
        for word in utterance.split()
    }
    assert len(words) >= 350
    vectors = load_word_vectors()
    assert {word for word in words if not vectors.lookup(word)} <= {"then,", "next,", "finally,"}


def test_orig_lines_are_all_single_utterances_and_then_all_pairs(corpora):
    lines = corpora["alchemy"]["test"][:2]
    cut = orig_lines("alchemy", lines)
    assert [len(line.utterances) for line in cut] == [1] * 6 + [2] * 4
    assert [line.id for line in cut] == ["test-0"] * 3 + ["test-1"] * 3 + [
        "test-0",
        "test-0",
        "test-1",
        "test-1",
    ]
    assert cut[0].utterances == lines[0].utterances[1:2]
    assert cut[6].worlds == (lines[0].worlds[1], None, lines[0].worlds[3])
