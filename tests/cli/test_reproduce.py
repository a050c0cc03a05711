from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import gin
from lang2program_tf.cli.main import main
from lang2program_tf.learning.run_folder import RunFolder
from tests.learning.small_runs import BINDINGS
from tests.reproduction import fake_reproduce
from tests.reproduction.fake_reproduce import TOP, Command

# Of a real run most of the time goes into building graphs.
QUICK = [
    *BINDINGS,
    "train/BeamSearch.jit_compile = False",
    "evaluate/BeamSearch.jit_compile = False",
    "TrainingLoop.max_steps = 2",
    "TrainingLoop.evaluate_every = 2",
]
ONE_ROW = ["--row", "randomer", "--seeds", "0"]
MARKED = (
    "| RandoMer | alchemy | 2 | 55.0 (50.0–60.0) | 66.9 | 25.5 (25.0–26.0) | 52.9 | no / no | 2 |"
)


@pytest.fixture
def reproduce(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Runs the command in a folder of the test, with runs that only pretend to train."""
    fake_reproduce.pretend(monkeypatch)
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> tuple[int, str, str]:
        code = main(["reproduce", *arguments])
        return code, *capfd.readouterr()

    return run


def last_line(out: str) -> dict:
    return json.loads(out.splitlines()[-1])


def unpadded(text: str) -> str:
    """A table without the spaces that make columns of it."""
    return re.sub(" +", " ", text)


def runs_of(path: Path) -> dict[tuple[str, int], dict]:
    runs = json.loads(path.read_text())["runs"]
    return {(Path(run["gin_file"]).stem, run["seed"]): run for run in runs}


def test_all_runs_of_a_row_are_trained_and_tabled(reproduce, tmp_path: Path):
    code, out, err = reproduce("table1", "--row", "randomer", "--seeds", "0", "1", "--jobs", "3")
    assert code == 0
    assert err.startswith("table1: 6 runs, 0 of them done before\n")
    assert last_line(out) == {
        "table": "table1",
        "runs": 6,
        "done": 6,
        "failed": [],
        "json": "results/table1.json",
        "markdown": "results/table1.md",
    }
    text = (tmp_path / "results/table1.md").read_text()
    assert text in out
    assert MARKED in unpadded(text)
    assert "| BS-MML | scene | – | – | 53.5 | – | 32.5 | – / – | – | – | – |" in unpadded(text)
    record = runs_of(tmp_path / "results/table1.json")["scene_beta_0_stack", 1]
    assert record["config"] == "paper/scene_beta_0_stack.gin\nLearner.seed = 1"
    assert (record["steps"], record["best_step"], record["seconds"]) == (3, 3, 1.5)
    assert record["curve"]["sample"] == [[1, 0.1], [2, 0.2], [3, 0.3]]


def test_a_run_is_where_its_gin_file_says_with_its_log_beside(reproduce, tmp_path: Path):
    assert reproduce("released", "--row", "ordinary_adam", "--seeds", "7")[0] == 0
    folder = tmp_path / "runs/released/scene_ordinary_adam/seed_7"
    assert (folder / "result.json").exists()
    assert folder.with_name("seed_7.log").read_text() == "training from step 0\n"


def test_what_is_done_is_skipped(reproduce, tmp_path: Path):
    reproduce("table1", *ONE_ROW)
    logs = {path: path.read_text() for path in tmp_path.rglob("*.log")}
    code, out, err = reproduce("table1", "--row", "randomer", "--seeds", "0", "1")
    assert (code, last_line(out)["done"]) == (0, 6)
    assert err.startswith("table1: 6 runs, 3 of them done before\n")
    assert len(logs) == 3 and all(path.read_text() == text for path, text in logs.items())
    assert len(list(tmp_path.rglob("*.log"))) == 6


def test_results_of_another_machine_are_kept_and_count_as_done(reproduce, tmp_path: Path):
    reproduce("table1", *ONE_ROW, "--domain", "alchemy")
    before = runs_of(tmp_path / "results/table1.json")
    shutil.rmtree(tmp_path / "runs")
    code, _, err = reproduce("table1", "--row", "randomer", "--domain", "alchemy", "--seeds=0")
    assert code == 0 and "1 of them done before" in err
    assert not (tmp_path / "runs").exists()
    reproduce("table1", *ONE_ROW[:2], "--domain", "alchemy", "--seeds", "0", "1")
    after = runs_of(tmp_path / "results/table1.json")
    assert after["alchemy_epsilon_0.05", 0] == before["alchemy_epsilon_0.05", 0]
    assert MARKED in unpadded((tmp_path / "results/table1.md").read_text())


def test_a_result_of_other_settings_does_not_count_as_done(reproduce, tmp_path: Path):
    one = ["table1", *ONE_ROW, "--domain", "scene"]
    reproduce(*one)
    shutil.rmtree(tmp_path / "runs")
    binding = "TrainingLoop.max_steps = 5"
    _, _, err = reproduce(*one, "--gin_param", binding)
    assert "1 runs, 0 of them done before" in err
    (record,) = runs_of(tmp_path / "results/table1.json").values()
    assert binding in record["config"]
    _, out, _ = reproduce(*one, "--report_only")
    assert "With other settings than the gin files and bindings give now: RandoMer on scene" in out
    assert last_line(out)["done"] == 0


def test_a_run_that_fails_does_not_stop_the_others(reproduce, tmp_path: Path, monkeypatch):
    monkeypatch.setenv("FAKE_FAIL", "tangrams")
    code, out, err = reproduce("table1", *ONE_ROW)
    assert code == 1
    assert last_line(out)["done"] == 2
    assert last_line(out)["failed"] == ["paper/tangrams_default.gin seed 0"]
    log = "runs/paper/tangrams_default/seed_0.log"
    assert f"tangrams randomer seed 0: failed; error: it broke; see {log}\n" in err
    assert (tmp_path / log).read_text() == "error: it broke\nat some place\n"
    monkeypatch.delenv("FAKE_FAIL")
    assert reproduce("table1", *ONE_ROW)[0] == 0


def test_report_only_trains_nothing(reproduce, tmp_path: Path):
    reproduce("table1", *ONE_ROW)
    shutil.rmtree(tmp_path / "results")
    code, out, err = reproduce("table1", "--report_only")
    assert (code, err, last_line(out)["done"]) == (0, "", 3)
    assert len(runs_of(tmp_path / "results/table1.json")) == 3
    assert len(list(tmp_path.rglob("*.log"))) == 3


def test_figure_3_is_drawn_of_the_runs_there_are(reproduce, tmp_path: Path):
    picture = tmp_path / "results/figure3.png"
    reproduce("figure3", "--report_only")
    assert not picture.exists()
    code, out, _ = reproduce("figure3", "--row", "beta_0", "bs_mml", "--seeds", "0")
    assert (code, last_line(out)["runs"]) == (0, 2)
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in picture.parent.iterdir()) == [
        *("figure3.json", "figure3.md", "figure3.png")
    ]


def test_what_another_table_has_in_its_file_is_done(reproduce, tmp_path: Path):
    reproduce("table3", "--domain", "alchemy", "tangrams", "--row", "beta_0", "--seeds", "0")
    shutil.rmtree(tmp_path / "runs")
    _, out, _ = reproduce("figure3", "--row", "beta_0", "--seeds", "0", "--report_only")
    assert last_line(out)["done"] == 1
    assert (tmp_path / "results/figure3.png").exists()
    ((gin_file, _),) = runs_of(tmp_path / "results/figure3.json")
    assert gin_file == "alchemy_beta_0"


def test_runs_of_the_turns_are_trained_before_they_are_evaluated_otherwise(
    reproduce, tmp_path: Path
):
    rows = ["--row", "three_together", "best_program", "full", "--domain", "scene"]
    code, out, err = reproduce("turns", *rows, "--jobs", "4")
    assert (code, last_line(out)["done"]) == (0, 7)
    done = [line.split(":")[0] for line in err.splitlines() if ": done" in line]
    assert {name[:-7] for name in done[:3]} == {"scene full"}
    assert set(done[3:]) == {
        "scene three_together seed 0",
        *(f"scene best_program seed {seed}" for seed in range(3)),
    }
    assert (tmp_path / "runs/turns/scene/best_program/seed_2/result.json").exists()
    text = unpadded((tmp_path / "results/turns.md").read_text())
    assert (
        "| full | scene | 3 | 60.0 (50.0–70.0) | 76.0 | 26.0 (25.0–27.0) | 66.0 | 40.0 | 20.0 | 3 |"
    ) in text
    assert "| β = 1 | scene | – | – | – | – | – | – | – | – |" in text


def test_an_evaluation_without_the_runs_that_it_is_of_fails_and_says_so(reproduce):
    code, out, err = reproduce("turns", "--row", "one_world", "--domain", "scene", "--seeds", "0")
    assert code == 1
    assert "runs/turns/scene/full/seed_0 is not trained" in err
    assert last_line(out)["done"] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["table9"], "'table9' (choose from 'table1', 'table2', 'table3', 'table4', 'released', "),
        (["table1", "--row", "x"], "table1 has no row 'x'; its rows are reinforce, reinforce_no_b"),
        (["figure3", "--domain", "scene"], "figure3 has no gin file for any row in scene"),
        (["table1", "--jobs", "0"], "--jobs: '0' is not a whole number, 1 or more"),
        (["table1", "--seeds", "-1"], "--seeds"),
        ([], "required: TABLE"),
    ],
)
def test_a_bad_argument_is_one_line(reproduce, tmp_path: Path, arguments, message):
    code, out, err = reproduce(*arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err
    assert not list(tmp_path.iterdir())


def test_a_bad_binding_comes_out_before_anything_is_trained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    assert main(["reproduce", "table1", "--gin_param", "Nonsense.x = 1"]) == 2
    gin.clear_config()
    assert "No configurable matching 'Nonsense'" in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stopped_queue_waits_for_its_runs_to_save_and_goes_on_later(
    reproduce, tmp_path: Path, number: signal.Signals
):
    command = Command(tmp_path, "table1", *ONE_ROW, "--jobs", "2", FAKE_HANG="paper/")
    command.wait_for(runs=2)
    command.process.send_signal(number)
    code, out, err = command.end()
    assert code == 128 + number
    assert err.endswith(f"stopped by {number.name}; the same command goes on\n")
    assert (last_line(out)["done"], last_line(out)["failed"]) == (0, [])
    logs = list(tmp_path.rglob("*.log"))
    assert len(logs) == 2 and all("saved and stopped" in log.read_text() for log in logs)
    assert reproduce("table1", *ONE_ROW)[0] == 0
    resumed = logs[0].read_text().splitlines()[-1]
    assert resumed.startswith("training from step ") and resumed != "training from step 0"


def test_what_was_done_before_a_kill_is_in_the_results(reproduce, tmp_path: Path):
    command = Command(tmp_path, "table1", *ONE_ROW, FAKE_HANG="tangrams_default")
    command.wait_for(runs=2)
    command.process.kill()
    command.end()
    # The run whose queue was killed lives on; here it is the only thing that still runs.
    assert set(runs_of(tmp_path / "results/table1.json")) == {("alchemy_epsilon_0.05", 0)}
    orphan = tmp_path / "runs/paper/tangrams_default/seed_0/pid"
    os.kill(int(orphan.read_text()), signal.SIGTERM)
    assert reproduce("table1", *ONE_ROW)[0] == 0
    assert len(runs_of(tmp_path / "results/table1.json")) == 3


@pytest.mark.slow
def test_a_real_run_is_trained_and_tabled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
):
    selection = ["--domain", "scene", "--row", "released", "--seeds", "3"]
    arguments = ["released", *selection, *(f"--gin_param={binding}" for binding in QUICK)]
    script = [sys.executable, str(TOP / "tools/reproduce.py")]
    done = subprocess.run([*script, *arguments], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("released: 1 runs, 0 of them done before\n")
    monkeypatch.chdir(tmp_path)
    assert main(["reproduce", *arguments]) == 0
    assert capfd.readouterr().err.startswith("released: 1 runs, 1 of them done before\n")
    folder = RunFolder(tmp_path / "runs/released/scene/seed_3")
    record = runs_of(tmp_path / "results/released.json")["scene", 3]
    assert record["config"] == folder.config()
    assert record["accuracy"] == folder.result()["accuracy"]
    assert [step for step, _ in record["curve"]["dev"]] == [2]
    text = (tmp_path / "results/released.md").read_text()
    assert "Not on SCONE but on the embedded corpus, so not to be compared with the paper" in text
    assert "With other settings" not in text
