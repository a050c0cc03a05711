"""Names and shapes of variables tell which model they are of."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lang2program_tf.errors import UserError
from lang2program_tf.language import get_domain
from lang2program_tf.parity.original_names import infer_domain, infer_model
from lang2program_tf.parity.original_weights import read_model, read_npz

LSTM = "UtteranceEmbedder/BidiLSTMSequenceEmbedder/lstm"
SOURCE = Path("toy")


def toy(history_width=600, **more):
    """Variables of a small model; of their values only shapes matter."""
    shapes = {
        "static_pred_embeds": (14, 150),
        "ParseModel/dense_9_W": (history_width + 128, 128),
        "ParseModel/dense_9_b": (128,),
        "ParseModel/dense_10_W": (128, 96),
        "ParseModel/dense_10_b": (96,),
        "CandidateScorer/dense_11_W": (96, 150),
        "CandidateScorer/dense_11_b": (150,),
        "dense_12_W": (96, 128),
        "dense_12_b": (128,),
        "CandidateScorer_1/dense_13_W": (128, 150),
        "CandidateScorer_1/dense_13_b": (150,),
    }
    for number in (3, 4):
        for gate in "ifco":
            shapes[f"{LSTM}_{number}_W_{gate}"] = (100, 64)
            shapes[f"{LSTM}_{number}_U_{gate}"] = (64, 64)
            shapes[f"{LSTM}_{number}_b_{gate}"] = (64,)
    shapes.update(more)
    return {name: np.zeros(shape, np.float32) for name, shape in shapes.items() if shape}


def infer(arrays):
    return infer_model(arrays, get_domain("tangrams"), source=SOURCE)


def test_every_recorded_model_is_recognized(parity_dir):
    found = sorted(parity_dir.glob("model.*.meta.json"))
    assert len(found) >= 10
    for path in found:
        expected = read_model(path)
        name = path.name[len("model.") : -len(".meta.json")]
        arrays = read_npz(parity_dir / f"weights.{name}.npz")
        assert infer_domain(arrays, source=path) is expected.domain
        model = infer_model(arrays, expected.domain, source=path)
        assert model.history == expected.history
        assert model.query_layers == expected.query_layers
        roles = {role: sorted(names) for role, names in expected.roles.items()}
        assert {role: sorted(names) for role, names in model.roles.items()} == roles
        assert model.roles["relu_layers"] == expected.roles["relu_layers"]


def test_layers_are_numbered_as_numbers_are():
    model = infer(toy())
    assert model.roles["relu_layers"][::2] == ["ParseModel/dense_9_W", "ParseModel/dense_10_W"]
    assert model.query_layers == (128, 96)
    assert model.history == ("tokens",)
    assert model.roles["utterance_lstm_forward"][0] == f"{LSTM}_3_W_i"


@pytest.mark.parametrize(("width", "history"), [(96, ("stack",)), (696, ("tokens", "stack"))])
def test_primitives_make_a_stack_and_the_width_tells_whether_tokens_are_there_too(width, history):
    stack = {"primitive_embeds": (28, 32), "dense_8_W": (672, 32), "dense_8_b": (32,)}
    model = infer(toy(width, **stack))
    assert model.history == history
    assert model.roles["stack_object_projection"] == ["dense_8_W", "dense_8_b"]
    assert model.roles["utterance_attention_projection"] == ["dense_12_W", "dense_12_b"]


def test_a_kernel_without_its_bias_is_still_a_layer():
    arrays = toy(**{"CandidateScorer/dense_11_b": None})
    assert infer(arrays).roles["simple_scorer_projection"][1] == "CandidateScorer/dense_11_b"


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"CandidateScorer/dense_11_W": None, "CandidateScorer/dense_11_b": None}, "CandidateSc"),
        ({f"{LSTM}_4_{kind}_{gate}": None for kind in "WUb" for gate in "ifco"}, "has 1 LSTMs"),
        ({"ParseModel/dense_9_W": (700, 128)}, r"572 rows .* expected 600 \(tokens\)"),
        ({"static_pred_embeds": None}, "static_pred_embeds is missing"),
    ],
)
def test_a_layer_that_is_missing_or_strange_is_named(changes, complaint):
    with pytest.raises(UserError, match=f"toy.*{complaint}"):
        infer(toy(**changes))


def test_as_many_rows_as_no_domain_has_tokens_are_refused():
    with pytest.raises(UserError, match="as many as no domain has tokens"):
        infer_domain(toy(static_pred_embeds=(15, 150)), source=SOURCE)
