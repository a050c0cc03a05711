"""A run's export answers as the run itself does, and says where it came from."""

from __future__ import annotations

import pytest

import gin
from lang2program_tf.analysis.predictors import ExportPredictor, RunPredictor
from lang2program_tf.cli.main import main
from lang2program_tf.errors import UserError
from lang2program_tf.serving.export_run import export_run, fingerprint
from tests.learning.small_runs import write_run
from tests.serving import parsers

pytestmark = pytest.mark.slow
BINDINGS = [
    'Parser.history = ("tokens", "stack")',
    "evaluate/BeamSearch.beam_size = 9",
    # Not what a server should do.
    "BeamSearch.independent_utterances = True",
    "BeamSearch.iterations_per_utterance = 3",
    "evaluate/BeamSearch.independent_utterances = False",
    "evaluate/BeamSearch.iterations_per_utterance = 7",
]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The folder of a run whose parser has learned a little."""
    folder = tmp_path_factory.mktemp("scene")
    write_run(folder, BINDINGS)
    yield folder
    gin.clear_config()


@pytest.fixture(scope="module")
def version(run, tmp_path_factory):
    """What the command writes."""
    target = tmp_path_factory.mktemp("exported") / "scene"
    assert main(["export", f"--root_dir={run}", f"--export_dir={target}", "--top_k=2"]) == 0
    return target / "1"


@pytest.fixture(scope="module")
def predictor(version):
    return ExportPredictor(version, batch_size=16)


def test_the_export_answers_as_the_run_does(run, predictor):
    examples = parsers.examples("scene")[:30]
    exported = list(predictor.predict(examples))
    evaluated = {p.example.id: p for p in RunPredictor(run, batch_size=7).predict(examples)}
    assert sum(bool(p.program) for p in exported) > 10
    for prediction in exported:
        expected = evaluated[prediction.example.id]
        assert (prediction.program, prediction.world) == (expected.program, expected.world)
        assert prediction.correct == expected.correct
        assert prediction.num_complete == expected.num_complete
        if prediction.program:
            assert prediction.log_prob == pytest.approx(expected.log_prob, abs=1e-4)


def test_the_export_says_where_it_came_from(predictor):
    metadata = predictor.metadata
    assert metadata.step == 77
    assert "Task.corpus = 'embedded'" in metadata.config
    assert len(metadata.data_fingerprint) == 64
    assert metadata.settings["beam_size"] == 9
    assert metadata.settings["iterations_per_utterance"] == 7
    assert metadata.settings["top_k"] == 2
    assert set(metadata.versions) == {"lang2program_tf", "tensorflow", "python"}
    assert predictor.corpus == "embedded"


def test_a_fingerprint_sees_every_change():
    examples = parsers.examples("scene")[:3]
    first = examples[0]
    changed = [
        examples[1:],
        examples[::-1],
        (first._replace(world=first.target), *examples[1:]),
        (first._replace(utterances=("x",)), *examples[1:]),
        (first._replace(target=first.world + " "), *examples[1:]),
    ]
    assert len({fingerprint(some) for some in (examples, *changed)}) == 6
    assert fingerprint(examples) == fingerprint(e._replace(id="other") for e in examples)


def test_a_folder_that_is_no_run_is_named(tmp_path):
    with pytest.raises(UserError, match=f"{tmp_path} holds no run"):
        export_run([tmp_path], tmp_path / "out", top_k=1, max_utterances=1)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("flag", ["--beam_size", "--top_k", "--max_utterances"])
def test_the_command_refuses_sizes_below_1(flag, capsys):
    assert main(["export", "--root_dir", "x", "--export_dir", "y", flag, "0"]) == 2
    assert capsys.readouterr().err == f"error: {flag} must be 1 or more, got 0\n"


def test_the_command_needs_a_run(capsys):
    assert main(["export", "--export_dir", "y"]) == 2
    assert "--root_dir" in capsys.readouterr().err
