"""A recorded model that was altered by one value is caught, whatever value it is."""

from __future__ import annotations

import pytest

from tests.parity.altered import SMALL, altered, differences, swap_first

ACTIVATIONS = (
    "utterance_embed",
    "input_layer",
    "query",
    "utterance_attention_logits",
    "simple_logits",
    "attention_logits",
    "softcopy_logits",
    "logits",
    "log_probs",
)


@pytest.mark.parametrize("name", ["tangrams.history", "tangrams.stack.step150"])
@pytest.mark.parametrize("field", ACTIVATIONS)
def test_an_activation(folder, field, name):
    def change(cases):
        cases[2][field][-1] += SMALL

    with altered(folder.path / f"model.{name}.cases.jsonl.gz", change):
        found = differences(folder, "model", name)
    assert "record 3" in found[0]
    assert field.replace("_logits", "") in found[0]


@pytest.mark.parametrize(
    ("name", "field"), [("tangrams.history", "history_hash"), ("tangrams.stack", "stack_hash")]
)
def test_a_sum_by_which_the_original_recognizes_states(folder, name, field):
    def change(cases):
        cases[2][field][-1] += SMALL

    with altered(folder.path / f"model.{name}.cases.jsonl.gz", change):
        assert field in differences(folder, "model", name)[0]


CASES = {
    "a word": lambda cases: cases[1]["utterance"].__setitem__(0, "remove"),
    "a word id": lambda cases: cases[1]["word_indices"].__setitem__(0, 9),
    "a previous token": lambda cases: cases[1]["previous_decisions"].append("4"),
    "a value of the stack": lambda cases: cases[1]["stack"].append(["i", 1]),
    "the utterance": lambda cases: cases[1].__setitem__("utterance_idx", 4),
    "an order of tokens": lambda cases: swap_first(cases[1]["choices"]),
}


@pytest.mark.parametrize("change", CASES.values(), ids=CASES)
def test_a_scoring_case(folder, change):
    with altered(folder.path / "model.tangrams.stack.cases.jsonl.gz", change):
        assert differences(folder, "model", "tangrams.stack")


@pytest.mark.parametrize("order", ["choices", "static_pred_vocab", "primitive_vocab"])
def test_an_order_of_a_model(folder, order):
    with altered(
        folder.path / "model.tangrams.stack.meta.json", lambda meta: swap_first(meta[order])
    ):
        assert order in differences(folder, "model", "tangrams.stack")[0]


@pytest.mark.parametrize("name", ["static_pred_embeds", "ParseModel__dense_2_W", "dense_5_b"])
def test_a_variable(folder, name):
    def change(arrays):
        arrays[name].flat[0] += 0.02

    with altered(folder.path / "weights.tangrams.stack.npz", change):
        assert differences(folder, "model", "tangrams.stack")


SETTINGS = {
    "the steps of training": lambda meta: meta.update(ntrain=7),
    "the length of the history": lambda meta: meta["config"]["parse_model"].update(
        history_length=5
    ),
    "the name of a variable": lambda meta: meta["variables"][3].update(name="other"),
    "a mean": lambda meta: meta["variables"][3].update(mean=meta["variables"][3]["mean"] + SMALL),
}


@pytest.mark.parametrize("change", SETTINGS.values(), ids=SETTINGS)
def test_a_description_of_a_model(folder, change):
    with altered(folder.path / "model.tangrams.stack.meta.json", change):
        assert differences(folder, "model", "tangrams.stack")
