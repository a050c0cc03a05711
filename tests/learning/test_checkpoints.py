from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import tensorflow as tf

from lang2program_tf.errors import UserError
from lang2program_tf.learning.checkpoints import Checkpoints


class Run:
    """A run of one number, which is the step."""

    def __init__(self, folder: Path) -> None:
        self.number = tf.Variable(0)
        self.checkpoints = Checkpoints(folder, number=self.number)

    def save(self, *steps: int) -> None:
        for step in steps:
            self.number.assign(step)
            self.checkpoints.save(step)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a run that has come to step 40."""
    Run(tmp_path).save(10, 20, 30, 40)
    return tmp_path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_run_goes_on_from_its_latest_checkpoint(folder: Path):
    run = Run(folder)
    assert run.checkpoints.restore_latest()
    assert int(run.number) == 40
    assert not run.checkpoints.restore_best()


def test_three_checkpoints_are_kept_by_runs_that_go_on_too(folder: Path):
    run = Run(folder)
    run.save(50)
    indices = [name for name in names(folder / "checkpoints") if name.endswith(".index")]
    assert indices == ["ckpt-30.index", "ckpt-40.index", "ckpt-50.index"]


def test_the_best_is_kept_whatever_comes_later(folder: Path):
    run = Run(folder)
    run.number.assign(7)
    run.checkpoints.save_best(7)
    run.save(50, 60, 70, 80)
    assert run.checkpoints.restore_best()
    assert int(run.number) == 7
    run.number.assign(90)
    run.checkpoints.save_best(90)
    assert "ckpt-7.index" not in names(folder / "best")


def test_a_new_folder_has_nothing_to_restore(tmp_path: Path):
    run = Run(tmp_path)
    assert not run.checkpoints.restore_latest()
    assert not run.checkpoints.restore_best()
    assert names(tmp_path) == []


SUFFIXES = ["index", "data-00000-of-00001"]
DAMAGES = ["cut off", "empty", "other bytes"]


def damage(path: Path, kind: str) -> None:
    whole = path.read_bytes()
    path.write_bytes(
        {"cut off": whole[:-3], "empty": b"", "other bytes": b"\xff" * len(whole)}[kind]
    )


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("kind", DAMAGES)
def test_a_run_goes_on_from_the_checkpoint_before_a_damaged_one(
    folder: Path, suffix: str, kind: str, capsys: pytest.CaptureFixture[str]
):
    damage(folder / "checkpoints" / f"ckpt-40.{suffix}", kind)
    run = Run(folder)
    assert run.checkpoints.restore_latest()
    assert int(run.number) == 30
    err = capsys.readouterr().err
    assert "cannot read the checkpoint" in err and err.count("\n") == 1
    assert "ckpt-40 (" in err and err.endswith("ckpt-30\n")
    run.save(40, 50)
    assert Run(folder).checkpoints.restore_latest()


def test_where_no_checkpoint_can_be_read_a_line_says_how_to_begin_anew(folder: Path):
    for path in (folder / "checkpoints").glob("ckpt-*.index"):
        damage(path, "empty")
    message = r"ckpt-40, nor one before it: .*; delete the folder .*checkpoints to begin"
    with pytest.raises(UserError, match=message):
        Run(folder).checkpoints.restore_latest()
    shutil.rmtree(folder / "checkpoints")
    assert not Run(folder).checkpoints.restore_latest()


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("kind", DAMAGES)
def test_a_damaged_best_checkpoint_is_named_and_can_be_given_up(
    folder: Path, suffix: str, kind: str
):
    run = Run(folder)
    run.checkpoints.save_best(7)
    damage(folder / "best" / f"ckpt-7.{suffix}", kind)
    run = Run(folder)
    assert run.checkpoints.restore_latest()  # which needs no best one
    message = r"cannot read the checkpoint .*best/ckpt-7: .*; delete the folder .*best to use"
    with pytest.raises(UserError, match=message) as error:
        run.checkpoints.restore_best()
    assert "\n" not in str(error.value)
    shutil.rmtree(folder / "best")
    assert not Run(folder).checkpoints.restore_best()


def test_a_checkpoint_of_other_variables_is_refused(folder: Path):
    other = Checkpoints(folder, number=tf.Variable(0), more=tf.Variable(0))
    with pytest.raises(UserError, match="cannot read the checkpoint .*ckpt-40"):
        other.restore_latest()
    wide = Checkpoints(folder, number=tf.Variable([0, 0]))
    with pytest.raises(UserError, match="cannot read the checkpoint .*ckpt-40"):
        wide.restore_latest()


@pytest.mark.parametrize(
    "text", ["", "\x00\x00", "model_checkpoint_path: 3", 'model_checkpoint_path: "ckpt-99"', None]
)
def test_a_damaged_state_file_is_written_anew_and_nothing_lost(
    folder: Path,
    text: str | None,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
):
    state = folder / "checkpoints" / "checkpoint"
    (folder / "checkpoints" / "ckpt-50.index").write_text("a save that was killed")
    if text is None:
        state.unlink()
    else:
        state.write_text(text)
    run = Run(folder)
    err = capsys.readouterr().err
    assert err.endswith("it names ckpt-40 again, the latest there is\n")
    assert err.count("\n") == 1 and not caplog.records
    assert run.checkpoints.restore_latest()
    assert int(run.number) == 40
    run.checkpoints.sweep()
    assert not (folder / "checkpoints" / "ckpt-50.index").exists()
    run.save(50)
    assert len(list((folder / "checkpoints").glob("*.index"))) == 3


def test_a_damaged_state_file_without_checkpoints_is_named(folder: Path):
    for path in (folder / "checkpoints").glob("ckpt-*"):
        path.unlink()
    with pytest.raises(UserError, match="checkpoints/checkpoint is damaged, and there is no"):
        Run(folder)
    shutil.rmtree(folder / "checkpoints")
    assert not Run(folder).checkpoints.restore_latest()


def test_leftovers_of_killed_saves_are_swept_away(folder: Path):
    before = names(folder / "checkpoints")
    (folder / "checkpoints" / "ckpt-50_temp").mkdir()
    (folder / "checkpoints" / "ckpt-50_temp" / "part-00000-of-00001.index").write_text("half")
    (folder / "checkpoints" / "ckpt-50.data-00000-of-00001").write_text("half")
    run = Run(folder)
    run.checkpoints.sweep()
    assert names(folder / "checkpoints") == before
    assert run.checkpoints.restore_latest()


def test_a_save_that_a_crash_cut_off_does_not_count(folder: Path):
    whole = (folder / "checkpoints" / "ckpt-40.data-00000-of-00001").read_bytes()
    (folder / "checkpoints" / "ckpt-50.data-00000-of-00001").write_bytes(whole[:5])
    (folder / "checkpoints" / "ckpt-50_temp").mkdir()
    run = Run(folder)
    assert run.checkpoints.restore_latest()
    assert int(run.number) == 40
    run.save(50)
    assert Run(folder).checkpoints.restore_latest()


def test_a_save_that_fails_leaves_what_was_there(folder: Path, monkeypatch: pytest.MonkeyPatch):
    run = Run(folder)
    before = names(folder / "checkpoints")

    def fail(*_: object, **__: object) -> None:
        (folder / "checkpoints" / "ckpt-50_temp").mkdir()
        (folder / "checkpoints" / "ckpt-50.data-00000-of-00001").write_text("half")
        raise tf.errors.ResourceExhaustedError(None, None, "no space left\n[[node]] [Op:SaveV2]")

    monkeypatch.setattr(tf.train.CheckpointManager, "save", fail)
    with pytest.raises(UserError, match=r": no space left\. Is the disk full\?") as error:
        run.save(50)
    assert "\n" not in str(error.value)
    assert names(folder / "checkpoints") == before
