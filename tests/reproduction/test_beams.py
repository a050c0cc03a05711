from __future__ import annotations

from pathlib import Path

import pytest

import gin
from lang2program_tf.cli.main import main
from lang2program_tf.language import get_domain
from lang2program_tf.learning.checkpoints import Checkpoints
from lang2program_tf.learning.learner import Learner
from lang2program_tf.learning.progress import Progress
from lang2program_tf.learning.run_folder import RunFolder
from lang2program_tf.reproduction.beams import EXAMPLE
from lang2program_tf.reproduction.cells import Run
from lang2program_tf.reproduction.settings import read_settings
from lang2program_tf.reproduction.tables import read_table

ROWS = ("randomer", "bs_mml")


def keep_untrained_run(root_dir: Path, row: str) -> None:
    """Makes the folder of a run on scene that has not learned anything yet."""
    (cell,) = [c for c in read_table("table1").cells if (c.row, c.domain) == (row, "scene")]
    run = Run(cell, 0)
    folder = RunFolder(run.folder(root_dir))
    settings = read_settings(run, [])
    gin.parse_config(settings.config)
    learner = Learner()
    gin.clear_config()
    folder.path.mkdir(parents=True)
    folder.write_config(settings.config)
    Checkpoints(folder.path, **learner.variables(), progress=Progress()).save(0)


@pytest.mark.usefixtures("eagerly")
def test_beams_of_both_learners_are_written_with_rewards_marked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    for row in ROWS:
        keep_untrained_run(tmp_path / "runs", row)
    assert main(["reproduce", "beams"]) == 0
    text = (tmp_path / "results/beams.md").read_text()
    assert text in capsys.readouterr().out
    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        *("## RandoMer", "## BS-MML")
    ]
    assert "moves just to the right of the man in the red shirt" in text
    assert text.count("| p ") == 2


def test_a_run_that_is_not_there_is_named_with_the_command_that_trains_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    assert main(["reproduce", "beams", "--seeds", "3", "--reading", "text"]) == 2
    err = capsys.readouterr().err
    assert "there is no run in runs/paper/scene_beta_0_stack/text/seed_3; " in err
    assert "--reading text --domain scene --row randomer --seeds 3`" in err


def test_the_papers_spurious_program_earns_its_reward():
    scene = get_domain("scene")
    start, target = scene.parse_world(EXAMPLE.world), scene.parse_world(EXAMPLE.target)
    assert [p.position for p in start.objects] == [1, 4]
    assert [p.position for p in target.objects] == [1, 2]
