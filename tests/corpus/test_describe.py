from __future__ import annotations

import json

import numpy as np
import pytest

from lang2program_tf.corpus.describe import (
    Description,
    Known,
    Programs,
    Turns,
    describe,
    to_json,
    to_text,
)
from lang2program_tf.corpus.scone import Line
from lang2program_tf.corpus.words import SPECIAL_WORDS, WordSource, WordVectors
from lang2program_tf.language import get_domain

WORLD = "1:0 2:1"
VECTORS = WordVectors(
    (*SPECIAL_WORDS, "swap", "them", "second", "2nd"),
    vectors=np.zeros((6, 100), np.float32),
    source=WordSource("some.txt", max_rank=None, genuine=3, aliases={"2nd": "second"}),
)
LINES = [
    Line("a", (WORLD, WORLD, WORLD), ("Swap them", "swap the 2nd, 2nd")),
    Line("b", (WORLD, WORLD), (" ".join(["swap"] * 16),)),
    Line("c", (WORLD, WORLD), ("the the end",)),
]


def found(lines: list[Line]) -> Description:
    return describe(lines, name="toy", domain=get_domain("tangrams"), vectors=VECTORS)


def test_lines_and_examples_are_counted():
    toy = found(LINES)
    assert (toy.lines, toy.utterances) == (3, 4)
    assert toy.lines_by_utterances == {1: 2, 2: 1}
    assert (toy.substrings, toy.prefixes) == (2 + 1 + 1 + 1, 2 + 1 + 1)


def test_examples_are_not_counted_where_a_world_is_unknown():
    toy = found([Line("a", (WORLD, None, WORLD), ("swap", "swap"))])
    assert (toy.substrings, toy.prefixes) == (None, None)
    assert "for training" not in to_text(toy)


def test_turns_are_counted_by_how_many_commands_fit_their_worlds():
    toy = found([Line("a", (WORLD, "1:1 2:0", "1:0", "1:0"), ("swap", "swap", "swap"))])
    assert toy.turns == Turns(none=1, one=1, several=1)
    assert "turns             3; commands that fit the worlds: none 1 (33.33%)" in to_text(toy)


def test_turns_are_not_counted_where_a_world_is_unknown():
    assert found([Line("a", (WORLD, None, WORLD), ("swap", "swap"))]).turns is None


def test_programs_are_counted_when_asked_for(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    line = Line("a", ("1:0 2:1", "1:1", "", "1:2"), ("one", "two", "three"))
    options = {"name": "toy", "domain": get_domain("tangrams"), "vectors": VECTORS}
    toy = describe([line], **options, count_programs=True)
    remove_again = ["allObjects remove", "allObjects 1 prevAction", "allObjects -1 prevAction"]
    assert toy.programs == Programs(
        turns=3,
        without=1,
        mean=pytest.approx((1 + len(remove_again)) / 3),
        median=1,
        largest=len(remove_again),
        two_utterances=1 * len(remove_again),
        largest_two_utterances=1 * len(remove_again),
    )
    text = to_text(toy)
    assert "mean 1.3, median 1, largest 3; none for 1 (33.33%)" in text
    assert "of the first two utterances together, at least: mean 3, largest 3" in text
    assert to_json(toy)["programs"]["largest"] == 3
    assert describe([line], **options).programs is None


def test_utterances_beyond_the_domains_limit_are_cut():
    toy = found(LINES)
    assert toy.utterances_by_words == {2: 1, 3: 1, 4: 1, 16: 1}
    assert (toy.max_words, toy.cut_utterances) == (15, 1)


def test_words_are_genuine_aliased_or_unknown():
    toy = found(LINES)
    assert toy.running == Known(genuine=2 + 1 + 16, aliased=1, unknown=2 + 3)
    assert toy.vocabulary == Known(genuine=2, aliased=1, unknown=3)
    assert toy.running.total == 2 + 4 + 16 + 3


def test_unknown_words_come_most_frequent_first_and_then_by_name():
    assert found(LINES).frequent_unknown == (("the", 3), ("2nd,", 1), ("end", 1))


def test_the_text_tells_what_is_cut_and_what_is_unknown():
    text = to_text(found(LINES))
    assert "3; by number of utterances: 2 with 1, 1 with 2" in text
    assert "1 (25.00%) of the utterances have more than 15 words" in text
    assert "25: 19 with a GloVe vector, 1 with that of another word, 5 (20.00%) unknown" in text
    assert "6: 2 with a GloVe vector, 1 with that of another word, 3 (50.00%) unknown" in text
    assert "'the' 3  '2nd,' 1  'end' 1" in text


def test_bars_are_in_proportion_and_cut_utterances_share_one():
    text = to_text(found(LINES[:2] * 2 + LINES[2:]))
    rows = [line.split() for line in text.splitlines() if "#" in line]
    bars = {words: len(bar) for words, _, bar, _ in rows}
    assert bars == {"2": 40, "3": 20, "4": 40, "more": 40}


def test_json_holds_the_same_facts():
    data = json.loads(json.dumps(to_json(found(LINES))))
    assert data["utterances_by_words"] == {"2": 1, "3": 1, "4": 1, "16": 1}
    assert data["running"] == {"genuine": 19, "aliased": 1, "unknown": 5}
    assert data["unknown_rate"] == pytest.approx(0.2)
    assert data["unknown_rate_of_vocabulary"] == pytest.approx(0.5)
    assert data["cut_utterances"] == 1
