"""The parsers in exported/: whole, small, and as good as their card says."""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest

from lang2program_tf.analysis.predictors import ExportPredictor
from lang2program_tf.corpus.scone import Example
from tests import shipped_answers
from tests.shipped_answers import EXPORTED

SAMPLE = 6  # of so many dialogues one is asked anew
CARD = (EXPORTED / "README.md").read_text(encoding="utf-8")
MEGABYTE = 1_000_000

REQUESTS = {
    "alchemy": (
        "1:oooy 2:_ 3:ppp 4:g 5:_ 6:rr 7:y",
        [
            "throw out two units of the first beaker",
            "pour the last beaker into the third one",
            "mix it",
        ],
        "1:oo 2:_ 3:bbbb 4:g 5:_ 6:rr 7:_",
    ),
    "scene": (
        "1:__ 2:__ 3:r_ 4:__ 5:__ 6:yo 7:__ 8:__ 9:__ 10:__",
        ["the man in red moves to the left of the man in yellow", "the man in red leaves"],
        "1:__ 2:__ 3:__ 4:__ 5:__ 6:yo 7:__ 8:__ 9:__ 10:__",
    ),
    "tangrams": (
        "1:2 2:1 3:4 4:0 5:3",
        ["remove the second figure", "swap the first and the last one"],
        "1:3 2:4 3:0 4:2",
    ),
}
DOMAINS = sorted(REQUESTS)


class Card(NamedTuple):
    """A row of the card.

    Attributes:
        gin_file: the settings of the run.
        accuracy: on dev in percent, by number of utterances.
    """

    gin_file: str
    accuracy: dict[int, float]


def card(domain: str) -> Card:
    row = re.search(
        rf"^\| `{domain}/2` \| `gin/(\S+)` \|.* \| ([\d.]+) % \| ([\d.]+) % \|$", CARD, re.MULTILINE
    )
    assert row, f"the card has no row for {domain}"
    return Card(row[1], {3: float(row[2]), 5: float(row[3])})


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_parser_comes_with_its_executor_and_is_small(domain: str):
    files = [path for path in (EXPORTED / domain / "2").rglob("*") if path.is_file()]
    assert {"saved_model.pb", "executor.pyz"} <= {path.name for path in files}
    assert sum(path.stat().st_size for path in files) < 15 * MEGABYTE


@pytest.mark.parametrize("domain", DOMAINS)
def test_the_card_tells_the_accuracy(domain: str):
    for utterances, percent in card(domain).accuracy.items():
        answers = shipped_answers.recorded(domain)[utterances]
        assert 100 * answers.count("1") / len(answers) == pytest.approx(percent, abs=0.051)


@pytest.fixture(scope="module", params=DOMAINS)
def predictor(request) -> ExportPredictor:
    return ExportPredictor(EXPORTED / request.param, batch_size=64)


@pytest.mark.slow
def test_a_parser_understands_plain_sentences(predictor: ExportPredictor):
    world, utterances, expected = REQUESTS[predictor.domain.name]
    (answer,) = predictor.predict([Example("", world, tuple(utterances), expected, line=0)])
    assert answer.world == expected


@pytest.mark.slow
@pytest.mark.usefixtures("data_dir")
@pytest.mark.parametrize("length", shipped_answers.LENGTHS)
def test_answers_are_those_that_are_recorded(predictor: ExportPredictor, length: int):
    recorded = shipped_answers.recorded(predictor.domain.name)[length]
    dialogues = shipped_answers.dialogues(predictor, length)
    assert len(dialogues) == len(recorded)
    some = slice(length, None, SAMPLE)
    assert shipped_answers.ask(predictor, dialogues[some]) == recorded[some], (
        "other answers: if there are new parsers, run `python -m tests.shipped_answers`"
    )


@pytest.mark.parametrize("domain", DOMAINS)
def test_nothing_fetched_is_inside(domain: str):
    """All words of a parser are among those that ship with the package."""
    from lang2program_tf.corpus.words import load_word_vectors

    words = (
        (EXPORTED / domain / "2" / "assets" / "words.txt").read_text(encoding="utf-8").split("\n")
    )
    shipped = load_word_vectors("shipped")
    assert set(filter(None, words)) <= set(shipped.words)
