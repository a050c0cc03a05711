"""executor.pyz runs with any Python, from any folder, with nothing installed."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from lang2program_tf.serving.executor_bundle import write_executor
from tests.pythons import find_python

RUN = ["run", "--domain", "scene", "--program", "leave(hasHat(yellow))", "--world"]
WORLD = "1:__ 2:__ 3:__ 4:__ 5:ry 6:__ 7:__ 8:__ 9:__ 10:__"
EMPTY = " ".join(f"{i}:__" for i in range(1, 11))


@pytest.fixture(scope="module")
def executor(tmp_path_factory):
    path = tmp_path_factory.mktemp("bundle") / "executor.pyz"
    write_executor(path)
    return path


def call(executor, folder, arguments, python=sys.executable, **options):
    command = [python, "-I", "-S", str(executor), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, **options)


def test_it_runs_a_program(executor, tmp_path):
    run = call(executor, tmp_path, [*RUN, WORLD, "--json"])
    assert json.loads(run.stdout)["final_world"] == EMPTY
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("version", ["3.8", "3.9", "3.12", "3.13"])
def test_it_runs_on_other_pythons(executor, tmp_path, version):
    run = call(executor, tmp_path, [*RUN, WORLD], python=find_python(version))
    assert f"1. leave(hasHat(yellow))\n{EMPTY}" in run.stdout


def test_it_runs_by_its_own_name(executor):
    run = subprocess.run([str(executor), *RUN, WORLD], capture_output=True, text=True, check=True)
    assert EMPTY in run.stdout


def test_it_verifies_an_answer(executor, tmp_path):
    answer = {"program": ["yellow hasHat leave"], "world": [EMPTY], "worlds": [EMPTY, ""]}
    arguments = ["verify", "--domain", "scene", "--world", WORLD, "-"]
    honest = call(executor, tmp_path, arguments, input=json.dumps(answer))
    assert (honest.returncode, honest.stdout) == (0, "row 1: 1 program leads to its world\n")
    lie = call(executor, tmp_path, arguments, input=json.dumps({**answer, "world": [WORLD]}))
    assert lie.returncode == 1


def test_it_tells_of_errors_in_one_line_with_its_own_name(executor, tmp_path):
    run = call(executor, tmp_path, ["run", "--bogus"])
    assert run.returncode == 2
    assert run.stderr.count("\n") == 1 and "see `executor.pyz run --help`" in run.stderr


def test_it_can_be_imported(executor, tmp_path):
    code = (
        f"import sys; sys.path.insert(0, {str(executor)!r})\n"
        "from lang2program_tf.language import get_domain, execute\n"
        "domain = get_domain('scene')\n"
        f"world = domain.parse_world({WORLD!r})\n"
        "print(execute(domain, world, ['yellow', 'hasHat', 'leave']).world)"
    )
    run = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert run.stdout == f"{EMPTY}\n"


def test_the_same_sources_give_the_same_bytes(executor, tmp_path):
    write_executor(tmp_path / "again.pyz")
    assert (tmp_path / "again.pyz").read_bytes() == executor.read_bytes()
