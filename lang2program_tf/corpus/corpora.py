"""Corpora by name: SCONE, the embedded corpus, or a folder with files of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lang2program_tf.corpus.embedded.load import load_embedded
from lang2program_tf.corpus.load import load_examples
from lang2program_tf.corpus.scone import Example

SCONE, EMBEDDED = "scone", "embedded"
WHAT_THERE_IS = f"{SCONE}, {EMBEDDED} or a folder with files such as scene-train.tsv"


def is_corpus(corpus: str) -> bool:
    """Whether it is the name of a corpus, or of a folder that is there."""
    return corpus in (SCONE, EMBEDDED) or Path(corpus).expanduser().is_dir()


def load_corpus(corpus: str, domain: str, *, split: str, **options: Any) -> tuple[Example, ...]:
    """The examples of a split of a corpus.

    Args:
        corpus: `scone`, `embedded`, or a folder of files in SCONE's form.
        domain: `alchemy`, `scene` or `tangrams`.
        split: `train`, `holdout`, `dev` or `test`.
        **options: `form` and `holdout`, as `load_examples` and `load_embedded` take them.

    Raises:
        UserError: a file is missing or malformed.
    """
    if corpus == EMBEDDED:
        return load_embedded(domain, split=split, **options)
    folder = None if corpus == SCONE else Path(corpus).expanduser()
    return load_examples(domain, split=split, folder=folder, **options)
