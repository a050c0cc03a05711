from __future__ import annotations

from pathlib import Path

import pytest

from lang2program_tf.cli.main import main
from lang2program_tf.corpus.corpora import is_corpus, load_corpus
from lang2program_tf.corpus.embedded.load import load_embedded
from lang2program_tf.errors import UserError
from lang2program_tf.learning.task import Task


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `generate` writes."""
    path = tmp_path_factory.mktemp("corpus")
    generate = ["generate", "--domain=tangrams", f"--out={path}", "--lines=6", "--eval-lines=3"]
    assert main(generate) == 0
    return path


SIZES = {"train_lines": 6, "dev_lines": 3, "test_lines": 3}


@pytest.mark.parametrize("form", ["orig", "substrings", "turns"])
@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_a_folder_of_files_gives_what_was_written_into_it(folder, form, split):
    found = load_corpus(str(folder), "tangrams", split=split, form=form)
    expected = load_embedded("tangrams", split=split, form=form, **SIZES)
    assert [(e.world, e.utterances, e.target, e.start) for e in found] == [
        (e.world, e.utterances, e.target, e.start) for e in expected
    ]


def test_a_task_may_be_about_a_folder(folder):
    task = Task("tangrams", corpus=str(folder), form="turns")
    assert len(task.examples("train")) == 30
    assert len(task.examples("dev")) == 15


def test_names_and_folders_that_are_there_are_corpora(folder):
    assert is_corpus("scone") and is_corpus("embedded") and is_corpus(str(folder))
    assert not is_corpus(str(folder / "nowhere")) and not is_corpus("sconne")


def test_a_file_that_is_missing_is_named_and_how_to_do_without_it(folder):
    with pytest.raises(UserError, match="no .*scene-dev.tsv\n"):
        load_corpus(str(folder), "scene", split="dev")
    with pytest.raises(UserError, match='train-orig.tsv; the forms "substrings" and "turns"'):
        load_corpus(str(folder), "scene", split="train")
