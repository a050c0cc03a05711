"""Which dialogues of dev the parsers in exported/ get right, in shipped_answers.json.

To ask them all takes minutes: `python -m tests.shipped_answers` does it anew for new parsers, and
tests ask some of them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from lang2program_tf.analysis.predictors import ExportPredictor, load
from lang2program_tf.corpus.scone import Example
from lang2program_tf.files import write_atomically
from lang2program_tf.language import DOMAINS

EXPORTED = Path(__file__).parents[1] / "exported"
LENGTHS = (3, 5)  # numbers of utterances
_FILE = Path(__file__).with_suffix(".json")


def recorded(domain: str) -> dict[int, str]:
    """By number of utterances: a letter for each dialogue, 1 for those that are right."""
    found: dict[str, str] = json.loads(_FILE.read_text(encoding="ascii"))[domain]
    return {int(length): letters for length, letters in found.items()}


def dialogues(predictor: ExportPredictor, length: int) -> list[Example]:
    """All dialogues of dev, up to an utterance."""
    return [e for e in load(predictor, split="dev") if len(e.utterances) == length]


def ask(predictor: ExportPredictor, examples: Sequence[Example]) -> str:
    """A letter for each of some dialogues."""
    return "".join(str(int(p.correct)) for p in predictor.predict(examples))


def main() -> None:
    """Asks all of all parsers."""
    found = {}
    for domain in DOMAINS:
        predictor = ExportPredictor(EXPORTED / domain, batch_size=64)
        found[domain] = {length: ask(predictor, dialogues(predictor, length)) for length in LENGTHS}
    write_atomically(_FILE, json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
