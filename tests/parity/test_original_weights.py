"""Importing the original's weights: whole and exact, or an error that lists what is wrong."""

from __future__ import annotations

import json

import numpy as np
import pytest

from lang2program_tf.errors import UserError
from lang2program_tf.language import get_domain
from lang2program_tf.model import Parser
from lang2program_tf.parity.model_records import original_parser
from lang2program_tf.parity.original_weights import (
    assign_weights,
    parser_layout,
    read_checkpoint,
    read_model,
    read_npz,
    read_word_vectors,
)

GATES = "ifco"


def lstm_names(number: int) -> list[str]:
    return [f"Bidi/lstm_{number}_{kind}_{gate}" for gate in GATES for kind in "WUb"]


@pytest.fixture
def meta() -> dict:
    """Describes a small TOKENS model of tangrams."""
    return {
        "domain": "tangrams",
        "config": {
            "parse_model": {
                "condition_on_history": True,
                "condition_on_stack": False,
                "h_dims": [128, 128],
            }
        },
        "roles": {
            "relu_layers (in order)": ["r1_W", "r1_b", "r2_W", "r2_b"],
            "simple_scorer_projection (an explanation)": ["s_W", "s_b"],
            "attention_scorer_projection": ["c_W", "c_b"],
            "utterance_attention_projection": ["a_W", "a_b"],
            "utterance_lstm_forward": lstm_names(1),
            "utterance_lstm_backward": lstm_names(2),
        },
        "variables": [],
    }


@pytest.fixture
def model(meta, tmp_path):
    path = tmp_path / "model.tangrams.history.meta.json"
    path.write_text(json.dumps(meta))
    return read_model(path)


@pytest.fixture
def arrays() -> dict[str, np.ndarray]:
    shapes = {
        "r1_W": (728, 128),
        "r1_b": (128,),
        "r2_W": (128, 128),
        "r2_b": (128,),
        "s_W": (128, 150),
        "s_b": (150,),
        "c_W": (128, 150),
        "c_b": (150,),
        "a_W": (128, 128),
        "a_b": (128,),
        "static_pred_embeds": (14, 150),
        "type_embeds": (8, 50),
        "history_hash_vector": (150,),
        "step": (),
        "r1_W/Adam": (728, 128),
        "r1_W/Adam_1": (728, 128),
    }
    for number in (1, 2):
        for name in lstm_names(number):
            shapes[name] = {"W": (100, 64), "U": (64, 64), "b": (64,)}[name[-3]]
    random = np.random.default_rng(0)
    return {name: random.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


@pytest.fixture
def parser() -> Parser:
    vectors = np.random.default_rng(1).normal(size=[5, 100]).astype(np.float32)
    return Parser(get_domain("tangrams"), word_vectors=vectors, history=("tokens",))


def test_every_variable_finds_its_place(model, arrays, parser):
    assign_weights(parser, parser_layout(model, arrays))
    forward = parser.encoder.forward
    for place, gate in enumerate("ifoc"):
        columns = slice(64 * place, 64 * place + 64)
        np.testing.assert_array_equal(forward.kernel[:, columns], arrays[f"Bidi/lstm_1_W_{gate}"])
        np.testing.assert_array_equal(
            forward.recurrent_kernel[:, columns], arrays[f"Bidi/lstm_1_U_{gate}"]
        )
        np.testing.assert_array_equal(forward.bias[columns], arrays[f"Bidi/lstm_1_b_{gate}"])
    np.testing.assert_array_equal(parser.decoder.query_layers[1].kernel, arrays["r2_W"])
    np.testing.assert_array_equal(parser.decoder.context_scorer.bias, arrays["c_b"])


def test_token_rows_move_from_the_original_order_to_token_ids(model, arrays):
    table = parser_layout(model, arrays)["token_embeddings"]
    domain = get_domain("tangrams")
    # The original's rows begin with 1, 2, 3; ids are sorted by name, and -1 comes first.
    for row, name in enumerate(["1", "2", "3", "4", "5", "-1", "AAdd"]):
        token = domain.token_id(domain.token(name))
        np.testing.assert_array_equal(table[token], arrays["static_pred_embeds"][row])


def test_missing_and_unknown_variables_are_all_listed(model, arrays):
    del arrays["r2_b"], arrays["Bidi/lstm_2_U_c"]
    arrays["extra/W"] = np.zeros(3)
    with pytest.raises(UserError) as error:
        parser_layout(model, arrays)
    for problem in ("r2_b is missing", "Bidi/lstm_2_U_c is missing", "extra/W is unknown"):
        assert problem in str(error.value)
    assert "Adam" not in str(error.value)


def test_wrong_shapes_are_all_listed_and_nothing_is_assigned(model, arrays, parser):
    arrays["s_W"] = arrays["s_W"][:64]
    arrays["a_b"] = arrays["a_b"][:1]
    before = [variable.numpy() for variable in parser.trainable_variables]
    with pytest.raises(UserError) as error:
        assign_weights(parser, parser_layout(model, arrays))
    assert "decoder/query_scorer/kernel has shape (64, 150) instead of (128, 150)" in str(
        error.value
    )
    assert "decoder/attention/bias has shape (1,) instead of (128,)" in str(error.value)
    for variable, value in zip(parser.trainable_variables, before):
        np.testing.assert_array_equal(variable, value)


def test_gates_of_different_shapes_are_listed(model, arrays):
    arrays["Bidi/lstm_1_W_f"] = arrays["Bidi/lstm_1_W_f"][:50]
    with pytest.raises(UserError, match=r"encoder/forward/kernel.*\(50, 64\)"):
        parser_layout(model, arrays)


def test_a_table_with_rows_for_another_domain_is_refused(model, arrays):
    arrays["static_pred_embeds"] = np.zeros([33, 150], np.float32)
    with pytest.raises(UserError, match="static_pred_embeds has 33 rows and tangrams 14 tokens"):
        parser_layout(model, arrays)


def test_a_parser_with_another_history_lists_what_does_not_fit(model, arrays):
    vectors = np.zeros([5, 100], np.float32)
    parser = Parser(get_domain("tangrams"), word_vectors=vectors, history=("stack",))
    with pytest.raises(UserError, match="primitive_embeddings is missing; .*query_0/kernel has"):
        assign_weights(parser, parser_layout(model, arrays))


def test_relu_layers_without_a_role_are_found_by_their_numbers(meta, tmp_path):
    meta["roles"]["relu_layers (in order)"] = []
    names = [f"ParseModel/dense_{n}_{kind}" for n in (10, 9) for kind in "bW"]
    meta["variables"] = [{"name": name} for name in [*names, "CandidateScorer/dense_3_W"]]
    path = tmp_path / "model.meta.json"
    path.write_text(json.dumps(meta))
    assert read_model(path).roles["relu_layers"] == names[::-1]


def test_a_description_without_a_role_is_refused(meta, tmp_path, arrays):
    del meta["roles"]["utterance_lstm_forward"]
    path = tmp_path / "model.meta.json"
    path.write_text(json.dumps(meta))
    with pytest.raises(UserError, match="`roles` is incomplete"):
        parser_layout(read_model(path), arrays)


@pytest.mark.parametrize("text", ["{", "[]", '{"domain": "chess"}', '{"config": 3}'])
def test_a_file_that_describes_no_model_is_refused(text, tmp_path):
    path = tmp_path / "model.meta.json"
    path.write_text(text)
    with pytest.raises(UserError, match="does not describe a model of the original"):
        read_model(path)


def test_a_missing_description_is_named(tmp_path):
    with pytest.raises(UserError, match="cannot read .*model.meta.json"):
        read_model(tmp_path / "model.meta.json")


def test_a_truncated_array_file_is_named(tmp_path):
    path = tmp_path / "weights.npz"
    np.savez(path, a__W=np.zeros([50, 50]))
    assert set(read_npz(path)) == {"a/W"}
    path.write_bytes(path.read_bytes()[:-300])
    with pytest.raises(UserError, match="weights.npz is damaged"):
        read_npz(path)
    with pytest.raises(UserError, match="there is no file"):
        read_npz(tmp_path / "other.npz")


def test_missing_word_vectors_are_named(tmp_path):
    with pytest.raises(UserError, match="there is no file .*word_vocab.json.gz"):
        read_word_vectors(tmp_path)


def test_a_missing_checkpoint_is_named(tmp_path):
    with pytest.raises(UserError, match="cannot read the checkpoint .*weights-9"):
        read_checkpoint(tmp_path / "weights-9")


def test_a_checkpoint_of_the_original_fits(parity_file):
    arrays = read_checkpoint(parity_file("checkpoint/weights-999.index").with_suffix(""))
    model = read_model(parity_file("model.scene.stack.meta.json"))
    words = read_word_vectors(model.path.parent)
    np.testing.assert_array_equal(arrays["word_embeds"], words.vectors)
    parser = original_parser(model, word_vectors=words)
    assign_weights(parser, parser_layout(model, arrays))
    assert parser.first_non_finite_variable() is None
    first_moments = {
        name[: -len("/Adam")]: array for name, array in arrays.items() if name.endswith("/Adam")
    }
    assert set(parser_layout(model, first_moments)) == set(parser_layout(model, arrays))
