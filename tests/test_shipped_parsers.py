"""The parsers in exported/: whole, small, and as good as their card says."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from lang2program_tf.cli.main import main

EXPORTED = Path(__file__).parents[1] / "exported"
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
    accuracy: dict[str, float]


def card(domain: str) -> Card:
    row = re.search(
        rf"^\| `{domain}/2` \| `gin/(\S+)` \|.* \| ([\d.]+) % \| ([\d.]+) % \|$", CARD, re.MULTILINE
    )
    assert row, f"the card has no row for {domain}"
    return Card(row[1], {"3": float(row[2]), "5": float(row[3])})


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_parser_comes_with_its_executor_and_is_small(domain: str):
    files = [path for path in (EXPORTED / domain / "2").rglob("*") if path.is_file()]
    assert {"saved_model.pb", "executor.pyz"} <= {path.name for path in files}
    assert sum(path.stat().st_size for path in files) < 15 * MEGABYTE


@pytest.mark.slow
@pytest.mark.parametrize("domain", DOMAINS)
def test_a_parser_understands_plain_sentences(domain: str, capsys: pytest.CaptureFixture[str]):
    world, utterances, expected = REQUESTS[domain]
    export = str(EXPORTED / domain)
    assert main(["parse", "--export", export, "--world", world, "--json", *utterances]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["worlds"][-1] == expected


@pytest.mark.slow
@pytest.mark.usefixtures("data_dir")
@pytest.mark.parametrize("domain", DOMAINS)
def test_the_card_tells_the_accuracy(domain: str, capsys: pytest.CaptureFixture[str]):
    assert main(["evaluate", "--export", str(EXPORTED / domain), "--batch_size", "64"]) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    for utterances, percent in card(domain).accuracy.items():
        assert 100 * found["accuracy"][utterances] == pytest.approx(percent, abs=0.051)


@pytest.mark.parametrize("domain", DOMAINS)
def test_nothing_fetched_is_inside(domain: str):
    """All words of a parser are among those that ship with the package."""
    from lang2program_tf.corpus.words import load_word_vectors

    words = (
        (EXPORTED / domain / "2" / "assets" / "words.txt").read_text(encoding="utf-8").split("\n")
    )
    shipped = load_word_vectors("shipped")
    assert set(filter(None, words)) <= set(shipped.words)
