from __future__ import annotations

from lang2program_tf.text_tables import markdown_table, text_table


def test_columns_are_as_wide_as_their_widest_cell_and_nothing_stands_behind_them():
    text = text_table([("part", "where", "ms"), ("search", "here", "1.2"), ("x", "", "")], left=2)
    assert text.splitlines() == ["part    where   ms", "search  here   1.2", "x"]


def test_a_markdown_table_says_how_columns_are_aligned_and_reads_as_text():
    text = markdown_table(("color", "n"), [("red", 7), ("yellow", 12)])
    assert text.splitlines() == [
        "| color  |  n |",
        "| ------ | -: |",
        "| red    |  7 |",
        "| yellow | 12 |",
    ]


def test_a_table_without_lines_is_its_head():
    assert markdown_table(("p", "program"), [], left=2) == "| p | program |\n| - | ------- |"
