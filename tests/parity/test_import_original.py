"""A model of the 2017 code becomes a run folder, whole or not at all."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

import gin
from lang2program_tf.cli.main import main
from lang2program_tf.corpus.words import WordSource, WordVectors, load_word_vectors
from lang2program_tf.errors import UserError
from lang2program_tf.gin_files import load_gin
from lang2program_tf.learning.evaluation import Evaluator, Measure, Measures
from lang2program_tf.learning.experiment import open_run, train
from lang2program_tf.parity.import_original import import_run, run_bindings
from lang2program_tf.parity.original_names import infer_domain, infer_model
from lang2program_tf.parity.original_weights import read_checkpoint, read_npz
from lang2program_tf.parity.ranked_programs import near
from lang2program_tf.parity.recordings import read_json_lines

CHECKPOINT = "checkpoint/weights-999"


@pytest.fixture(autouse=True)
def clean_settings():
    yield
    gin.clear_config()


@pytest.fixture(scope="module")
def arrays(parity_dir) -> dict[str, np.ndarray]:
    return read_checkpoint(parity_dir / CHECKPOINT)


@pytest.fixture(scope="module")
def imported(parity_dir, tmp_path_factory) -> Path:
    """The run folder of the checkpoint; it was moved after it was made."""
    first = tmp_path_factory.mktemp("runs") / "first"
    flags = ["--checkpoint", str(parity_dir / CHECKPOINT), "--domain", "scene"]
    flags += ["--word_vocab", str(parity_dir / "word_vocab.json.gz"), "--root_dir", str(first)]
    # Two steps more, for which compiling would take too long.
    for binding in ("TrainingLoop.max_steps = 1001", "train/BeamSearch.jit_compile = False"):
        flags += ["--gin_param", binding]
    assert main(["import_original", *flags]) == 0
    return first.rename(first.with_name("moved"))


@pytest.mark.slow
def test_the_accuracy_is_the_recorded_one_and_so_is_every_prediction(
    imported, parity_dir, tmp_path, capsys
):
    """20 of 198 with 3 utterances, 13 of 198 with 5."""
    recorded = list(read_json_lines(parity_dir / "checkpoint" / "dev_predictions.jsonl.gz"))
    file = tmp_path / "predictions.jsonl"
    capsys.readouterr()
    flags = ["--root_dir", str(imported), "--split", "dev", "--predictions", str(file)]
    assert main(["evaluate", *flags]) == 0
    summary = json.loads(capsys.readouterr().out.splitlines()[-1])
    counts = {n: round(summary["accuracy"][n] * summary["examples"][n]) for n in ("3", "5")}
    assert counts == {"3": 20, "5": 13}
    assert [summary["examples"][n] for n in ("3", "5")] == [198, 198]

    found = [json.loads(line) for line in file.read_text().splitlines()]
    ours = {(p["world"], *p["utterances"]): p for p in found}
    domain = open_run(imported).task.domain
    for record in recorded:
        prediction = ours[(record["world0"], *record["utterances"])]
        assert prediction["correct"] == record["correct"]
        assert prediction["predicted_world"] == record.get("world")
        names = [domain.token(name).name for name in record["prediction"] or []]
        assert prediction["program"].split() == names
        assert (
            prediction["log_prob"] is None
            if not names
            else near(prediction["log_prob"], record["log_prob"])
        )
        # Evaluation searches 3 utterances for 21 iterations; a few were searched for 35.
        if record["batch_num_iterations"] == 7 * len(record["utterances"]):
            assert prediction["num_complete"] == record["n_terminated"]


def test_weights_moments_and_counters_all_come_along(imported, arrays):
    learner = open_run(imported)
    assert int(learner.step) == 999
    assert len(learner.task.words) == 20_000
    optimizer = learner.train_step.optimizer
    # Four of the 999 steps had nothing to learn from: 0.999 ** (995 + 1) is the recorded power.
    assert int(optimizer.iterations) == 995
    np.testing.assert_allclose(arrays["beta2_power"], 0.999**996, rtol=1e-4)
    kernel = learner.parser.decoder.query_scorer.kernel
    np.testing.assert_array_equal(kernel, arrays["CandidateScorer/dense_4_W"])
    for slot, end in (("m", "/Adam"), ("v", "/Adam_1")):
        np.testing.assert_array_equal(
            optimizer.get_slot(kernel, slot), arrays[f"CandidateScorer/dense_4_W{end}"]
        )
        rows = optimizer.get_slot(learner.parser.token_embeddings, slot).numpy()
        order = list(learner.task.domain.embedding_order)
        np.testing.assert_array_equal(rows[order], arrays[f"static_pred_embeds{end}"])


@pytest.mark.slow
def test_training_goes_on_with_the_settings_of_the_folder(
    imported, data_dir, monkeypatch, tmp_path
):
    if not (data_dir / "scone").is_dir():
        pytest.skip("no SCONE in the data folder")
    monkeypatch.setenv("LANG2PROGRAM_DATA", str(data_dir))
    run = shutil.copytree(imported, tmp_path / "run")
    before = open_run(run).parser.token_embeddings.numpy()
    load_gin([str(run / "config.gin")], [])
    # Evaluating on all of dev is not the point here.
    all_right = Measures(Measure(1, 1, 1, 1.0, 1.0), {})
    monkeypatch.setattr(Evaluator, "measures", lambda *_, **__: all_right)
    assert train(run)["steps"] == 1001
    learner = open_run(run)
    assert int(learner.step) == 1001
    assert int(learner.train_step.optimizer.iterations) in (996, 997)
    change = np.abs(learner.parser.token_embeddings.numpy() - before)
    assert 0 < change.max() < 0.01


def test_a_second_import_into_the_same_folder_is_refused(imported, parity_dir, capsys):
    before = sorted(imported.rglob("*"))
    flags = ["--checkpoint", str(parity_dir / CHECKPOINT), "--domain", "scene"]
    flags += ["--word_vocab", str(parity_dir / "word_vocab.json.gz"), "--root_dir", str(imported)]
    assert main(["import_original", *flags]) == 2
    assert "is not empty" in capsys.readouterr().err
    assert sorted(imported.rglob("*")) == before


@pytest.fixture
def small_words() -> WordVectors:
    full = load_word_vectors()
    source = WordSource("toy", None, genuine=3)
    return WordVectors(full.words[:5], vectors=full.vectors[:5].copy(), source=source)


def run_import(root_dir: Path, arrays, words, **options):
    model = infer_model(arrays, infer_domain(arrays, source=Path("toy")), source=Path("toy"))
    load_gin(["released/scene.gin"], [*options.get("bindings", ()), *run_bindings(model)])
    return import_run(root_dir, model=model, arrays=arrays, words=words)


def altered(arrays, **changes):
    """The arrays without those that become None."""
    changed = {name.replace("__", "/"): array for name, array in changes.items()}
    return {name: array for name, array in {**arrays, **changed}.items() if array is not None}


WRONG = {
    "a missing bias": ({"dense_1_b": None}, "dense_1_b is missing"),
    "an unknown variable": ({"extra__W": np.zeros(2)}, "extra/W is unknown"),
    "a wrong shape": (
        {"CandidateScorer__dense_4_W": np.zeros([64, 150], np.float32)},
        r"CandidateScorer/dense_4_W has shape \(64, 150\) instead of \(128, 150\)",
    ),
    "a missing moment": ({"dense_1_b__Adam": None}, "moments /Adam: .*dense_1_b is missing"),
    "a moment of nothing": ({"extra__Adam": np.zeros(2)}, "moments /Adam: .*extra is unknown"),
    "a moment of a wrong shape": (
        {"dense_1_b__Adam_1": np.zeros([5], np.float32)},
        r"moment v of stack_history/objects/bias has shape \(5,\)",
    ),
    "no power of beta": ({"beta2_power": None}, "beta2_power is missing"),
}


@pytest.mark.parametrize(("changes", "complaint"), WRONG.values(), ids=WRONG)
def test_variables_that_do_not_fit_are_listed_and_nothing_is_written(
    arrays, small_words, tmp_path, changes, complaint
):
    with pytest.raises(UserError, match=complaint):
        run_import(tmp_path / "run", altered(arrays, **changes), small_words)
    assert list(tmp_path.iterdir()) == []


def test_without_moments_training_starts_its_adam_anew(arrays, small_words, tmp_path):
    plain = {name: array for name, array in arrays.items() if "/Adam" not in name}
    assert run_import(tmp_path / "run", plain, small_words).updates is None
    optimizer = open_run(tmp_path / "run").train_step.optimizer
    assert int(optimizer.iterations) == 0


def test_averages_begin_with_the_imported_weights(arrays, small_words, tmp_path):
    bindings = [
        "TrainStep.optimizer = @averaged()",
        "averaged.optimizer = @original_adam()",
        "averaged.average_decay = 0.9",
    ]
    imported = run_import(tmp_path / "run", arrays, small_words, bindings=bindings)
    assert imported.updates == 995
    learner = open_run(tmp_path / "run")
    with learner.evaluation_weights():
        found = learner.parser.decoder.query_scorer.bias.numpy()
    np.testing.assert_array_equal(found, arrays["CandidateScorer/dense_4_b"])


def test_a_folder_that_cannot_be_written_leaves_nothing(arrays, small_words, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot write .*run"):
        run_import(tmp_path / "file" / "run", arrays, small_words)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("name", ["tangrams.history", "alchemy.stack.step150"])
def test_recorded_weights_are_imported_too(name, parity_dir, tmp_path, capsys):
    flags = ["--weights", str(parity_dir / f"weights.{name}.npz"), "--domain", name.split(".")[0]]
    flags += ["--meta", str(parity_dir / f"model.{name}.meta.json")]
    flags += ["--word_vocab", str(parity_dir / "word_vocab.json.gz")]
    flags += ["--word_embeds", str(parity_dir / "word_embeds.npz")]
    assert main(["import_original", *flags, "--root_dir", str(tmp_path / "run")]) == 0
    assert "training goes on without them" in capsys.readouterr().out
    learner = open_run(tmp_path / "run")
    arrays = read_npz(parity_dir / f"weights.{name}.npz")
    np.testing.assert_array_equal(
        learner.parser.token_embeddings.numpy()[list(learner.task.domain.embedding_order)],
        arrays["static_pred_embeds"],
    )


@pytest.mark.parametrize(
    ("flags", "complaint"),
    [
        (["--domain", "tangrams"], "static_pred_embeds has 33 rows and tangrams 14 tokens"),
        (["--word_vocab", "nowhere.json"], "cannot read nowhere.json"),
        (["--checkpoint", "nowhere"], "cannot read the checkpoint nowhere"),
        (["--gin_param", "Parser.wings = 2"], "gin settings: .*wings"),
        (["--meta", "nowhere.json"], "cannot read nowhere.json"),
    ],
)
def test_bad_usage_is_one_line_and_writes_nothing(flags, complaint, parity_dir, tmp_path, capsys):
    usual = ["--checkpoint", str(parity_dir / CHECKPOINT), "--domain", "scene"]
    usual += ["--word_vocab", str(parity_dir / "word_vocab.json.gz")]
    code = main(["import_original", *usual, "--root_dir", str(tmp_path / "run"), *flags])
    error = capsys.readouterr().err
    assert code == 2
    assert error.startswith("error: ")
    assert len(error.splitlines()) == 1
    assert re.search(complaint, error)
    assert list(tmp_path.iterdir()) == []


def test_a_description_of_another_domain_is_refused(parity_dir, tmp_path, capsys):
    flags = ["--checkpoint", str(parity_dir / CHECKPOINT), "--domain", "tangrams"]
    flags += ["--meta", str(parity_dir / "model.scene.stack.meta.json")]
    assert main(["import_original", *flags, "--root_dir", str(tmp_path / "run")]) == 2
    assert "describes a model of scene, not of tangrams" in capsys.readouterr().err
