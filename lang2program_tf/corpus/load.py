"""The examples of a split: in which form, and which dialogues are held out."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path

import gin
from lang2program_tf.corpus.data_dir import scone_file
from lang2program_tf.corpus.order import original_order
from lang2program_tf.corpus.scone import (
    Example,
    Line,
    orig_examples,
    prefixes,
    read_lines,
    substrings,
)
from lang2program_tf.corpus.turns import turns

SPLITS = ("train", "holdout", "dev", "test")
FORMS = ("orig", "substrings", "turns")


@gin.configurable
def load_examples(
    domain: str,
    *,
    split: str,
    form: str = "orig",
    holdout: float = 0.0,
    folder: Path | None = None,
) -> tuple[Example, ...]:
    """Examples of the real data, or of other files in its form, in the original's order.

    Args:
        domain: the name of a domain.
        split: `train`, `holdout`, `dev` or `test`.
        form: of training examples: `orig`, the lines of `DOMAIN-train-orig.tsv`, as the released
            code does; `substrings` of the lines of `DOMAIN-train.tsv`, as the paper says; or
            `turns`, every sentence of these lines in its context.
        holdout: the share of the training lines that are not for training, but make up a split.
        folder: of the files; default: `scone` in the data folder.

    Raises:
        UserError: a file is missing or malformed.
    """
    check_form(split=split, form=form, holdout=holdout)
    name = "train" if split == "holdout" else split
    if (split, form) == ("train", "orig"):
        name = "train-orig"
    lines = read_lines(scone_file(domain, name, folder=folder), domain)
    return examples_of(lines, domain=domain, split=split, form=form, holdout=holdout)


def examples_of(
    lines: Sequence[Line], *, domain: str, split: str, form: str, holdout: float = 0.0
) -> tuple[Example, ...]:
    """The examples that a split's lines stand for, in the original's order; turns line by line.

    Args:
        lines: of `train-orig` for the training form `orig`, of `train` for the split `holdout`,
            else of the split itself.
        domain: whose lines they are.
        split: `train`, or one that is evaluated on prefixes: `holdout`, `dev`, `test`.
        form: of training examples, `orig` (the released code's), `substrings` (the paper's),
            `turns`.
        holdout: the share of the training lines that is the split `holdout`.
    """
    if split in ("dev", "test"):
        return original_order(prefixes(lines))
    held = {number for number, line in enumerate(lines) if is_held_out(line, share=holdout)}
    if split == "holdout":
        return original_order([example for example in prefixes(lines) if example.line in held])
    if form == "turns":
        return tuple(e for e in turns(lines, domain=domain) if e.line not in held)
    examples = orig_examples(lines) if form == "orig" else substrings(lines)
    return original_order([example for example in examples if example.line not in held])


def is_held_out(line: Line, *, share: float) -> bool:
    """Whether a line is among this share of all lines: its id alone decides."""
    return zlib.crc32(line.id.encode()) < share * 2**32


def check_form(*, split: str, form: str, holdout: float) -> None:
    """Raises a ValueError unless `examples_of` knows split and form, and can hold lines out."""
    if split not in SPLITS:
        raise ValueError(f"split={split!r} must be one of {', '.join(SPLITS)}")
    if form not in FORMS:
        raise ValueError(f"form={form!r} must be one of {', '.join(FORMS)}")
    if not 0 <= holdout < 1:
        raise ValueError(f"holdout={holdout} must be a share, from 0 up to less than 1")
    if holdout and form == "orig":
        raise ValueError(
            f"holdout={holdout} must be 0 for form='orig', whose lines are parts of dialogues"
        )
    if split == "holdout" and not holdout:
        raise ValueError("split='holdout' has no lines with holdout=0")
