from __future__ import annotations

import re

import pytest

from lang2program_tf.analysis.page import page
from lang2program_tf.analysis.report import analyze
from lang2program_tf.corpus.tokenizers import WhiteSpace
from lang2program_tf.language import get_domain
from lang2program_tf.learning.evaluation import Prediction
from tests.analysis.interactions import predictions
from tests.analysis.rows import four_lines


def write(found: list[Prediction], *, examples: int = 10, picture: str | None = None) -> str:
    analysis = analyze(
        get_domain("tangrams"),
        found,
        vocabulary=frozenset({"remove", "the"}),
        tokenizer=WhiteSpace(),
    )
    return page(analysis, subject="Run `mine`.", examples=examples, picture=picture)


def rows(text: str, first: str) -> list[list[str]]:
    """The rows of all tables whose first cell is `first`, without it."""
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()]
    return [row[1:] for row in cells if row and row[0] == first]


def test_tables_hold_the_numbers():
    text = write(four_lines())
    assert rows(text, "2") == [
        ["4", "25.0 %", "5 to 70 %", "2", "50.0 %", "9 to 91 %", "1"],
        ["3", "1", "1", "1"],
    ]
    assert rows(text, "remove")[0][:2] == ["4", "50.0 %"]
    assert rows(text, "place")[0][:2] == ["6", "50.0 %"]
    assert rows(text, "swap → remove") == [["1", "33.3 %"]]
    assert "`figure` 2" in text


def test_a_mistake_is_shown_with_its_worlds_and_sentences():
    text = write(four_lines())
    assert (
        "```\n"
        "earlier    remove the first figure\n"
        "world      1:1 2:2\n"
        "sentence   swap the last two\n"
        "predicted  remove(index(allObjects, 1))\n"
        "           1:2\n"
        "target     1:2 2:1\n"
        "```"
    ) in text


def test_a_place_that_no_step_reaches_has_no_accuracy():
    text = write([p for p in four_lines() if p.example.line == 2])
    assert rows(text, "3")[0] == ["1", "0.0 %", "0 to 79 %", "0", "–", "–", "0"]


def test_an_empty_row_is_shown_as_words():
    (found,) = predictions(
        "tangrams",
        worlds=["1:0 2:1", "1:1"],
        utterances=["remove the last"],
        commands=["allObjects 2 index remove"],
    )
    emptied = found._replace(example=found.example._replace(target=""))
    assert "target     (an empty row)" in write([emptied])


@pytest.mark.parametrize(("examples", "shown"), [(0, 0), (1, 1), (2, 2), (10, 3)])
def test_as_many_mistakes_are_shown_as_asked_for(examples, shown):
    assert write(four_lines(), examples=examples).count("\nsentence   ") == shown


def test_all_rows_of_a_table_are_of_the_same_width():
    for block in write(four_lines()).split("\n\n"):
        if block.startswith("|"):
            assert len({len(line) for line in block.splitlines()}) == 1


def test_the_picture_is_linked_only_if_there_is_one():
    assert "](mine.png)" in write(four_lines(), picture="mine.png")
    assert not re.search(r"!\[", write(four_lines()))


def test_a_page_about_a_parser_without_mistakes_can_be_written():
    text = write([p for p in four_lines() if p.example.line == 0])
    assert "nothing is lost" in text and "→" not in text
    assert rows(text, "3") == [
        ["1", "100.0 %", "21 to 100 %", "1", "100.0 %", "21 to 100 %", "0"],
        ["0", "0", "0", "0"],
    ]
