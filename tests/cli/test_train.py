from __future__ import annotations

import contextlib
import fcntl
import io
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import tensorflow as tf

import gin
from lang2program_tf.cli.main import main
from lang2program_tf.gin_files import load_gin
from lang2program_tf.learning import experiment
from lang2program_tf.learning.loop import Interrupted
from lang2program_tf.learning.run_folder import RunFolder
from tests.learning.small_runs import (
    BINDINGS,
    GIN_FILES,
    checkpoint_values,
    log_without_times,
    same_values,
)

SETTINGS = [
    *BINDINGS,
    "train/BeamSearch.jit_compile = True",  # as people train; a resumed run must not differ
    "TrainingLoop.max_steps = 60",
    "TrainingLoop.evaluate_every = 60",
    "TrainingLoop.evaluate_all_every = 60",
    "TrainingLoop.save_every = 5",
    "TrainingLoop.log_every = 1",
]
LONGEST = 300.0


@pytest.fixture(autouse=True, scope="module")
def unchanged_process() -> Iterator[None]:
    """Keeps what `train` does to TensorFlow and gin from other tests; graphs are the command's."""
    tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": False})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tf.config.experimental, "enable_op_determinism", lambda: None)
        yield
    gin.clear_config()


def arguments(folder: Path, *params: str) -> list[str]:
    files = [f"--gin_file={name}" for name in GIN_FILES]
    settings = [f"--gin_param={binding}" for binding in [*SETTINGS, *params]]
    return ["train", f"--root_dir={folder}", *files, *settings]


class Stage(NamedTuple):
    """How a process of the story ended."""

    code: int
    out: str
    err: str
    step: int


class Story:
    """One run, by several processes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.command = [sys.executable, "-m", "lang2program_tf.cli.main", *arguments(folder)]

    def on_pipes(self, stop: Callable[[subprocess.Popen[str]], None] | None) -> Stage:
        """Goes on with the run; `stop` is called when it has taken some steps."""
        process = subprocess.Popen(
            self.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        if stop is not None:
            self._wait(lambda: process.poll() is None)
            stop(process)
        out, err = process.communicate(timeout=LONGEST)
        return Stage(process.returncode, out, err, self._step())

    def on_a_terminal(self, keys: bytes, meanwhile: Callable[[], None]) -> Stage:
        """Goes on with the run in a terminal; when it has taken some steps, types."""
        pid, terminal = pty.fork()
        if pid == 0:
            fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 150, 0, 0))
            os.execv(self.command[0], self.command)
        shown = b""

        def lives() -> bool:
            nonlocal shown
            shown += _read(terminal)
            return True

        self._wait(lives)
        meanwhile()
        os.write(terminal, keys)
        while True:
            ended, status = os.waitpid(pid, os.WNOHANG)
            shown += _read(terminal)
            if ended:
                break
        os.close(terminal)
        return Stage(os.waitstatus_to_exitcode(status), shown.decode(), "", self._step())

    def in_this_process(self) -> Stage:
        """The same command, which has nothing to do."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(arguments(self.folder))
        return Stage(code, out.getvalue(), err.getvalue(), self._step())

    def _wait(self, lives: Callable[[], bool]) -> None:
        """Waits until three steps more are in the log."""
        begun, end = self._logged(), time.monotonic() + LONGEST
        while self._logged() < begun + 3:
            assert lives() and time.monotonic() < end
            time.sleep(0.02)

    def _logged(self) -> int:
        try:
            return max((record["step"] for record in RunFolder(self.folder).records()), default=0)
        except OSError:  # between two versions of the log
            return 0

    def _step(self) -> int:
        """That of the latest checkpoint."""
        path = tf.train.latest_checkpoint(str(self.folder / "checkpoints"))
        return int(path.rsplit("-", 1)[1]) if path else 0


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 100_000) if select.select([terminal], [], [], 0.05)[0] else b""
    except OSError:  # the other side is closed
        return b""


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Stage]:
    """A run that is stopped in every way there is, and in the end gets through."""
    tale = Story(tmp_path_factory.mktemp("story") / "run")
    stages = {}

    def try_a_second_run() -> None:
        stages["second"] = tale.in_this_process()

    stages["interrupted"] = tale.on_a_terminal(b"\x03", try_a_second_run)
    stages["killed"] = tale.on_pipes(lambda process: process.kill())
    stages["finished"] = tale.on_pipes(None)
    stages["again"] = tale.in_this_process()
    stages["folder"] = Stage(0, str(tale.folder), "", 0)
    return stages


def test_a_run_that_sigterm_stops_leaves_with_a_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def stopped(root_dir: str) -> None:
        raise Interrupted(RunFolder(root_dir), step=7, signal=signal.SIGTERM)

    monkeypatch.setattr(experiment, "train", stopped)
    assert main(arguments(tmp_path)) == 143
    out, err = capsys.readouterr()
    assert out == ""
    assert "saved and stopped at step 7 by SIGTERM; the same command goes on" in err


@pytest.mark.slow
def test_nothing_but_the_run_itself_is_reported(story: dict[str, Stage]):
    begun = story["interrupted"].step
    for name, step in (("killed", begun), ("finished", story["killed"].step)):
        lines = story[name].err.splitlines()
        assert lines[0] == f"training from step {step} to 60; building the graph"
        assert all(re.match(r"training |step \d", line) for line in lines), lines
    assert story["killed"].out == ""


@pytest.mark.slow
def test_a_second_run_on_a_folder_is_refused_while_the_first_lives(story: dict[str, Stage]):
    stage = story["second"]
    assert stage.code == 2
    assert re.fullmatch(r"error: \S+: another run is writing to this folder; .*\n", stage.err)


@pytest.mark.slow
def test_ctrl_c_on_a_terminal_saves_and_leaves_the_bar_readable(story: dict[str, Stage]):
    stage = story["interrupted"]
    assert stage.code == 130
    assert f"saved and stopped at step {stage.step} by SIGINT" in stage.out
    bars = [part for part in re.split(r"[\r\n]+", stage.out) if part.startswith("training:")]
    # steps done and of how many, time left, steps a second, accuracy, share with reward
    shown = r"training: +\d+%\|.*\| \d+/60 \[[\d:]+<[\d:]+, .*step.*, dev=.*, solved=\d\.\d\d\]"
    assert re.match(shown, bars[-1]), bars[-1]


@pytest.mark.slow
def test_kill_9_loses_only_the_steps_since_the_last_checkpoint(story: dict[str, Stage]):
    stage = story["killed"]
    assert stage.code == -signal.SIGKILL
    assert stage.step >= story["interrupted"].step  # nothing older
    resumed = re.match(r"training from step (\d+) ", story["finished"].err)
    assert resumed and int(resumed.group(1)) == stage.step


@pytest.mark.slow
def test_a_run_that_was_stopped_in_every_way_is_bit_for_bit_one_that_never_was(
    story: dict[str, Stage], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    stopped, unbroken = Path(story["folder"].out), tmp_path / "unbroken"
    assert main(arguments(unbroken)) == 0
    for kind in ("checkpoints", "best"):
        assert same_values(checkpoint_values(stopped / kind), checkpoint_values(unbroken / kind))
    assert log_without_times(stopped) == log_without_times(unbroken)
    results = [
        {**json.loads(out.splitlines()[-1]), "seconds": 0}
        for out in (story["finished"].out, capsys.readouterr().out)
    ]
    assert results[0] == results[1]


@pytest.mark.slow
def test_a_finished_run_says_so_and_gives_its_result(story: dict[str, Stage]):
    finished, again = story["finished"], story["again"]
    assert (finished.code, again.code) == (0, 0)
    assert again.out == finished.out
    assert re.fullmatch(r"\S+: this run is finished; its result:\n", again.err)
    result = json.loads(finished.out.splitlines()[-1])
    assert result["steps"] == 60
    assert set(result["accuracy"]) == set(result["examples"]) == {"1", "2", "3", "4", "5"}


@pytest.fixture
def errors(capsys: pytest.CaptureFixture[str]) -> Callable[[list[str]], str]:
    """What a command that must fail says: one line, exit code 2."""

    def run(command: list[str]) -> str:
        assert main(command) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("error: ") and err.count("\n") == 1, err
        return err

    return run


@pytest.mark.parametrize(
    ("binding", "message"),
    [
        ("TrainingLoop.nonsense = 1", "'TrainingLoop' doesn't have a parameter named 'nonsense'"),
        ("Nonsense.x = 1", "No configurable matching 'Nonsense'"),
        ("TrainStep.weights = @Nonsense()", "No configurable matching reference '@Nonsense()'"),
        ("Task.domain", "Couldn't parse statement"),
        ("Task.domain = %macro", "No bindings specified for 'macro/gin.macro'\n"),
        ("Task.domain = 'mars'", "domain='mars' must be one of alchemy, scene, tangrams (in Task)"),
        ("Task.corpus = 'other'", "corpus='other' must be scone, embedded or a folder with"),
        ("TrainingLoop.batch_size = 0", "batch_size=0 must be a whole number, 1 or more (in Train"),
        ("train/BeamSearch.beam_size = 0", "beam_size=0 must be 1 or more (in BeamSearch)"),
        ("Parser.history = ('all',)", "history must be of"),
        ("Learner.seed = 'x'", "(in Parser)"),
    ],
)
def test_a_setting_that_cannot_be_is_one_line(
    errors: Callable[[list[str]], str], tmp_path: Path, binding: str, message: str
):
    said = errors(arguments(tmp_path / "run", binding))
    assert said.startswith("error: gin settings: ") and message in said
    assert not (tmp_path / "run").exists()


def test_a_required_setting_that_is_missing_is_named(
    errors: Callable[[list[str]], str], tmp_path: Path
):
    command = ["train", f"--root_dir={tmp_path / 'run'}", "--gin_file=learners/randomer.gin"]
    assert "Required bindings for `Task` not provided in config: ['domain']" in errors(command)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Task.domain = = 3", "Unable to parse value. (mine.gin, line 1)"),
        ('include "nowhere/x.gin"', "Unable to open file: nowhere/x.gin."),
        ("import lang2program_tf.nonsense", "No module named 'lang2program_tf.nonsense'"),
        (None, "no gin file"),
    ],
)
def test_a_gin_file_that_cannot_be_read_is_named(
    errors: Callable[[list[str]], str], tmp_path: Path, text: str | None, message: str
):
    path = tmp_path / "mine.gin"
    if text is not None:
        path.write_text(text)
    said = errors(["train", f"--root_dir={tmp_path / 'run'}", f"--gin_file={path}"])
    assert message in said and "mine.gin" in said
    assert not (tmp_path / "run").exists()


def test_missing_data_says_how_to_get_it(
    errors: Callable[[list[str]], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("LANG2PROGRAM_DATA", str(tmp_path))
    said = errors(["train", f"--root_dir={tmp_path / 'run'}", "--gin_file=released/scene.gin"])
    assert "scene-train-orig.tsv; `lang2program fetch scone` gets it" in said
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["train", "--gin_file=quickstart.gin"], "are required: --root_dir; `lang2program train"),
        (["train", "--root_dir=x"], "are required: --gin_file; `lang2program train --help`"),
        (["train", "--root_dir=x", "--gin_file=y", "--what"], "unrecognized arguments: --what"),
        (["train", "--root_dir=x", "--gin_file=y", "what"], "unrecognized arguments: what"),
    ],
)
def test_flags_that_are_missing_or_unknown_are_named(
    errors: Callable[[list[str]], str], command: list[str], message: str
):
    assert message in errors(command)


def test_help_shows_how_to_train(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit, match="0"):
        main(["train", "--help"])
    out = capsys.readouterr().out
    assert all(word in out for word in ("--gin_file", "--gin_param", "--root_dir", "130 and 143"))


def test_a_folder_with_other_settings_is_refused_with_the_difference(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    load_gin(GIN_FILES, SETTINGS)
    RunFolder(tmp_path).write_config(gin.config_str())
    assert main(arguments(tmp_path, "TrainingLoop.max_steps = 61")) == 2
    first, *changes = capsys.readouterr().err.splitlines()
    assert first.startswith(f"error: {tmp_path} holds a run with other settings; choose another")
    assert changes == ["- TrainingLoop.max_steps = 60", "+ TrainingLoop.max_steps = 61"]
