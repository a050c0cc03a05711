"""One exported parser for all tests that want one."""

from __future__ import annotations

from pathlib import Path

from lang2program_tf.corpus.tokenizers import KnownForms
from lang2program_tf.language import get_domain
from lang2program_tf.serving.exporter import export_parser
from lang2program_tf.serving.settings import ExportSettings, Origin
from tests.serving import parsers

SETTINGS = ExportSettings(beam_size=12, top_k=3, rows_per_step=16)
ORIGIN = Origin(config="Parser.history = ('stack',)", step=150, data_fingerprint="abc")
TOKENIZER = KnownForms(parsers.words().vocabulary, seen={"leaves": 20, "yellow": 10, "green": 9})


def export_scene(folder: Path) -> None:
    """Writes version 1 of a parser of scene."""
    export_parser(
        parsers.parser("scene"),
        parsers.words(),
        folder,
        domain=get_domain("scene"),
        tokenizer=TOKENIZER,
        settings=SETTINGS,
        origin=ORIGIN,
    )
