"""The embedded corpus: train, dev and test lines that have nothing in common."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tqdm import tqdm

from lang2program_tf.corpus.embedded.generator import GRAMMARS, generate_line
from lang2program_tf.corpus.gold import seen_from
from lang2program_tf.corpus.scone import Line

# Each split avoids what is in those before it, so that test and dev do not depend on the size of
# train, and the first lines of a larger train are those of a smaller one.
SPLITS = ("test", "dev", "train")


@dataclass(frozen=True)
class Sizes:
    """How many lines each split has."""

    train: int = 1000
    dev: int = 150
    test: int = 150

    def __post_init__(self) -> None:
        for split in SPLITS:
            if self.of(split) < 1:
                raise ValueError(f"{split} must be at least 1, got {self.of(split)}")

    def of(self, split: str) -> int:
        """The size of the split called `split`."""
        return {"train": self.train, "dev": self.dev, "test": self.test}[split]


def generate_splits(
    domain: str, *, seed: int = 0, sizes: Sizes | None = None, until: str = "train"
) -> dict[str, tuple[Line, ...]]:
    """Generates the splits in the order of `SPLITS`, up to and with `until`.

    No world occurs with the same next utterance in two splits, so neither does any example.
    """
    sizes = sizes or Sizes()
    taken: set[tuple[str | None, str]] = set()
    splits: dict[str, tuple[Line, ...]] = {}
    for split in SPLITS[: SPLITS.index(until) + 1]:
        rng = random.Random(f"{domain}/{split}/{seed}")
        fresh = _fresh_lines(domain, split, rng, taken)
        bar = tqdm(range(sizes.of(split)), f"generating {domain}-{split}", unit=" lines", delay=1)
        splits[split] = tuple(next(fresh) for _ in bar)
        taken.update(pair for line in splits[split] for pair in _pairs(line))
    return splits


def _fresh_lines(
    domain: str, split: str, rng: random.Random, taken: set[tuple[str | None, str]]
) -> Iterator[Line]:
    number = 0
    while True:
        line = generate_line(domain, rng, f"{split}-{number}")
        if taken.isdisjoint(_pairs(line)):
            yield line
            number += 1


def _pairs(line: Line) -> Iterable[tuple[str | None, str]]:
    """The worlds with what is said in them; two lines with a common example have a common pair."""
    return zip(line.worlds, line.utterances)


def orig_lines(domain: str, lines: Iterable[Line]) -> tuple[Line, ...]:
    """Lines of one or two utterances cut out of lines of five, as in the -train-orig files."""
    lines = tuple(lines)
    return tuple(
        _cut(line, start, start + length)
        for wanted in (1, 2)
        for line in lines
        for start, length in GRAMMARS[domain].orig_parts
        if length == wanted
    )


def _cut(line: Line, start: int, stop: int) -> Line:
    unknown = (None,) * (stop - start - 1)
    return Line(
        line.id,
        worlds=(line.worlds[start], *unknown, line.worlds[stop]),
        utterances=line.utterances[start:stop],
        gold_programs=line.gold_programs and seen_from(line.gold_programs[:stop], start),
    )
