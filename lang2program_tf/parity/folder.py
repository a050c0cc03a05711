"""A folder of recordings: what it holds, and what its models need, loaded once."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from lang2program_tf.corpus.words import WordVectors
from lang2program_tf.errors import UserError
from lang2program_tf.language import Domain, get_domain
from lang2program_tf.language.errors import UnknownDomainError
from lang2program_tf.model import Parser
from lang2program_tf.parity.beam_records import RecordSearch
from lang2program_tf.parity.model_records import original_parser
from lang2program_tf.parity.original_weights import (
    OriginalModel,
    assign_weights,
    parser_layout,
    read_model,
    read_npz,
    read_word_vectors,
)
from lang2program_tf.parity.recordings import reading


class RecordingsFolder:
    """Recordings of the original system.

    Models of the same shape share one Parser and one traced search, into which `load` puts their
    weights: building them takes longer than comparing.

    Attributes:
        path: the folder.
    """

    def __init__(self, path: Path) -> None:
        if not path.is_dir():
            raise UserError(f"{path}: no such folder of recordings")
        self.path = path
        self._shared: dict[tuple[Any, ...], tuple[Parser, RecordSearch]] = {}

    def names(self, start: str, end: str) -> list[str]:
        """What stands between `start` and `end` in the names of the files that have both."""
        files = (path.name for path in self.path.iterdir() if path.is_file())
        return sorted(
            name[len(start) : len(name) - len(end)]
            for name in files
            if name.startswith(start) and name.endswith(end) and len(name) > len(start) + len(end)
        )

    def file(self, name: str) -> Path:
        """A file that must be there."""
        path = self.path / name
        if not path.is_file():
            raise UserError(f"{path}: no such recording")
        return path

    @functools.cached_property
    def words(self) -> WordVectors:
        """The words of the model recordings."""
        return read_word_vectors(self.path)

    def load(self, name: str) -> tuple[OriginalModel, Parser, RecordSearch]:
        """A recorded model, a parser with its weights and a search with this parser.

        They keep these weights until the next one is loaded.
        """
        model = read_model(self.file(f"model.{name}.meta.json"))
        arrays = read_npz(self.file(f"weights.{name}.npz"))
        return model, *self.load_arrays(model, arrays)

    def load_arrays(
        self, model: OriginalModel, arrays: Mapping[str, NDArray[Any]]
    ) -> tuple[Parser, RecordSearch]:
        """A parser with these weights and a search with this parser, as by `load`."""
        shape = (model.domain.name, model.history, model.query_layers)
        if shape not in self._shared:
            with reading(model.path, "the shape of the model"):
                parser = original_parser(model, word_vectors=self.words)
            search = RecordSearch(model.domain.name, parser, words=self.words)
            self._shared[shape] = parser, search
        parser, search = self._shared[shape]
        assign_weights(parser, parser_layout(model, arrays))
        return parser, search


def domain_of(name: str) -> Domain:
    """The domain of a recording such as `scene.stack.step150`."""
    try:
        return get_domain(name.split(".")[0])
    except UnknownDomainError as error:
        raise UserError(f"recording {name!r}: {error}") from None
