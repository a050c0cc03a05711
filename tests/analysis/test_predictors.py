from __future__ import annotations

from pathlib import Path

import pytest

from lang2program_tf.analysis.predictors import ExportPredictor
from lang2program_tf.errors import UserError
from lang2program_tf.serving.model import Model
from tests.serving import parsers


def test_an_export_knows_its_words(export_dir: Path):
    vocabulary = ExportPredictor(export_dir, batch_size=2).vocabulary
    assert vocabulary == set(parsers.words().words) - {"<unk>", "<pad>"}


def test_an_export_without_its_words_says_so(
    exported_model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(exported_model, "folder", tmp_path)
    with pytest.raises(UserError, match="cannot read .*words.txt .*; export the parser again"):
        exported_model.vocabulary()
