"""A recorded walk or selection that was altered by one value is caught, whatever value it is."""

from __future__ import annotations

import pytest

from tests.parity.altered import altered, differences, first, swap_first


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
