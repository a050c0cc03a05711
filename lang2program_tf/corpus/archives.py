"""The archives that can be fetched: where they are, what is wanted of them, their sums."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

_DOMAINS = ("alchemy", "scene", "tangrams")
_MB = 10**6


@dataclass(frozen=True)
class Archive:
    """A zip archive and what is wanted of it.

    Attributes:
        name: the user's name for it, and its folder in the data folder.
        url: the official address.
        required: base names of members without which the archive is not the right one.
        max_bytes: a longer archive, or one whose wanted members are longer in all, is refused.
        optional: base names of members that are unpacked if there.
        sha256: of the archive; None if nobody has told it.
        size: bytes of the archive; None if nobody has told it.
        member_sha256: by base name, of members of an archive whose own sum nobody has told.
    """

    name: str
    url: str
    required: tuple[str, ...]
    max_bytes: int
    optional: tuple[str, ...] = ()
    sha256: str | None = None
    size: int | None = None
    member_sha256: Mapping[str, str] = field(default_factory=dict)

    @property
    def file_name(self) -> str:
        """The archive's own file name."""
        return PurePosixPath(self.url).name


SCONE = Archive(
    name="scone",
    url="https://nlp.stanford.edu/projects/scone/scone.zip",
    required=tuple(f"{d}-{split}.tsv" for d in _DOMAINS for split in ("train", "dev")),
    optional=tuple(f"{d}-{split}.tsv" for d in _DOMAINS for split in ("train-orig", "test")),
    max_bytes=100 * _MB,
    member_sha256={
        "alchemy-train.tsv": "b1776726eda49d9e315ed99bafef651b5e4d575645687ca16c8c2acc6f5b9723",
        "alchemy-dev.tsv": "c87e33835eb6a3bbc9243adaf372045a7528bc0762083c1da0b7a5579b9cedbf",
        "scene-train.tsv": "56e57d3a5df58b0380123cec079dc5506afd521e40d569e34aa84a06696ac879",
        "scene-dev.tsv": "22cd56727fa57d0344c637fe6f884e204af2c7b32377b736d64b46fbd34cd9ee",
        "tangrams-train.tsv": "6aeaae20891d15e1685e35ab318727f9968fa171237b898670aaa113891e27c3",
        "tangrams-dev.tsv": "6fad2b56d534930bc596d8999582e49a54058303a7fed2e38f8ac38ca5d376a9",
    },
)
GLOVE = Archive(
    name="glove",
    url="https://nlp.stanford.edu/data/glove.6B.zip",
    required=("glove.6B.100d.txt",),
    max_bytes=1_000 * _MB,
    sha256="617afb2fe6cbd085c235baf7a465b96f4112bd7f7ccb2b2cbd649fed9cbcf2fb",
    size=862_182_613,
)
ARCHIVES = {archive.name: archive for archive in (SCONE, GLOVE)}
