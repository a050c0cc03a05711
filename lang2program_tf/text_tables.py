"""Tables as text: in columns, or as Markdown that reads well as plain text too."""

from __future__ import annotations

from collections.abc import Sequence


def text_table(lines: Sequence[Sequence[str]], *, left: int) -> str:
    """Cells in columns, two spaces apart.

    Args:
        lines: cells, the same number in each line; the head is the first line.
        left: how many columns are aligned left; the others are aligned right.
    """
    return "\n".join("  ".join(cells).rstrip() for cells in _padded(lines, left))


def markdown_table(head: Sequence[str], lines: Sequence[Sequence[object]], *, left: int = 1) -> str:
    """A table in Markdown.

    Args:
        head: the title of each column.
        lines: the cells below, as many in each line.
        left: how many columns are aligned left; the others are aligned right.
    """
    texts = _padded([head, *([str(cell) for cell in line] for line in lines)], left)
    rule = [
        "-" * len(cell) if column < left else "-" * (len(cell) - 1) + ":"
        for column, cell in enumerate(texts[0])
    ]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [texts[0], rule, *texts[1:]])


def _padded(lines: Sequence[Sequence[str]], left: int) -> list[list[str]]:
    """The cells, each as wide as the widest of its column."""
    widths = [max(map(len, column)) for column in zip(*lines)]
    return [
        [
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths))
        ]
        for line in lines
    ]
