from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lang2program_tf.corpus import programs
from lang2program_tf.corpus.embedded.load import load_embedded
from lang2program_tf.corpus.programs import list_programs, load_programs
from lang2program_tf.errors import UserError
from lang2program_tf.language import commands_between, get_domain, step

DOMAINS = ("alchemy", "scene", "tangrams")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "lang2program" / "programs"


def some_turns(domain: str, lines: int = 4):
    return load_embedded(domain, split="train", form="turns", train_lines=lines)


def assert_same(memory, other) -> None:
    for array, expected in zip(memory, other):
        np.testing.assert_array_equal(array, expected)


@pytest.mark.parametrize("name", DOMAINS)
def test_every_program_leads_from_its_turn_to_the_target(name):
    domain, examples = get_domain(name), some_turns(name)
    memory = list_programs(domain, examples)
    assert memory.tokens.dtype == np.int8
    assert memory.tokens.shape[1] == 7
    for example, first, stop in zip(examples, memory.offsets, memory.offsets[1:]):
        target = domain.parse_world(example.target)
        candidates = commands_between(domain, example.start.world, target)
        assert stop > first
        for row, command in zip(memory.tokens[first:stop], memory.commands[first:stop]):
            state = example.start
            for token in row[row >= 0]:
                state = step(domain, state, domain.tokens[token])
            assert state.world == target
            assert state.history[-1] == candidates[command]


@pytest.mark.parametrize("name", DOMAINS)
def test_the_gold_program_is_among_them_unless_it_is_too_long(name):
    domain, examples = get_domain(name), some_turns(name, lines=10)
    memory = list_programs(domain, examples)
    found = 0
    for example, first, stop in zip(examples, memory.offsets, memory.offsets[1:]):
        gold = [domain.token_id(domain.token(token)) for token in example.gold_programs[-1]]
        found += (
            len(gold) <= 7
            and [*gold, *[-1] * (7 - len(gold))] in memory.tokens[first:stop].tolist()
        )
    assert found >= 0.9 * len(examples)


def test_a_memory_is_listed_once_and_then_read(cache, monkeypatch):
    domain, examples = get_domain("tangrams"), some_turns("tangrams")
    memory = load_programs(domain, examples)
    assert len(list(cache.iterdir())) == 1
    monkeypatch.setattr(programs, "programs_between", None)
    assert_same(load_programs(domain, examples), memory)


@pytest.mark.parametrize("content", [b"", b"nonsense", b"PK\x03\x04 and no more"])
def test_a_damaged_file_is_made_anew(cache, content):
    domain, examples = get_domain("tangrams"), some_turns("tangrams")
    memory = load_programs(domain, examples)
    (path,) = cache.iterdir()
    whole = path.read_bytes()
    path.write_bytes(content or whole[: len(whole) // 2])
    assert_same(load_programs(domain, examples), memory)
    assert path.read_bytes() == whole


def test_other_turns_and_another_history_have_a_file_of_their_own(cache):
    domain, examples = get_domain("scene"), some_turns("scene")
    load_programs(domain, examples)
    load_programs(domain, examples[:-1])
    forgetful = examples[-1].start._replace(history=examples[-1].start.history[:1] * 4)
    load_programs(domain, (*examples[:-1], examples[-1]._replace(start=forgetful)))
    assert len(list(cache.iterdir())) == 3


def test_another_language_has_a_file_of_its_own(cache, monkeypatch, tmp_path):
    domain, examples = get_domain("scene"), some_turns("scene", lines=1)
    load_programs(domain, examples)
    (tmp_path / "language").mkdir()
    (tmp_path / "language" / "scene.py").write_text("# other rules\n")
    monkeypatch.setattr(
        "lang2program_tf.language.__file__", str(tmp_path / "language" / "__init__.py")
    )
    load_programs(domain, examples)
    assert len(list(cache.iterdir())) == 2


def test_several_processes_list_the_same_in_the_same_order(monkeypatch):
    domain, examples = get_domain("tangrams"), some_turns("tangrams", lines=30)
    alone = list_programs(domain, examples)
    monkeypatch.setattr(programs, "WORTH_A_PROCESS", 50)
    monkeypatch.setattr(programs, "CHUNK", 7)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    assert_same(list_programs(domain, examples), alone)


def test_a_turn_without_programs_has_none():
    example = some_turns("tangrams")[0]._replace(world="1:2 2:0 3:1", target="1:2", start=None)
    memory = list_programs(get_domain("tangrams"), [example, example])
    assert memory.counts.tolist() == [0, 0]
    assert memory.tokens.shape == (0, 7)


def test_an_example_of_two_commands_is_refused():
    (example, *_) = load_embedded("tangrams", split="dev", dev_lines=1)
    with pytest.raises(ValueError, match=f"example {example.id} must be of one command"):
        list_programs(
            get_domain("tangrams"), [example._replace(utterances=("swap", "swap", "swap"))]
        )


def test_a_cache_that_cannot_be_written_is_named(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(UserError, match="cannot make the folder .*programs: Not a directory"):
        load_programs(get_domain("tangrams"), some_turns("tangrams", lines=1))
