"""Writes a parser as a SavedModel that does the whole job, and beside it what a server wants."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

import tensorflow as tf
from tqdm import tqdm

from lang2program_tf.corpus.seen_words import FILE as SEEN_WORDS
from lang2program_tf.corpus.seen_words import seen_words_text
from lang2program_tf.corpus.tokenizers import KnownForms, Tokenizer
from lang2program_tf.corpus.words import WordVectors
from lang2program_tf.errors import UserError
from lang2program_tf.language import Domain
from lang2program_tf.model.committee import Committee
from lang2program_tf.model.parser import Parser
from lang2program_tf.serving.executor_bundle import NAME as EXECUTOR
from lang2program_tf.serving.executor_bundle import write_executor
from lang2program_tf.serving.exported_parser import ExportedParser
from lang2program_tf.serving.server_files import write_server_files
from lang2program_tf.serving.settings import ExportSettings, Origin
from lang2program_tf.serving.versions import new_version
from lang2program_tf.serving.warmup import write_warmup


def export_parser(
    parser: Parser | Committee,
    words: WordVectors,
    export_dir: str | os.PathLike[str],
    *,
    domain: Domain,
    tokenizer: Tokenizer,
    settings: ExportSettings | None = None,
    origin: Origin | None = None,
) -> Path:
    """Writes the next version of an exported parser.

    Args:
        parser: the parser, or several as one.
        words: the vocabulary that it was made with.
        export_dir: gets a folder with the next free number, complete at the moment it appears.
        domain: of the parser.
        tokenizer: that it was trained with.
        settings: what is fixed by exporting; `ExportSettings()` by default.
        origin: where the weights came from, for the signature `metadata`.

    Returns:
        The folder of the new version.

    Raises:
        UserError: the weights are not finite, or nothing can be written there.
    """
    settings = settings or ExportSettings()
    _check(parser, words)
    with tqdm(total=4, desc=f"exporting {domain.name}", unit=" steps", delay=1) as bar:
        with new_version(export_dir) as version:
            sources = version.folder / "sources"
            assets = _assets(domain, words, tokenizer)
            module = ExportedParser(
                parser,
                domain=domain,
                settings=settings,
                origin=origin or Origin(),
                words=words,
                tokenizer=tokenizer,
                assets=[_write(sources / name, text) for name, text in assets.items()],
            )
            bar.update()
            signatures = module.signatures()
            bar.update()
            tf.saved_model.save(module, str(version.folder), signatures=signatures)
            shutil.rmtree(sources)  # the SavedModel holds copies
            bar.update()
            write_warmup(version.folder, domain.name, settings)
            write_executor(version.folder / EXECUTOR)
            write_server_files(Path(export_dir), domain.name, settings)
        bar.update()
    assert version.published is not None
    return version.published


def _check(parser: Parser | Committee, words: WordVectors) -> None:
    if parser.num_words != len(words):
        raise ValueError(
            f"words has {len(words)} words, and the parser was made with {parser.num_words}"
        )
    name = parser.first_non_finite_variable()
    if name is not None:
        raise UserError(f"variable {name} holds NaN or infinity; export an earlier checkpoint")


def _assets(domain: Domain, words: WordVectors, tokenizer: Tokenizer) -> dict[str, str]:
    """Files for people to read, and to make the same words in Python."""
    assets = {
        "words.txt": _lines(words.words),
        "tokens.txt": _lines(token.name for token in domain.tokens),
    }
    if isinstance(tokenizer, KnownForms):
        assets[SEEN_WORDS] = seen_words_text(tokenizer.seen)
    return assets


def _lines(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode())
    return path
