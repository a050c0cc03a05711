"""A dialogue on a stage seen in a mirror: left and right exchanged in worlds and in sentences.

What people say of a stage holds in its mirror image if they say left for right. So most dialogues
of scene stand for two, and a parser that learns from both cannot prefer one side by chance.
"""

from __future__ import annotations

import re

from lang2program_tf.corpus.scone import Line

_OTHER_SIDE = {
    "left": "right",
    "leftmost": "rightmost",
    "leftward": "rightward",
    "leftwards": "rightwards",
}
_OTHER_SIDE.update({right: left for left, right in tuple(_OTHER_SIDE.items())})
_SIDE = re.compile(rf"\b({'|'.join(_OTHER_SIDE)})\b", re.IGNORECASE)

# Whoever counts begins at the left, and would in the mirror too.
_COUNTS = r"\b(first|second|third|fourth|fifth|last|1st|2nd|3rd|4th|5th|clockwise)\b"
# "He left", "left the stage": he has gone. What one did is told after who did it.
_HAS_GONE = (
    r"\b(he|she|they|it|who|man|person|guy|woman|hat|shirt|has|had|have|then|and|was|is)\s+left\b"
    r"(?!\s+of\b)|\bleft\s+(the|them|him|her|stage|behind|over)\b"
)
# "Right next to": close by, on either side.
_CLOSE_BY = (
    r"\bright\s+(next|beside|besides|behind|after|before|away|back|where|there|in|near|up|now)\b"
)
_ONE_SIDED = re.compile("|".join((_COUNTS, _HAS_GONE, _CLOSE_BY)), re.IGNORECASE)


def mirror_image(line: Line) -> Line | None:
    """The line in the mirror; None if its sentences might mean something else there.

    Args:
        line: of scene.
    """
    if any(_ONE_SIDED.search(text) for text in line.utterances):
        return None
    return Line(
        f"{line.id}-mirrored",
        worlds=tuple(world and _mirrored_world(world) for world in line.worlds),
        utterances=tuple(_SIDE.sub(_other_side, text) for text in line.utterances),
    )


def _mirrored_world(world: str) -> str:
    people = [cell.partition(":")[2] for cell in world.split()]
    return " ".join(f"{place}:{who}" for place, who in enumerate(reversed(people), start=1))


def _other_side(found: re.Match[str]) -> str:
    return _OTHER_SIDE[found[0].lower()]
