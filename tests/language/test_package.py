"""The language stands alone: standard library only, and Python 3.8 will do."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import lang2program_tf
from lang2program_tf import language
from tests.pythons import find_python

ROOT = Path(lang2program_tf.__file__).parents[1]

# Imports every module of the language and prints the modules that this brought in, with files.
IMPORT_ALL = """
import importlib, json, pkgutil, sys, sysconfig
before = set(sys.modules)
import lang2program_tf.language as language
for module in pkgutil.iter_modules(language.__path__):
    if module.name != "__main__":
        importlib.import_module(language.__name__ + "." + module.name)
loaded = {name: getattr(sys.modules[name], "__file__", None) for name in set(sys.modules) - before}
print(json.dumps([loaded, sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")]))
"""


def test_the_language_imports_the_standard_library_and_itself_only():
    run = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded, *folders = json.loads(run.stdout)
    assert {"lang2program_tf.language.cli", "lang2program_tf.language.drawing"} <= set(loaded)
    assert not {"numpy", "tensorflow"} & set(loaded)
    for name, file in loaded.items():
        if name.split(".")[0] == "lang2program_tf":
            assert name == "lang2program_tf" or name.startswith("lang2program_tf.language"), name
        elif file is not None:  # else it is built in
            assert any(Path(folder) in Path(file).parents for folder in folders), name
            assert "site-packages" not in Path(file).parts, name


def test_all_names_that_the_package_offers_exist():
    assert sorted(language.__all__) == sorted(set(language.__all__))
    assert all(hasattr(language, name) for name in language.__all__)


@pytest.mark.parametrize("version", ["3.8", "3.9"])
def test_a_program_runs_on_older_pythons(version):
    world, program = "1:2 2:0 3:4", "remove(index(allObjects, 2)); add(1, prevArg1(-1))"
    arguments = ["run", "--domain", "tangrams", "--world", world, "--program", program]
    command = [find_python(version), "-m", "lang2program_tf.language", *arguments]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    assert b"2. add(1, prevArg1(-1))" in shown.stdout
    answer = subprocess.run([*command, "--json"], cwd=ROOT, capture_output=True, check=True)
    assert json.loads(answer.stdout)["final_world"] == "1:0 2:2 3:4"
    failure = subprocess.run([*command, "--bogus"], cwd=ROOT, capture_output=True)
    assert failure.returncode == 2
    assert failure.stderr.startswith(b"error: unrecognized arguments: --bogus")
    assert failure.stderr.count(b"\n") == 1
