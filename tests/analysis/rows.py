"""Four interactions of tangrams on one row of pieces, and what a parser makes of them."""

from __future__ import annotations

from lang2program_tf.learning.evaluation import Prediction
from tests.analysis.interactions import predictions

ROW = "1:0 2:1 3:2"
WITHOUT_FIRST = "1:1 2:2"
SWAPPED = "1:2 2:1"
FIRST = "allObjects 1 index"
SECOND = "allObjects 2 index"
LAST = "allObjects -1 index"
UTTERANCES = ("remove the first figure", "swap the last two", "undo it")
WORLDS = (ROW, WITHOUT_FIRST, SWAPPED, WITHOUT_FIRST)


def four_lines() -> list[Prediction]:
    """Predictions of all prefixes of four lines, which all have the same worlds.

    0. All is right.
    1. The second step is wrong: it removes a piece, and the third step adds it at a wrong place.
    2. The first step is wrong: it removes another piece.
    3. No program is found.
    """
    right = [f"{FIRST} remove", f"{FIRST} {SECOND} swap", f"{FIRST} {SECOND} -1 prevAction"]
    wrong_second = [right[0], f"{FIRST} remove", "-1 -1 prevArg1 add"]
    wrong_first = [f"{LAST} remove", f"{FIRST} {SECOND} swap", f"{FIRST} {SECOND} swap"]
    found: list[Prediction] = []
    for line, commands in enumerate([right, wrong_second, wrong_first, []]):
        found += predictions(
            "tangrams",
            worlds=WORLDS,
            utterances=UTTERANCES,
            commands=commands,
            line=line,
            log_prob=-0.1 * (line + 1),
            num_rewarded=int(line == 2),
        )
    return found
