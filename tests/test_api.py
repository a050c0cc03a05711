"""`import lang2program_tf as l2p`: a few functions, and nothing imported before it is needed."""

from __future__ import annotations

import pydoc
import subprocess
import sys
from pathlib import Path

import pytest

import lang2program_tf as l2p
from lang2program_tf.errors import UserError
from lang2program_tf.language import LanguageError

WORLD = "1:__ 2:__ 3:r_ 4:__ 5:__ 6:yo 7:__ 8:__ 9:__ 10:__"
EXPORTED = Path(__file__).parents[1] / "exported"


def test_importing_it_and_running_a_program_import_nothing_heavy():
    code = (
        "import sys; import lang2program_tf as l2p\n"
        "rooms = [name for name in sys.modules if name.startswith('lang2program_tf.')]\n"
        "assert rooms == [], rooms\n"
        "print(l2p.run('tangrams', '1:2 2:1 3:4', 'remove(index(allObjects, 2))')[0])\n"
        "assert not {'numpy', 'tensorflow'} & set(sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (run.stdout, run.stderr) == ("1:2 2:4\n", "")


def test_help_shows_how_to_begin_and_every_function():
    text = pydoc.render_doc(l2p, renderer=pydoc.plaintext)  # type: ignore[attr-defined]
    assert 'parser = l2p.load("exported/scene")' in text
    for name in l2p.__all__:
        assert f"    {name}(" in text
        assert all(part in getattr(l2p, name).__doc__ for part in ("Args:", "Returns:", "Raises:"))


@pytest.mark.slow
def test_a_loaded_parser_parses():
    parser = l2p.load(EXPORTED / "scene")
    answer = parser.parse(WORLD, ["the man in red leaves"])
    assert answer.best is not None
    assert answer.best.world == "1:__ 2:__ 3:__ 4:__ 5:__ 6:yo 7:__ 8:__ 9:__ 10:__"
    assert l2p.run("scene", WORLD, answer.best.program) == answer.worlds
    nothing = parser.parse("no world", ["the man in red leaves"])
    assert nothing.best is None
    assert "notation of scene" in nothing.error


def test_a_folder_without_an_export_is_the_users_error(tmp_path: Path):
    with pytest.raises(UserError, match=str(tmp_path)):
        l2p.load(tmp_path)


def test_settings_that_are_not_there_are_the_users_error(tmp_path: Path):
    with pytest.raises(UserError, match="did you mean released/scene.gin"):
        l2p.train("released/scenes.gin", tmp_path / "run")
    with pytest.raises(UserError, match="holds no run"):
        l2p.export(tmp_path / "run", tmp_path / "exported")


def test_a_program_gives_the_world_after_each_command():
    program = "move(hasShirt(red), leftOf(hasShirt(yellow))); leave(hasShirt(red))"
    assert l2p.run("scene", WORLD, program) == (
        "1:__ 2:__ 3:__ 4:__ 5:r_ 6:yo 7:__ 8:__ 9:__ 10:__",
        "1:__ 2:__ 3:__ 4:__ 5:__ 6:yo 7:__ 8:__ 9:__ 10:__",
    )


def test_a_token_that_fails_is_named():
    with pytest.raises(LanguageError, match=r"token 2 \(hasShirt\) fails in command 1"):
        l2p.run("scene", WORLD, "leave(hasShirt(green))")
