"""Where the data lies, `scone/` and `glove/` in one folder, and where results are kept."""

from __future__ import annotations

import os
from pathlib import Path

from lang2program_tf.errors import UserError

# In the order of preference; the last is a cut of the 20,000 most frequent words.
_GLOVE_FILES = (
    "glove.6B.100d.txt",
    "glove.6B.100d.txt.gz",
    "glove.6B.100d.zip",
    "glove.6B.zip",
    "glove.6B.100d.top20k.txt.gz",
)


def data_dir() -> Path:
    """The folder that LANG2PROGRAM_DATA names, else `~/.cache/lang2program`."""
    value = os.environ.get("LANG2PROGRAM_DATA")
    return Path(value).expanduser() if value else Path.home() / ".cache" / "lang2program"


def cache_dir() -> Path:
    """The folder for what can be made again: `lang2program` in XDG_CACHE_HOME or `~/.cache`."""
    value = os.environ.get("XDG_CACHE_HOME")
    return (Path(value) if value else Path.home() / ".cache") / "lang2program"


def scone_file(domain: str, split: str, *, folder: Path | None = None) -> Path:
    """A file of SCONE, or one like it.

    Args:
        domain: the name of a domain.
        split: `train`, `train-orig`, `dev` or `test`.
        folder: where it is; default: where SCONE is.

    Raises:
        UserError: it is not there.
    """
    path = (folder or data_dir() / "scone") / f"{domain}-{split}.tsv"
    if path.is_file():
        return path
    if folder is None:
        raise _missing(path, "scone")
    hint = ""
    if split == "train-orig":
        hint = f'; the forms "substrings" and "turns" (Task.form) read {domain}-train.tsv instead'
    raise UserError(f"no {path}{hint}")


def glove_file() -> Path:
    """The 100-dimensional GloVe vectors: plain text, `.gz`, or a `.zip` that holds the text.

    Raises:
        UserError: there is none.
    """
    folder = data_dir() / "glove"
    for name in _GLOVE_FILES:
        if (folder / name).is_file():
            return folder / name
    raise _missing(folder / _GLOVE_FILES[0], "glove")


def _missing(path: Path, archive: str) -> UserError:
    return UserError(
        f"no {path}; `lang2program fetch {archive}` gets it,"
        " or set LANG2PROGRAM_DATA to the folder that holds it"
    )
