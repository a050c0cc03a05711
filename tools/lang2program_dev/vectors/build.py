"""Chooses the words of the shipped vector file and writes it."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from lang2program_dev.vectors.wink import WinkPackage
from lang2program_tf.corpus.glove import read_glove
from lang2program_tf.corpus.number_words import NUMBER_WORDS
from lang2program_tf.corpus.vector_file import Alias, read_vector_file, write_vector_file
from lang2program_tf.corpus.words import tokenize
from lang2program_tf.errors import UserError

# The package has no vectors for these, though GloVe does.
ALIASES: Mapping[str, str] = {"a": "an", **NUMBER_WORDS}


def read_ranks(path: Path) -> dict[str, int]:
    """The words of a list, plain or `.gz`, one a line, each with its line number from 0."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    words = data.decode("utf-8").rstrip("\n").split("\n")
    return {word: rank for rank, word in enumerate(words)}


def read_word_list(path: Path) -> set[str]:
    """The words of a text file; what follows `#` on a line is a comment."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return {word for line in lines for word in tokenize(line.split("#")[0])}


def read_corpus_words(path: Path) -> set[str]:
    """The words of a file in the SCONE format: identifier, then worlds and utterances in turn."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return {word for line in lines for text in line.split("\t")[2::2] for word in tokenize(text)}


def build_vector_file(
    output: Path,
    *,
    package: WinkPackage,
    ranks: Mapping[str, int],
    needed: Iterable[str],
    count: int,
) -> None:
    """Writes vectors of the needed words, then of the most frequent others.

    Args:
        output: the file to write.
        package: where vectors come from.
        ranks: the rank of every word in the GloVe file.
        needed: words to take if they have a vector.
        count: how many vectors to write.
    """
    available = package.words & ranks.keys()
    chosen = available & {*needed, *ALIASES.values()}
    if len(chosen) > count:
        raise UserError(f"{len(chosen)} words are needed, but only {count} may be written")
    frequent = sorted(available - chosen, key=ranks.__getitem__)
    words = sorted([*chosen, *frequent[: count - len(chosen)]], key=ranks.__getitem__)
    decimals = package.decimals(words)
    write_vector_file(
        output,
        words=words,
        ranks=[ranks[word] for word in words],
        decimals=[decimals[word] for word in words],
        aliases={word: Alias(source, ranks[word]) for word, source in ALIASES.items()},
    )


def count_verified(path: Path, *, glove: Path) -> int:
    """How many genuine vectors of a vector file are in a GloVe file.

    Raises:
        UserError: one of them differs.
    """
    ours = read_vector_file(path)
    theirs = read_glove(glove, limit=None)
    row_of = {word: row for row, word in enumerate(theirs.words)}
    verified = 0
    for word, vector in zip(ours.words, ours.vectors):
        if word in row_of and word not in ours.aliases:
            if not np.array_equal(vector, theirs.vectors[row_of[word]]):
                raise UserError(f"the vector of {word!r} in {path} is not the one in {glove}")
            verified += 1
    return verified
