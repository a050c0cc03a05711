"""The export of a real checkpoint answers the whole dev set as evaluation does."""

from __future__ import annotations

import pytest

from lang2program_tf.analysis.predictors import ExportPredictor, RunPredictor
from lang2program_tf.cli.main import main
from lang2program_tf.corpus.load import load_examples
from lang2program_tf.serving.export_run import export_run


@pytest.mark.slow
def test_the_export_answers_the_dev_set_as_the_checkpoint_does(parity_dir, tmp_path):
    run = tmp_path / "run"
    source = ["--checkpoint", str(parity_dir / "checkpoint" / "weights-999"), "--domain", "scene"]
    words = ["--word_vocab", str(parity_dir / "word_vocab.json.gz")]
    assert main(["import_original", *source, *words, "--root_dir", str(run)]) == 0
    version = export_run([run], tmp_path / "scene", top_k=5, max_utterances=5)
    files = [path for path in version.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 15e6

    examples = load_examples("scene", split="dev")
    evaluated = {p.example.id: p for p in RunPredictor(run, batch_size=64).predict(examples)}
    assert len(evaluated) == len(examples) == 990
    for prediction in ExportPredictor(version, batch_size=64).predict(examples):
        expected = evaluated[prediction.example.id]
        assert (prediction.program, prediction.world) == (expected.program, expected.world)
        assert prediction.num_complete == expected.num_complete
        if prediction.program:
            assert prediction.log_prob == pytest.approx(expected.log_prob, abs=1e-4)
