"""What drawings of worlds for the terminal are made of: pictures of a few lines, and paint."""

from __future__ import annotations

from typing import Mapping, Sequence, Tuple

RESET = "\x1b[0m"
# Background and foreground in the terminal's palette of 256.
Paint = Tuple[int, int]
PAINTS: Mapping[str, Paint] = {
    "r": (160, 15),
    "y": (226, 0),
    "g": (28, 15),
    "o": (208, 0),
    "p": (91, 15),
}

# Lines, top first, all of the same visible width.
Picture = Tuple[str, ...]


def paint(text: str, letter: str, paints: Mapping[str, Paint], *, ansi: bool) -> str:
    """The text in the color of a letter, if there is one and colors are wanted."""
    if not ansi or letter not in paints:
        return text
    background, foreground = paints[letter]
    return f"\x1b[48;5;{background};38;5;{foreground}m{text}{RESET}"


def side_by_side(pictures: Sequence[Picture]) -> str:
    """Pictures of equally many lines in a row."""
    return "\n".join(" ".join(row).rstrip() for row in zip(*pictures))
