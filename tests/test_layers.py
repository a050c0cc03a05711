"""The packages in the order in which data flows: none imports one that stands behind it.

Their picture in docs/architecture.md shows how they import each other.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import lang2program_tf

ROOT = Path(lang2program_tf.__file__).parent
# Packages of one line do not know each other. Modules beside the packages may be used by all.
LAYERS = [
    ["language"],
    ["corpus", "machine"],
    ["model"],
    ["search"],
    ["learning"],
    ["serving"],
    ["playground"],
    ["server"],
    ["analysis", "parity", "reproduction"],
    ["cli"],
]
HEIGHT = {package: height for height, layer in enumerate(LAYERS) for package in layer}


def modules() -> Iterator[tuple[str, Path]]:
    """Every module in a package: the package, and the file."""
    for path in sorted(ROOT.rglob("*.py")):
        package = path.relative_to(ROOT).parts[0]
        if package in HEIGHT:
            yield package, path


def imported_packages(path: Path) -> set[str]:
    """The packages of the project that a module imports anything from, wherever in it."""
    names = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            names += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
    inside = [name.split(".") for name in names if name.startswith(f"{ROOT.name}.")]
    return {parts[1] for parts in inside if parts[1] in HEIGHT}


def test_every_package_has_its_place():
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert packages == set(HEIGHT)


def test_a_package_imports_only_those_below_it():
    wrong = [
        f"{path.relative_to(ROOT)} imports {other}"
        for package, path in modules()
        for other in imported_packages(path) - {package}
        if HEIGHT[other] >= HEIGHT[package]
    ]
    assert wrong == []


def test_modules_beside_the_packages_import_none_of_them():
    beside = [path for path in ROOT.glob("*.py") if path.name != "__init__.py"]
    imported = {path.name: imported_packages(path) for path in beside}
    assert {name: packages for name, packages in imported.items() if packages} == {}


def test_the_package_does_not_need_developers_tools():
    files = [path for path in ROOT.rglob("*.py") if path != ROOT / "cli" / "main.py"]
    assert [path.name for path in files if "lang2program_dev" in path.read_text("utf-8")] == []


def drawn_arrows() -> set[tuple[str, str]]:
    """The arrows of the picture in docs/architecture.md: to whom, from whom."""
    page = (ROOT.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    return {(to, source) for source, to in re.findall(r"^ *(\w+) --> (\w+)$", page, re.MULTILINE)}


def with_detours(arrows: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """All pairs that are joined by one arrow or by several."""
    while True:
        more = {(a, d) for a, b in arrows for c, d in arrows if b == c} - arrows
        if not more:
            return arrows
        arrows = arrows | more


def test_the_picture_of_the_packages_shows_their_imports():
    imports = {
        (package, other)
        for package, path in modules()
        for other in imported_packages(path) - {package}
    }
    drawn = drawn_arrows()
    assert drawn - imports == set(), "drawn, but nothing is imported"
    assert imports - with_detours(drawn) == set(), "imported, but not drawn"
