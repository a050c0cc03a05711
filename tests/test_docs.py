"""The pages for newcomers: their code runs, and what they name is there."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "lang2program_tf"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
_BLOCK = re.compile(r"^( *)```(?:python|text) *(\S*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)")
_NAME = re.compile(r"`((?:[a-z_]+\.)+[A-Za-z_.]+)`")


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(page: str) -> list[tuple[str, str]]:
    """The code of a page: the name of each block, "" if it has none, and its text."""
    found = _BLOCK.findall(read(page))
    return [(name, textwrap.dedent(text)) for _, name, text in found]


@pytest.mark.slow
def test_the_guide_to_data_and_learners_runs(tmp_path: Path):
    files = {name: text for name, text in blocks("docs/extending.md") if name}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    paths = {"PYTHONPATH": os.pathsep.join([str(ROOT), "."])}
    for script in ("make_corpus.py", "use_them.py"):
        run = subprocess.run(
            [sys.executable, script],
            cwd=tmp_path,
            env={**os.environ, **paths},
            capture_output=True,
            text=True,
        )
        assert run.returncode == 0, run.stderr
    assert "5 steps, accuracy by number of utterances: {'1': " in run.stdout
    assert (tmp_path / "exported" / "mine" / "1" / "saved_model.pb").is_file()
    assert "HardEM" in (tmp_path / "runs" / "hard_em" / "operative_config.gin").read_text()


def test_the_guide_to_domains_quotes_the_domain_that_is_tested():
    quotes = [text for name, text in blocks("docs/extending.md") if not name]
    lamps = textwrap.dedent(read("tests/lamps.py"))
    assert len(quotes) > 4
    for quote in quotes:
        assert quote in lamps or textwrap.indent(quote, "    ") in lamps, quote


def names_in(path: Path) -> set[str]:
    """What a module defines: functions, classes and their methods, values."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            methods = (ast.FunctionDef, ast.AsyncFunctionDef)
            found |= {f"{node.name}.{sub.name}" for sub in node.body if isinstance(sub, methods)}
    return found


def test_functions_that_the_walk_through_names_exist():
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    named = [
        name
        for name in _NAME.findall(read("docs/architecture.md"))
        if name.split(".")[0] in packages
    ]
    assert len(named) > 40
    for name in named:
        package, module, thing = name.split(".", 2)
        assert thing in names_in(PACKAGE / package / f"{module}.py"), name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path):
    for path, anchor in _LINK.findall(page.read_text(encoding="utf-8")):
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), path
        if anchor:
            titles = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", t).lower().replace(" ", "-") for t in titles}


def test_the_readme_is_short_and_its_map_has_all_packages():
    readme = read("README.md")
    assert len(readme.splitlines()) <= 150
    (line,) = [line for line in readme.splitlines() if line.startswith("The packages")]
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert set(re.findall(r"`(\w+)`", line)) == packages
