from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

import gin
from lang2program_tf.corpus.embedded.splits import Sizes, generate_splits
from lang2program_tf.corpus.glove import ORIGINAL_MAX_RANK
from lang2program_tf.corpus.word_table import write_word_table
from lang2program_tf.corpus.words import (
    SPECIAL_WORDS,
    WordSource,
    WordVectors,
    load_word_vectors,
    tokenize,
)
from lang2program_tf.errors import UserError
from lang2program_tf.fixed_normal import FixedNormal
from lang2program_tf.language import get_domain
from lang2program_tf.word_ids import PADDING, UNKNOWN

SOURCE = WordSource("somewhere.txt", max_rank=None, genuine=2)


@pytest.fixture(scope="module")
def shipped() -> WordVectors:
    return load_word_vectors()


@pytest.fixture(scope="module")
def faithful() -> WordVectors:
    return load_word_vectors(max_rank=ORIGINAL_MAX_RANK)


@pytest.fixture
def glove_path(tmp_path):
    path = tmp_path / "mine.txt"
    rows = np.random.RandomState(1).normal(0.3, 0.6, size=(50, 100))
    path.write_text(
        "".join(f"w{n} {' '.join(f'{x:.5f}' for x in row)}\n" for n, row in enumerate(rows))
    )
    return path


def test_an_utterance_is_split_on_white_space_and_lower_cased_and_nothing_else():
    assert tokenize("  The man's\tHat, \n it's 2nd") == ["the", "man's", "hat,", "it's", "2nd"]


def test_special_rows_come_first_and_then_words_by_frequency(shipped):
    assert shipped.words[:4] == ("<unk>", "<pad>", "the", ",")
    assert (UNKNOWN, PADDING) == (0, 1)
    assert len(shipped) == len(shipped.words) == len(shipped.vectors)


def test_a_word_without_a_row_is_unknown(shipped):
    assert shipped.words[shipped.lookup("beaker")] == "beaker"
    assert shipped.lookup("hat,") == UNKNOWN
    assert shipped.lookup("") == UNKNOWN


@pytest.mark.parametrize("domain", ["alchemy", "scene", "tangrams"])
def test_every_word_of_the_embedded_corpus_is_known_unless_a_comma_clings_to_it(shipped, domain):
    splits = generate_splits(domain, sizes=Sizes(train=150, dev=1, test=1))
    words = {
        word
        for lines in splits.values()
        for line in lines
        for utterance in line.utterances
        for word in tokenize(utterance)
    }
    assert [w for w in words if shipped.lookup(w) == UNKNOWN and not w.endswith(",")] == []


def test_nobody_can_type_a_special_row(shipped):
    assert [shipped.lookup(word) for word in SPECIAL_WORDS] == [UNKNOWN, UNKNOWN]


def test_encoding_keeps_the_left_end_of_a_long_utterance(shipped):
    ids = shipped.encode(["throw", "out", "the", "orange", "chemical"], max_words=4)
    assert [shipped.words[i] for i in ids] == ["throw", "out", "the", "orange"]
    assert shipped.encode(["throw"], max_words=4) == [shipped.lookup("throw")]
    assert shipped.encode([], max_words=4) == []


def test_special_rows_have_the_mean_and_deviation_of_the_vectors(shipped):
    special, words = shipped.vectors[:2], shipped.vectors[2:]
    assert abs(special.mean() - words.mean()) < 4 * words.std() / np.sqrt(200)
    assert abs(special.std() - words.std()) < 4 * words.std() / np.sqrt(400)


def test_special_rows_are_always_the_same_unless_others_are_given(shipped):
    fixed = FixedNormal(seed=1, mean=0.0, std=1.0)
    again, other = load_word_vectors(), load_word_vectors(special_rows=fixed)
    np.testing.assert_array_equal(again.vectors, shipped.vectors)
    np.testing.assert_array_equal(other.vectors[2:], shipped.vectors[2:])
    assert (other.vectors[:2] != shipped.vectors[:2]).all()


def test_vectors_cannot_be_written(shipped):
    with pytest.raises(ValueError, match="read-only"):
        shipped.vectors[0, 0] = 1


@pytest.mark.parametrize(
    "word", ["beaker", "beakers", "leftmost", "rightmost", "delete", "undo", "hatless"]
)
def test_words_unknown_to_the_original_are_known_unless_the_cut_is_its_own(shipped, faithful, word):
    assert shipped.lookup(word) != UNKNOWN
    assert faithful.lookup(word) == UNKNOWN


@pytest.mark.parametrize("word", ["a", "the", "chemical", "2nd", "7th", "3", "purple", "shirt"])
def test_the_originals_cut_keeps_frequent_words_and_aliases(faithful, word):
    assert faithful.words[faithful.lookup(word)] == word


def test_the_source_tells_file_and_counts(shipped, faithful, glove_path):
    assert shipped.source.genuine == 8000
    assert len(shipped) == 2 + 8000 + len(shipped.source.aliases)
    assert "shipped_vectors.npz (all its words): 8,000 genuine" in str(shipped.source)
    assert "22 words with the vector of another word" in str(shipped.source)
    assert faithful.source.genuine == len(faithful) - 2 - len(faithful.source.aliases)
    assert "words of rank below 19,998" in str(faithful.source)
    mine = load_word_vectors("glove", path=glove_path).source
    assert str(mine).startswith(f"{glove_path} (all its words): 50 genuine")
    assert not mine.aliases


def test_a_glove_file_is_cut_at_the_rank_asked_for(glove_path):
    words = load_word_vectors("glove", path=glove_path, max_rank=10)
    assert words.words == (*SPECIAL_WORDS, *(f"w{n}" for n in range(10)))
    assert words.vectors.shape == (12, 100)


def test_the_glove_file_is_found_in_the_data_folder(tmp_path, glove_path, monkeypatch):
    monkeypatch.setenv("LANG2PROGRAM_DATA", str(tmp_path))
    with pytest.raises(UserError, match="lang2program fetch glove"):
        load_word_vectors("glove")
    (tmp_path / "glove").mkdir()
    glove_path.rename(tmp_path / "glove" / "glove.6B.100d.txt")
    assert load_word_vectors("glove").lookup("w3") == 5


def test_gin_chooses_the_file_and_the_cut(glove_path):
    with gin.unlock_config():
        gin.parse_config(
            f'load_word_vectors.source = "glove"\nload_word_vectors.path = "{glove_path}"\n'
            "load_word_vectors.max_rank = 7"
        )
    try:
        assert len(load_word_vectors()) == 9
    finally:
        gin.clear_config()


@pytest.mark.parametrize(
    "options, message",
    [
        ({"source": "word2vec"}, "source must be 'shipped', 'glove' or 'table', got"),
        ({"source": "shipped", "path": "x.txt"}, "path is for other sources than 'shipped'"),
        ({"source": "table"}, "source 'table' needs path and no max_rank, got path=None"),
        ({"source": "table", "path": "x", "max_rank": 3}, "needs path and no max_rank"),
        ({"max_rank": 0}, "max_rank must be at least 1, got 0"),
    ],
)
def test_a_wrong_argument_is_named(options, message):
    with pytest.raises(ValueError, match=message):
        load_word_vectors(**options)


def test_words_and_vectors_must_fit_together():
    vectors = np.zeros((3, 100), np.float32)
    with pytest.raises(ValueError, match=r"float32 \[4, D\], got float32 \(3, 100\)"):
        WordVectors((*SPECIAL_WORDS, "a", "b"), vectors=vectors, source=SOURCE)
    with pytest.raises(ValueError, match="must begin with"):
        WordVectors(("a", "b", "c"), vectors=vectors, source=SOURCE)


@pytest.fixture(scope="module")
def recorded(parity_file) -> WordVectors:
    """The vocabulary of the recordings."""
    with gzip.open(parity_file("word_vocab.json.gz")) as file:
        words = tuple(json.load(file))
    with np.load(parity_file("word_embeds.npz")) as arrays:
        return WordVectors(words, vectors=arrays["word_embeds"], source=SOURCE)


def test_words_of_the_recordings_have_the_rows_of_the_glove_file(data_dir, recorded):
    path = data_dir / "glove" / "glove.6B.100d.top20k.txt.gz"
    glove = load_word_vectors("glove", path=path, max_rank=ORIGINAL_MAX_RANK)
    common = [word for word in recorded.words if glove.lookup(word) != UNKNOWN]
    assert len(common) > 18_000
    np.testing.assert_array_equal(
        recorded.vectors[[recorded.lookup(word) for word in common]],
        glove.vectors[[glove.lookup(word) for word in common]],
    )


@pytest.mark.parametrize("domain", ["alchemy", "scene", "tangrams"])
def test_utterances_are_encoded_as_recorded(parity_file, recorded, domain):
    with gzip.open(parity_file(f"model.{domain}.history.cases.jsonl.gz"), "rt") as file:
        cases = [json.loads(line) for line in file]
    for case in cases:
        ids = recorded.encode(
            tokenize(" ".join(case["utterance"])), max_words=get_domain(domain).max_words
        )
        assert ids == case["word_indices"][: len(ids)]
        assert set(case["word_indices"][len(ids) :]) <= {PADDING}


def test_a_table_is_found_from_the_folder_of_its_run_and_keeps_its_special_rows(tmp_path, shipped):
    words, vectors = shipped.words[:50], shipped.vectors[:50] + 1
    write_word_table(tmp_path / "words.npz", words, vectors)
    loaded = load_word_vectors("table", path="words.npz", folder=tmp_path)
    assert loaded.words == words
    np.testing.assert_array_equal(loaded.vectors, vectors)
    assert "48 genuine" in str(loaded.source)
    (tmp_path / "words.npz").rename(tmp_path / "other.npz")
    with pytest.raises(UserError, match="there is no word table .*words.npz"):
        load_word_vectors("table", path="words.npz", folder=tmp_path)


def test_a_table_without_special_rows_is_refused(tmp_path, shipped):
    write_word_table(tmp_path / "words.npz", shipped.words[2:9], shipped.vectors[2:9])
    with pytest.raises(UserError, match="words.npz: words must begin with"):
        load_word_vectors("table", path=tmp_path / "words.npz")
