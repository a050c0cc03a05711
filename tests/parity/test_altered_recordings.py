"""A recording that was altered by one value is caught, whatever kind of value it is."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Callable

import pytest

from lang2program_tf.parity.comparison import Comparison
from lang2program_tf.parity.folder import RecordingsFolder
from lang2program_tf.parity.registry import SECTIONS, find_checks
from tests.parity.small_recordings import alter, copy_small

SMALL = 1e-3


@pytest.fixture(scope="module")
def folder(parity_dir, tmp_path_factory) -> RecordingsFolder:
    path = tmp_path_factory.mktemp("recordings") / "parity"
    copy_small(parity_dir, path)
    scone = parity_dir.parent / "scone"
    if scone.is_dir():
        (path.parent / "scone").symlink_to(scone.resolve())
    return RecordingsFolder(path)


@contextmanager
def altered(path: Path, change: Callable[[Any], None]) -> Iterator[None]:
    """Within it, the file is changed."""
    kept = path.with_name(f".{path.name}")
    path.rename(kept)
    shutil.copyfile(kept, path)
    try:
        alter(path, change)
        yield
    finally:
        path.unlink()
        kept.rename(path)


def run(folder: RecordingsFolder, section: str, name: str, **options: Any) -> list[Comparison]:
    checks = find_checks(folder, sections=[section], **options)
    (check,) = [check for check in checks if check.name == name]
    return check.run()


def differences(folder: RecordingsFolder, section: str, name: str, **options: Any) -> list[str]:
    """The first differences; none of the comparisons may have failed in another way."""
    comparisons = run(folder, section, name, **options)
    assert [comparison.problem for comparison in comparisons if comparison.problem] == []
    return [str(difference) for comparison in comparisons for difference in comparison.first]


def test_the_small_copy_agrees_in_every_section(folder):
    checks = find_checks(folder)
    assert {check.section for check in checks} == set(SECTIONS)
    for check in checks:
        assert all(comparison.passed for comparison in check.run()), check.name


def first(records, wanted):
    return next(record for record in records if wanted(record))


def step_with(records, wanted):
    return first((step for record in records for step in record["steps"]), wanted)


def change_stack(records):
    step = step_with(records, lambda s: s.get("stack") and s["stack"][-1][0] == "i")
    step["stack"][-1][1] += 1


def change_object(records):
    step = step_with(records, lambda s: s.get("stack") and s["stack"][-1][0] == "o")
    step["stack"][-1][1][0] += 1


def change_list(records):
    step = step_with(records, lambda s: s.get("stack") and s["stack"][-1][0] == "l")
    step["stack"][-1][1].pop()


def change_history(records):
    step_with(records, lambda s: s.get("history"))["history"][0][0] = "Other"


def change_argument(records):
    step_with(records, lambda s: s.get("history"))["history"][0][1] = ["i", 9]


def change_letter(records):
    letters = records[3]["allowed"][1]
    records[3]["allowed"][1] = letters[:4] + ("E" if letters[4] == "U" else "U") + letters[5:]


def change_world(records):
    step = records[5]["steps"][0]
    step["world"] = step["world"][::-1]


def change_pointer(records):
    records[5]["steps"][0]["utterance_idx"] += 1


def fail_at_the_end(records):
    first(records, lambda r: r["terminated"])["steps"][-1] = {"error": "no"}


def do_not_fail(records):
    record = first(records, lambda r: "error" in r["steps"][-1])
    record["steps"][-1] = record["steps"][0]


def change_terminated(records):
    records[7]["terminated"] = not records[7]["terminated"]


def change_final_world(records):
    record = first(records, lambda r: r.get("finalized"))
    record["finalized"] = record["world0"] + " "


def forget_final_world(records):
    first(records, lambda r: r.get("finalized"))["finalized"] = None


def leave_values_over(records):
    first(records, lambda r: r.get("finalized"))["finalize_error"] = "stack is not empty"


def claim_dead_end(records):
    first(records, lambda r: r["terminated"])["dead_end"] = True


def change_token(records):
    tokens = first(records, lambda r: r["terminated"])["tokens"]
    tokens[0] = "2" if tokens[0] != "2" else "3"


def drop_letters(records):
    del records[2]["allowed"][1:]


WALKS = {
    "a letter": change_letter,
    "a number on the stack": change_stack,
    "an object on the stack": change_object,
    "a list on the stack": change_list,
    "an action of the history": change_history,
    "an argument of the history": change_argument,
    "a world": change_world,
    "the utterance": change_pointer,
    "a step that fails": fail_at_the_end,
    "a step that does not fail": do_not_fail,
    "whether it terminates": change_terminated,
    "the final world": change_final_world,
    "no final world": forget_final_world,
    "values left over": leave_values_over,
    "a dead end": claim_dead_end,
    "a token": change_token,
    "letters that are missing": drop_letters,
}


@pytest.mark.parametrize("change", WALKS.values(), ids=WALKS)
def test_a_walk_on_the_python_executor(folder, change):
    with altered(folder.path / "executor.tangrams.jsonl.gz", change):
        assert differences(folder, "executor", "tangrams", executors=["python"])


def test_hidden_numbers_of_people(folder):
    for field in ("ids", "next_id"):

        def change(records, field=field):
            step = records[0]["steps"][0]
            step[field] = [*step[field], 99] if field == "ids" else step[field] + 1

        with altered(folder.path / "executor.scene.jsonl.gz", change):
            found = differences(folder, "executor", "scene", executors=["python"])
            assert [field in text for text in found] == [True]


@pytest.mark.parametrize(
    "change",
    [change_letter, change_stack, do_not_fail, change_final_world],
    ids=lambda c: c.__name__,
)
def test_a_walk_on_the_tensor_machine(folder, change):
    with altered(folder.path / "executor.tangrams.jsonl.gz", change):
        assert differences(folder, "executor", "tangrams", executors=["tensor"])


def swap_first(values):
    values[0], values[1] = values[1], values[0]


@pytest.mark.parametrize("order", ["choices", "fixed_predicates"])
def test_an_order_of_tokens(folder, order):
    with altered(folder.path / "predicates.json", lambda p: swap_first(p["tangrams"][order])):
        found = differences(folder, "executor", "tangrams", executors=["python"])
    assert order in found[0]


def draw_another(records):
    indices = records[1]["indices"]
    indices[3] = indices[3] + 1


def with_draws(records):
    return first(records, lambda r: r["uniforms"])


SELECTIONS = {
    "a drawn rank": draw_another,
    "a uniform": lambda records: with_draws(records)["uniforms"].__setitem__(2, 0.5),
    "a uniform too many": lambda records: with_draws(records)["uniforms"].append(0.5),
}


@pytest.mark.parametrize("change", SELECTIONS.values(), ids=SELECTIONS)
def test_a_selection(folder, change):
    with altered(folder.path / "eps_greedy.jsonl.gz", change):
        assert differences(folder, "selection", "eps_greedy")


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


def change_program(records):
    tokens = records[0]["top32"][3]["decisions"]
    tokens[1] = "1" if tokens[1] != "1" else "2"


def change_last_program(records):
    tokens = records[0]["top32"][-1]["decisions"]
    tokens[1] = "1" if tokens[1] != "1" else "2"


def change_prefix(records):
    live = records[0]["beam_steps"][2]["unterminated"]
    live[1][0] = live[1][0].replace(live[1][0].split()[0], "5", 1)


def swap_programs(records):
    """Ranks 3 and 6, whose scores are clearly different."""
    top = records[0]["top32"]
    assert top[3]["log_prob"] - top[6]["log_prob"] > SMALL
    top[3], top[6] = top[6], top[3]


def drop_program(records):
    del records[0]["top32"][5]


def change_in_program(field, value):
    return lambda records: records[0]["top32"][2].__setitem__(field, value(records[0]["top32"][2]))


BEAMS = {
    "a token of a program": change_program,
    "a token of the last program": change_last_program,
    "a log-probability": change_in_program("log_prob", lambda p: p["log_prob"] - SMALL),
    "a part of a log-probability": lambda records: records[0]["top32"][2][
        "decision_log_probs"
    ].__setitem__(1, -2.0),
    "a final world": change_in_program("world", lambda p: p["world"] + " "),
    "a reward": change_in_program("correct", lambda p: not p["correct"]),
    "the order of programs": swap_programs,
    "a program that is missing": drop_program,
    "the number of programs": lambda records: records[1].__setitem__(
        "n_terminated", records[1]["n_terminated"] + 1
    ),
    "a live prefix": change_prefix,
    "the score of a live prefix": lambda records: records[0]["beam_steps"][2]["unterminated"][
        0
    ].__setitem__(1, -9.0),
    "the number of programs on the way": lambda records: records[0]["beam_steps"][4].__setitem__(
        "n_terminated", 77
    ),
    "an iteration on the way": lambda records: records[0]["beam_steps"][-1].update(iteration=36),
    "the iterations": lambda records: records[1].__setitem__("batch_num_iterations", 28),
}


@pytest.mark.slow
@pytest.mark.parametrize("change", BEAMS.values(), ids=BEAMS)
def test_a_beam(folder, change):
    with altered(folder.path / "beams.tangrams.stack.step150.jsonl.gz", change):
        assert differences(folder, "beams", "tangrams.stack.step150")


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


PREDICTIONS = {
    "a token": lambda records: records[0]["prediction"].__setitem__(1, "9"),
    "no program": lambda records: records[0].update(prediction=None),
    "the log-probability": lambda records: records[0].update(log_prob=-6.5),
    "the final world": lambda records: records[0].update(world=records[0]["answer"]),
    "the reward": lambda records: records[0].update(correct=not records[0]["correct"]),
    "the number of programs": lambda records: records[0].update(n_terminated=3),
}


@pytest.mark.slow
@pytest.mark.parametrize("change", PREDICTIONS.values(), ids=PREDICTIONS)
def test_a_prediction(folder, change):
    with altered(folder.path / "checkpoint" / "dev_predictions.jsonl.gz", change):
        assert differences(folder, "checkpoint", "checkpoint")
