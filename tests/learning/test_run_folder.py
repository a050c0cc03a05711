from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from lang2program_tf.errors import UserError
from lang2program_tf.learning.run_folder import RunFolder

CONFIG = "# Parameters for Task:\n# =====\nTask.domain = 'scene'\nTask.form = 'orig'\n"


def test_a_folder_is_refused_while_another_process_holds_it(tmp_path: Path):
    folder = RunFolder(tmp_path / "run")
    code = (
        "import sys; from lang2program_tf.learning.run_folder import RunFolder\n"
        "with RunFolder(sys.argv[1]).lock():\n"
        "    open(sys.argv[1] + '/config.gin', 'w').close(); print('held', flush=True); input()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code, str(folder.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert other.stdin is not None and other.stdout is not None
    try:
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(UserError, match="another run is writing"), folder.lock():
            pass
    finally:
        other.kill()  # a lock does not outlive its process, however that ends
        other.wait()
        other.stdin.close()
        other.stdout.close()
    with folder.lock():
        pass
    assert (folder.path / "config.gin").exists()


def test_a_folder_that_stays_empty_is_taken_away(tmp_path: Path):
    folder = RunFolder(tmp_path / "runs" / "one")
    with pytest.raises(ValueError, match="bad settings"), folder.lock():
        raise ValueError("bad settings")
    assert not folder.path.exists()


def test_a_path_that_cannot_be_a_folder_is_a_clear_error(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(UserError, match="cannot use .*file as a run folder: File exists"),
        RunFolder(tmp_path / "file").lock(),
    ):
        pass


def test_the_same_settings_are_accepted_and_others_shown(tmp_path: Path):
    folder = RunFolder(tmp_path)
    folder.check_config(CONFIG)  # nothing there yet
    folder.write_config(CONFIG)
    folder.check_config(CONFIG)
    with pytest.raises(UserError) as error:
        folder.check_config(CONFIG.replace("'orig'", "'substrings'") + "\n# More:\nX.y = 1\n")
    first, *changes = str(error.value).splitlines()
    assert first.startswith(f"{tmp_path} holds a run with other settings; choose another")
    assert changes == ["- Task.form = 'orig'", "+ Task.form = 'substrings'", "+ X.y = 1"]


def test_a_folder_without_a_run_says_how_to_make_one(tmp_path: Path):
    with pytest.raises(UserError, match="holds no run .*lang2program train --root_dir"):
        RunFolder(tmp_path).config()


def test_a_line_that_a_crash_cut_off_is_left_out_and_later_dropped(tmp_path: Path):
    folder = RunFolder(tmp_path)
    folder.log({"step": 1})
    folder.log({"step": 2})
    with open(tmp_path / "metrics.jsonl", "a") as log:
        log.write('{"step": 3, "lo')
    assert folder.records() == [{"step": 1}, {"step": 2}]
    folder.forget_after(2)
    folder.log({"step": 3})
    assert folder.records() == [{"step": 1}, {"step": 2}, {"step": 3}]
    folder.forget_after(1)
    assert folder.records() == [{"step": 1}]


def test_files_that_a_killed_process_was_writing_are_removed(tmp_path: Path):
    folder = RunFolder(tmp_path)
    folder.write_config(CONFIG)
    (tmp_path / ".metrics.jsonl.12345").write_text("half")
    with folder.lock():
        assert sorted(path.name for path in tmp_path.iterdir()) == [".lock", "config.gin"]


def test_settings_that_are_no_text_are_one_line(tmp_path: Path):
    (tmp_path / "config.gin").write_bytes(b"Task.domain = \xff")
    for read in (RunFolder(tmp_path).config, lambda: RunFolder(tmp_path).check_config(CONFIG)):
        with pytest.raises(UserError, match="config.gin is damaged: .*utf-8"):
            read()


@pytest.mark.parametrize("content", [b"{", b"\xff\n", b'{"step": 1}\ngarbage {\n'])
@pytest.mark.parametrize("name", ["metrics.jsonl", "result.json"])
def test_a_damaged_log_or_result_is_one_line(tmp_path: Path, name: str, content: bytes):
    (tmp_path / name).write_bytes(content)
    folder = RunFolder(tmp_path)
    if (name, content) == ("metrics.jsonl", b"{"):
        assert folder.records() == []  # cut off by a crash
        return
    with pytest.raises(UserError, match=rf"{name}.* is damaged \(.*\); delete") as error:
        folder.records() if name == "metrics.jsonl" else folder.result()
    assert "\n" not in str(error.value)
