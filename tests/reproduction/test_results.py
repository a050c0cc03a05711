from __future__ import annotations

import json
from pathlib import Path

import pytest

from lang2program_tf.errors import UserError
from lang2program_tf.learning.run_folder import RESULT, RunFolder
from lang2program_tf.reproduction.cells import Run
from lang2program_tf.reproduction.results import finished_runs, merge, read_records
from tests.reproduction.examples import OURS, PAPER, TABLE, as_now, by_key, record


def write_run(run: Run, root_dir: Path, *, finished: bool = True) -> None:
    folder = RunFolder(run.folder(root_dir))
    folder.path.mkdir(parents=True)
    folder.write_config("Learner.seed = 4")
    folder.log({"step": 10, "kind": "step", "loss": 1.0})
    folder.log({"step": 10, "kind": "sample", "accuracy": 0.25})
    folder.log({"step": 20, "kind": "dev", "accuracy": 0.5})
    if finished:
        result = {"steps": 20, "best_step": 20, "accuracy": {"3": 0.5}, "seed": run.seed}
        (folder.path / RESULT).write_text(json.dumps(result))


def test_finished_runs_of_any_seed_are_found_with_settings_and_curves(tmp_path: Path):
    write_run(Run(PAPER, 4), tmp_path)
    write_run(Run(PAPER, 12), tmp_path)
    write_run(Run(OURS, 0), tmp_path, finished=False)
    Run(PAPER, 4).folder(tmp_path).with_name("seed_4.log").write_text("not a run")
    found = finished_runs(TABLE, tmp_path)
    assert set(found) == {(PAPER.key, 4), (PAPER.key, 12)}
    assert found[PAPER.key, 4] == {
        "gin_file": PAPER.key,
        "row": "good",
        "steps": 20,
        "best_step": 20,
        "accuracy": {"3": 0.5},
        "seed": 4,
        "config": "Learner.seed = 4",
        "curve": {"sample": [[10, 0.25]], "dev": [[20, 0.5]]},
    }


def test_no_folder_of_runs_has_no_finished_runs(tmp_path: Path):
    assert finished_runs(TABLE, tmp_path / "nowhere") == {}


def test_runs_of_file_and_folders_add_up_and_the_folder_counts():
    stored = by_key(record(PAPER, 0, 0.1, 0.1), record(PAPER, 1, 0.1, 0.1))
    found = by_key(record(PAPER, 1, 0.2, 0.2), record(PAPER, 2, 0.2, 0.2))
    merged = merge([found, stored], fits=as_now)
    assert [(one["seed"], one["accuracy"]["3"]) for one in merged.values()] == [
        *((1, 0.2), (2, 0.2), (0, 0.1))
    ]


@pytest.mark.parametrize(
    ("stored", "found", "taken"),
    [
        ("as now", "as now", "found"),
        ("as now", "other", "stored"),
        ("other", "as now", "found"),
        ("other", "other", "found"),
    ],
)
def test_settings_of_now_go_before_others(stored: str, found: str, taken: str):
    records = {
        name: by_key(record(PAPER, 0, 0.1, 0.1, config=config, name=name))
        for name, config in (("stored", stored), ("found", found))
    }
    (merged,) = merge([records["found"], records["stored"]], fits=as_now).values()
    assert merged["name"] == taken


def test_a_results_file_is_read_as_it_was_written(tmp_path: Path):
    path = tmp_path / "table9.json"
    assert read_records(path) == {}
    records = by_key(record(PAPER, 0, 0.1, 0.2), record(OURS, 0, 0.3, 0.4))
    path.write_text(json.dumps({"runs": list(records.values())}))
    assert read_records(path) == records


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"runs": [1]}', '{"runs": [{}]}'])
def test_another_file_in_its_place_is_not_overwritten(tmp_path: Path, text: str):
    path = tmp_path / "table9.json"
    path.write_text(text)
    with pytest.raises(UserError, match="table9.json is not a file of results; move it away"):
        read_records(path)
