"""A recorded step of learning that was altered by one value is caught, whatever it is."""

from __future__ import annotations

import pytest

from tests.parity.altered import SMALL, altered, differences, first, swap_first


def change_weight(records):
    records[4]["weights"][0] += SMALL


def change_log_prob(records):
    record = first(
        records, lambda r: r["beta"] > 0 and sum(p is not None for p in r["log_probs"]) > 1
    )
    place = next(i for i, p in enumerate(record["log_probs"]) if p is not None)
    record["log_probs"][place] -= 1


@pytest.mark.parametrize("change", [change_weight, change_log_prob], ids=lambda c: c.__name__)
def test_a_softmax(folder, change):
    with altered(folder.path / "softmax_alpha_beta.jsonl.gz", change):
        assert differences(folder, "weights", "softmax_alpha_beta")


def change_case_weight(rule):
    def change(records):
        records[1]["weights"][rule][0] += SMALL

    return change


def change_score(field):
    def change(records):
        records[1][field][0] += SMALL

    return change


def change_path(records):
    path = records[1]["paths"][0]
    path[0] = "5" if path[0] != "5" else "4"


CASE_WEIGHTS = {
    "a weight of MML": change_case_weight("mml alpha=1 beta=0.25"),
    "a weight of REINFORCE": change_case_weight(
        "reinforce correct=1 incorrect=0 constant_value=0.1"
    ),
    "a score of the search": change_score("log_prob_seen_by_weighter"),
    "a fresh score": change_score("log_prob_fresh_full_history"),
    "a reward": lambda records: records[1]["correct"].__setitem__(0, not records[1]["correct"][0]),
    "a token": change_path,
    "the target": lambda records: records[1].__setitem__("answer", "1:0"),
}


@pytest.mark.parametrize("change", CASE_WEIGHTS.values(), ids=CASE_WEIGHTS)
def test_a_training_beam(folder, change):
    with altered(folder.path / "caseweights.tangrams.stack.step150.jsonl.gz", change):
        assert differences(folder, "weights", "tangrams.stack.step150")


def change_array(name, amount):
    def change(arrays):
        arrays[name].flat[7] += amount

    return change


GRADIENTS = {
    "a gradient of a kernel": ("npz", change_array("grad.ParseModel__dense_2_W", SMALL)),
    "a gradient of a table": ("npz", change_array("grad.static_pred_embeds", SMALL)),
    "a gradient of a gate": ("npz", change_array("grad.dense_5_b", SMALL)),
    "a gradient that must be zero": ("npz", change_array("grad.type_embeds", SMALL)),
    "a change of a kernel": ("npz", change_array("delta.ParseModel__dense_2_W", 1e-5)),
    "a change of a table": ("npz", change_array("delta.primitive_embeds", 1e-5)),
    "the loss": ("meta.json", lambda meta: meta.update(loss=meta["loss"] + 0.01)),
    "a norm": ("meta.json", lambda meta: meta["grad_norms"].update(dense_1_W=1.0)),
    "the steps before": ("meta.json", lambda meta: meta.update(step_before=1)),
    "the number of cases": ("meta.json", lambda meta: meta.update(n_cases=3)),
    "a weight": (
        "cases.jsonl.gz",
        lambda cases: cases[3].update(weight=cases[3]["weight"] + SMALL),
    ),
    "a decision": ("cases.jsonl.gz", lambda cases: cases[3].update(decision="5")),
    "a case that is missing": ("cases.jsonl.gz", lambda cases: cases.pop()),
}


@pytest.mark.parametrize(("file", "change"), GRADIENTS.values(), ids=GRADIENTS)
def test_a_gradient(folder, file, change):
    with altered(folder.path / f"grads.tangrams.stack.{file}", change):
        assert differences(folder, "gradients", "grads.tangrams.stack")


@pytest.mark.parametrize("part", ["slice_values", "delta"])
def test_a_sparse_step(folder, part):
    name = "adamsparse.scene.history"
    change = change_array(f"static_pred_embeds.{part}", SMALL)
    with altered(folder.path / f"{name}.npz", change):
        assert differences(folder, "gradients", name)


DATASETS = {
    "the number of examples": lambda splits: splits["train"].update(n=5),
    "the order": lambda splits: swap_first(splits["valid"]["first20"]),
    "the sample": lambda splits: splits["valid"]["eval150"][9].__setitem__(1, 9),
    "the lengths of the sample": lambda splits: splits["train"]["eval150_by_nutts"].update(
        {"1": 3}
    ),
}


@pytest.mark.parametrize("change", DATASETS.values(), ids=DATASETS)
def test_a_data_set(folder, change):
    if not (folder.path.parent / "scone").is_dir():
        pytest.skip("no SCONE beside the recordings")
    with altered(folder.path / "dataset.tangrams.json", change):
        assert differences(folder, "dataset", "tangrams")
