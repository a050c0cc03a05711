from __future__ import annotations

from pathlib import Path

import pytest

from lang2program_tf.corpus.scone import (
    Line,
    orig_examples,
    prefixes,
    read_lines,
    select,
    substrings,
)
from lang2program_tf.errors import UserError

ROW = "1:2 2:1 3:4 4:0 5:3"
GOOD = f"train-1\t{ROW}\tdelete the second object\t1:2 2:4 3:0 4:3"
LINE = Line(
    "a",
    worlds=tuple(f"1:{shape}" for shape in "012340"),
    utterances=("one", "two", "three", "four", "five"),
    gold_programs=tuple((command,) for command in "vwxyz"),
)


@pytest.fixture
def tsv(tmp_path: Path):
    def write(content: str | bytes) -> Path:
        path = tmp_path / "tangrams.tsv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_a_line_is_an_id_and_worlds_between_utterances(tsv):
    assert read_lines(tsv(GOOD + "\n"), "tangrams") == (
        Line("train-1", (ROW, "1:2 2:4 3:0 4:3"), ("delete the second object",)),
    )


def test_the_last_line_needs_no_newline(tsv):
    assert read_lines(tsv(GOOD), "tangrams") == read_lines(tsv(GOOD + "\n"), "tangrams")


def test_windows_line_ends_are_read(tsv):
    assert read_lines(tsv(GOOD + "\r\n"), "tangrams") == read_lines(tsv(GOOD), "tangrams")


def test_a_question_mark_is_an_unknown_world(tsv):
    (line,) = read_lines(tsv(f"7\t{ROW}\tswap\t?\tundo\t{ROW}\n"), "tangrams")
    assert line.worlds == (ROW, None, ROW)


def test_an_empty_last_field_is_an_empty_row(tsv):
    (line,) = read_lines(tsv("7\t1:0\tremove it\t\n"), "tangrams")
    assert line.worlds == ("1:0", "")


@pytest.mark.parametrize(
    ("bad", "column", "complaint"),
    [
        (f"x\t{ROW}", 2, "ends after 2"),
        (f"x\t{ROW}\tswap", 3, "ends after 3"),
        (GOOD + "\tremove it", 5, "ends after 5"),
        ("", 1, "ends after 1"),
        (f"\t{ROW}\tswap\t{ROW}", 1, "no id"),
        (f"x\t1:9\tswap\t{ROW}", 2, "position 1 holds .9.; it may hold 0 or 1 or 2"),
        (f"x\t{ROW}\tswap\t1:0 3:1", 4, "position 2 should be"),
        (f"x\t{ROW}\t \t{ROW}", 3, "utterance is empty"),
        (f"x\t{ROW}\tswap ".encode() + b"\xff\t1:0", 3, "byte 6 is not UTF-8"),
    ],
)
def test_a_malformed_line_names_file_line_and_column(tsv, bad, column, complaint):
    bad = bad if isinstance(bad, bytes) else bad.encode()
    path = tsv(GOOD.encode() + b"\n" + bad + b"\n" + GOOD.encode() + b"\n")
    with pytest.raises(UserError, match=f"{path}, line 2, column {column}: .*{complaint}"):
        read_lines(path, "tangrams")


def test_an_alchemy_world_may_not_be_empty(tsv):
    with pytest.raises(UserError, match="column 2: not a world of alchemy"):
        read_lines(tsv("x\t\tpour\t"), "alchemy")


def test_an_empty_file_is_an_error(tsv):
    with pytest.raises(UserError, match="is empty"):
        read_lines(tsv(""), "tangrams")


def test_a_missing_file_is_an_error(tmp_path):
    with pytest.raises(UserError, match="cannot read .*nowhere.tsv"):
        read_lines(tmp_path / "nowhere.tsv", "scene")


def test_a_line_of_five_has_nine_substrings_of_length_one_and_two():
    examples = substrings([LINE])
    assert len(examples) == 9
    assert examples[3].utterances == ("four",)
    assert (examples[6].world, examples[6].target) == ("1:1", "1:3")
    assert examples[6].utterances == ("two", "three")
    assert examples[6].id == "a:2-3"
    assert examples[6].gold_programs == (("w",), ("x",))


def test_substrings_may_be_longer_than_the_papers():
    assert len(substrings([LINE], lengths=(1, 2, 3))) == 12
    with pytest.raises(ValueError, match=r"lengths=\(0, 1\) must be numbers from 1 to 5"):
        substrings([LINE], lengths=(0, 1))


def test_prefixes_begin_at_the_first_world():
    examples = prefixes([LINE, LINE], lengths=(3, 5))
    assert [(e.line, len(e.utterances), e.world, e.target) for e in examples] == [
        (0, 3, "1:0", "1:3"),
        (0, 5, "1:0", "1:0"),
        (1, 3, "1:0", "1:3"),
        (1, 5, "1:0", "1:0"),
    ]


def test_a_line_has_no_prefix_longer_than_itself():
    assert len(prefixes([LINE._replace(worlds=("", ""), utterances=("one",))])) == 1


def test_an_orig_line_is_one_example_whatever_stands_in_between():
    (example,) = orig_examples([Line("7", ("1:0", None, "1:1"), ("one", "two"))])
    assert (example.id, example.world, example.target) == ("7", "1:0", "1:1")
    assert example.gold_programs is None


@pytest.mark.parametrize(("worlds", "column"), [((None, ""), 2), (("", None), 4)])
def test_an_orig_line_needs_the_worlds_at_its_ends(worlds, column):
    with pytest.raises(UserError, match=f"line 1 .7., column {column}: the world is unknown"):
        orig_examples([Line("7", worlds, ("one",))])


def test_examples_are_selected_by_line_and_number_of_utterances():
    chosen = select(prefixes([LINE, LINE]), [(1, 4), (0, 2)])
    assert [(e.line, len(e.utterances)) for e in chosen] == [(1, 4), (0, 2)]
