from __future__ import annotations

from pathlib import Path

import pytest

import gin
from lang2program_tf.corpus.load import examples_of, load_examples
from lang2program_tf.corpus.scone import Line

ROW = "1:2 2:1 3:4 4:0 5:3"
GOOD = f"train-1\t{ROW}\tdelete the second object\t1:2 2:4 3:0 4:3"
LINES = [
    Line(f"train-{number}", ("1:2 2:1", "1:2", "1:2 2:1"), ("remove it", "bring it back"))
    for number in range(200)
]


def lines_of(examples) -> set[int]:
    return {example.line for example in examples}


@pytest.mark.parametrize("arguments", [{"split": "valid"}, {"split": "train", "form": "paper"}])
def test_an_unknown_split_or_form_is_named(arguments):
    with pytest.raises(ValueError, match="(split='valid'|form='paper') must be one of"):
        load_examples("scene", **arguments)


def test_gin_chooses_the_training_form(monkeypatch, tmp_path):
    (tmp_path / "scone").mkdir()
    (tmp_path / "scone" / "tangrams-train.tsv").write_text(f"{GOOD}\tundo\t{ROW}\n")
    monkeypatch.setenv("LANG2PROGRAM_DATA", str(tmp_path))
    with gin.unlock_config():
        gin.bind_parameter("load_examples.form", "substrings")
    try:
        assert len(load_examples("tangrams", split="train")) == 3
    finally:
        gin.clear_config()


@pytest.mark.parametrize("form", ["substrings", "turns"])
def test_dialogues_held_out_are_evaluated_on_and_not_trained_on(form):
    options = {"domain": "tangrams", "form": form, "holdout": 0.25}
    train = examples_of(LINES, split="train", **options)
    held = examples_of(LINES, split="holdout", **options)
    assert lines_of(train) | lines_of(held) == set(range(200))
    assert not lines_of(train) & lines_of(held)
    assert 30 < len(lines_of(held)) < 70
    assert sorted(e.id for e in held if e.line == held[0].line) == [
        f"{LINES[held[0].line].id}:1-{n}" for n in (1, 2)
    ]


def test_a_line_is_held_out_or_not_whatever_lines_are_beside_it():
    options = {"domain": "tangrams", "split": "holdout", "form": "turns", "holdout": 0.25}
    held = {example.id for example in examples_of(LINES, **options)}
    few = {example.id for example in examples_of(LINES[100:], **options)}
    assert few == {name for name in held if int(name[len("train-") :].split(":")[0]) >= 100}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"split": "holdout", "form": "turns"}, "split='holdout' has no lines with holdout=0"),
        ({"split": "train", "holdout": 0.1}, "holdout=0.1 must be 0 for form='orig'"),
        ({"split": "train", "holdout": 1.0}, "holdout=1.0 must be a share"),
    ],
)
def test_what_cannot_be_held_out_is_an_error(arguments, message):
    with pytest.raises(ValueError, match=message):
        load_examples("tangrams", **arguments)


@pytest.fixture
def scone(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the real files, which `load_examples` will read."""
    if not (data_dir / "scone").is_dir():
        pytest.skip(f"no SCONE in {data_dir}")
    monkeypatch.setenv("LANG2PROGRAM_DATA", str(data_dir))
    return data_dir / "scone"


@pytest.mark.parametrize(
    ("domain", "lines"), [("alchemy", 3657), ("scene", 3352), ("tangrams", 4189)]
)
def test_the_paper_form_has_nine_examples_a_line(scone, domain, lines):
    assert len(load_examples(domain, split="train", form="substrings")) == 9 * lines
