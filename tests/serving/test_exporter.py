"""An export stands alone: moved, in a fresh process, from C, with nothing but TensorFlow."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from google.protobuf import text_format
from tensorflow_serving.apis import prediction_log_pb2
from tensorflow_serving.config import model_server_config_pb2

from lang2program_tf.corpus.tokenizers import WhiteSpace
from lang2program_tf.errors import UserError
from lang2program_tf.language import get_domain
from lang2program_tf.serving.exporter import export_parser
from lang2program_tf.serving.server_files import write_server_files
from tests.serving import parsers
from tests.serving.alone import ALONE, QUIET
from tests.serving.exports import SETTINGS
from tests.serving.in_process import parse
from tests.serving.saved_models import foreign_operations, operations, read_saved_model


@pytest.fixture(scope="module")
def request_columns():
    examples = [e for e in parsers.examples("scene") if len(e.utterances) == 2][:6]
    return {
        "world": [e.world for e in examples],
        "utterances": [[*e.utterances, "", "", ""] for e in examples],
    }


@pytest.fixture(scope="module")
def moved(export_dir):
    """The version, in another place than where it was made."""
    return export_dir / "1"


@pytest.fixture(scope="module")
def answers(moved, request_columns):
    """What a fresh process with nothing but TensorFlow answers; what it asks was made elsewhere."""
    run = subprocess.run(
        [sys.executable, "-I", "-c", ALONE, str(moved)],
        input=json.dumps(request_columns),
        env=QUIET,
        cwd=moved.parent,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.fixture(scope="module")
def saved_model(export_dir):
    return read_saved_model(export_dir / "1")


def test_a_moved_export_answers_alone_as_the_parser_does(answers, request_columns):
    expected = parse("scene", request_columns["world"], request_columns["utterances"])
    assert any(program[0] for program in answers["program"])
    for name, values in expected.items():
        if name == "log_prob":
            assert np.array(answers[name]) == pytest.approx(values, abs=1e-4)
        else:
            decoded = np.vectorize(lambda v: v.decode() if isinstance(v, bytes) else v)(values)
            assert answers[name] == decoded.tolist()


def test_all_operations_are_stock_tensorflow(saved_model):
    assert {"TopKV2", "LookupTableFindV2"} <= operations(saved_model)
    assert foreign_operations(saved_model) == set()


def test_the_export_names_no_folder_of_this_machine(export_dir):
    content = (export_dir / "1" / "saved_model.pb").read_bytes()
    assert b"/exporting" not in content  # where it was made, see tests/conftest.py
    for path in (export_dir, Path.cwd(), Path.home()):
        assert str(path).encode() not in content


def test_the_export_is_small(export_dir):
    files = [path for path in (export_dir / "1").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 15e6


def test_words_and_tokens_can_be_read(export_dir):
    assets = export_dir / "1" / "assets"
    assert (assets / "words.txt").read_text(encoding="utf-8").split() == list(parsers.words().words)
    tokens = [token.name for token in get_domain("scene").tokens]
    assert (assets / "tokens.txt").read_text(encoding="utf-8").split() == tokens


def test_warm_up_requests_cover_the_shapes(export_dir):
    path = export_dir / "1" / "assets.extra" / "tf_serving_warmup_requests"
    shapes = set()
    for record in tf.data.TFRecordDataset(str(path)):
        log = prediction_log_pb2.PredictionLog()
        log.ParseFromString(record.numpy())
        request = log.predict_log.request
        inputs = {k: tf.constant(tf.make_ndarray(v)) for k, v in request.inputs.items()}
        if "utterances" in inputs:
            used = int(tf.reduce_sum(tf.cast(inputs["utterances"][0] != "", tf.int32)))
            shapes.add((request.model_spec.signature_name, len(inputs["world"]), used))
    for batch in (1, 8, 64):
        for used in range(1, SETTINGS.max_utterances + 1):
            assert ("serving_default", batch, used) in shapes
    assert {("parse", 1, 1), ("score", 1, 1)} <= shapes


def test_files_for_tf_serving_are_well_formed(export_dir):
    config = model_server_config_pb2.ModelServerConfig()
    text_format.Parse((export_dir / "models.config").read_text(), config)
    assert [c.name for c in config.model_config_list.config] == ["scene"]
    batching = (export_dir / "batching.config").read_text()
    assert f"max_batch_size {{ value: {SETTINGS.rows_per_step} }}" in batching


def test_files_for_tf_serving_that_someone_edited_stay(tmp_path):
    (tmp_path / "models.config").write_text("mine")
    write_server_files(tmp_path, "scene", SETTINGS)
    assert (tmp_path / "models.config").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["batching.config", "models.config"]


@pytest.mark.slow
def test_weights_that_are_not_finite_are_refused_and_leave_nothing(tmp_path):
    parser = parsers.parser("scene")
    variable = parser.token_embeddings
    before = variable.numpy()
    variable.assign(np.full_like(before, np.nan))
    try:
        with pytest.raises(UserError, match="token_embeddings holds NaN"):
            export_parser(
                parser,
                parsers.words(),
                tmp_path / "x",
                domain=get_domain("scene"),
                tokenizer=WhiteSpace(),
            )
    finally:
        variable.assign(before)
    assert not (tmp_path / "x").exists()


def tensor_name(saved_model, kind, name):
    signature = saved_model.meta_graphs[0].signature_def["serving_default"]
    operation, index = getattr(signature, kind)[name].name.split(":")
    return operation, index


def test_a_c_program_loads_the_export_and_parses(
    moved, saved_model, answers, request_columns, tmp_path
):
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("no gcc")
    library = Path(tf.sysconfig.get_lib())
    program = tmp_path / "parse"
    subprocess.run(
        [
            compiler,
            "-std=c99",
            "-Wall",
            "-Werror",
            f"-I{tf.sysconfig.get_include()}",
            str(Path(__file__).with_name("parse.c")),
            f"-L{library}",
            "-l:libtensorflow_cc.so.2",
            "-l:libtensorflow_framework.so.2",
            f"-Wl,-rpath,{library}",
            "-o",
            str(program),
        ],
        check=True,
    )
    world_input, _ = tensor_name(saved_model, "inputs", "world")
    utterances_input, _ = tensor_name(saved_model, "inputs", "utterances")
    row = next(row for row, found in enumerate(answers["program"]) if found[0])
    run = subprocess.run(
        [
            str(program),
            str(moved),
            world_input,
            utterances_input,
            *tensor_name(saved_model, "outputs", "program"),
            request_columns["world"][row],
            *request_columns["utterances"][row],
        ],
        env=QUIET,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.split("\n")[:-1] == answers["program"][row]


def test_saved_model_cli_shows_and_runs_it(moved, answers, request_columns):
    command = [sys.executable, "-m", "tensorflow.python.tools.saved_model_cli"]
    where = ["--dir", str(moved), "--tag_set", "serve", "--signature_def"]
    show = subprocess.run(
        [*command, "show", *where, "parse"], env=QUIET, capture_output=True, text=True, check=True
    )
    for name in ("world", "utterances", "program", "worlds", "log_prob", "num_found", "error"):
        assert f"['{name}'] tensor_info" in show.stdout
    inputs = f"world={request_columns['world'][:1]};utterances={request_columns['utterances'][:1]}"
    run = subprocess.run(
        [*command, "run", *where, "serving_default", "--input_exprs", inputs],
        env=QUIET,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    best = answers["program"][0][0]
    assert best and best in " ".join(run.stdout.split())
