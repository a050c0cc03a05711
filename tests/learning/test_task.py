"""A task finds the words that were seen in training, in its data or in the folder of its run."""

from __future__ import annotations

import pytest

from lang2program_tf.corpus.tokenizers import KnownForms, WhiteSpace
from lang2program_tf.learning import task as module
from lang2program_tf.learning.task import Task


def known_forms(**arguments) -> Task:
    return Task("tangrams", corpus="embedded", tokenizer="known_forms", **arguments)


def test_words_are_split_as_in_the_original_unless_gin_says_otherwise():
    assert isinstance(Task("tangrams", corpus="embedded").tokenizer, WhiteSpace)


def test_seen_words_are_those_of_the_training_examples():
    task = known_forms()
    read = {w for e in task.examples("train") for u in e.utterances for w in task.tokenizer.read(u)}
    assert isinstance(task.tokenizer, KnownForms)
    assert read <= set(task.tokenizer.seen)
    assert task.tokenizer.read("swpa the frist") == ["swap", "the", "first"]


def test_a_run_folder_keeps_them_for_machines_without_the_data(tmp_path, monkeypatch):
    task = known_forms(folder=tmp_path)
    task.write_seen_words(tmp_path)
    monkeypatch.setattr(module, "load_corpus", None)
    again = known_forms(folder=tmp_path)
    assert isinstance(task.tokenizer, KnownForms)
    assert isinstance(again.tokenizer, KnownForms)
    assert again.tokenizer.seen == task.tokenizer.seen


def test_white_space_leaves_no_file(tmp_path):
    Task("tangrams", corpus="embedded").write_seen_words(tmp_path)
    assert not list(tmp_path.iterdir())


def test_an_unknown_tokenizer_is_named():
    with pytest.raises(ValueError, match="tokenizer='stemmer' must be one of white_space, known"):
        Task("tangrams", corpus="embedded", tokenizer="stemmer")
