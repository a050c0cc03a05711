"""Gets SCONE and GloVe: download, check, unpack; the data folder changes only when all is well."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import shutil
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import NamedTuple

from tqdm import tqdm

from lang2program_tf.corpus.archives import Archive
from lang2program_tf.corpus.download import DownloadError, Retry, download, partial_path
from lang2program_tf.errors import UserError
from lang2program_tf.files import put_in_place

_CHUNK = 1 << 20


class Fetched(NamedTuple):
    """What a fetch did.

    Attributes:
        folder: where the files are.
        files: names of the files unpacked; empty if all were there already.
        sha256: of the archive, in hex; empty if all files were there already.
    """

    folder: Path
    files: tuple[str, ...]
    sha256: str


def fetch(
    archive: Archive,
    *,
    root: Path,
    source: Path | None = None,
    url: str | None = None,
    sha256: str | None = None,
    force: bool = False,
    retry: Retry | None = None,
) -> Fetched:
    """Puts the files of `archive` into `root/NAME`.

    Args:
        archive: what to get.
        root: the data folder.
        source: an archive on disk, used instead of a download.
        url: where to download from, instead of the official address.
        sha256: what the archive must hash to, in hex, instead of the sums that are known. Without
            it a download must have the known ones; an archive on disk is the user's own.
        force: fetch although the files are there, and replace them.
        retry: how patient the download is.

    Raises:
        UserError: it could not be done; the files in `root/NAME` are as they were.
    """
    folder = root / archive.name
    if not force and all((folder / name).is_file() for name in archive.required):
        return Fetched(folder, (), "")
    try:
        with _work_folder(root, archive.name) as work:
            if source is None:
                path = work / archive.file_name
                _download(archive, url or archive.url, path, retry=retry)
            else:
                path = source
            trusted = archive if source is None and sha256 is None else _without_sums(archive)
            try:
                _check_size(path, expected=trusted.size)
                digest = _check_sha256(path, expected=sha256 or trusted.sha256)
                files = _unpack(path, trusted, work / "unpacked")
            except UserError:
                if source is None:  # or the next call would take the same bad bytes again
                    shutil.rmtree(work)
                raise
            _install(work / "unpacked", folder)
            shutil.rmtree(work)
            return Fetched(folder, files, digest)
    except OSError as error:
        raise UserError(f"cannot fetch {archive.name} into {root}: {error}") from error


@contextlib.contextmanager
def _work_folder(root: Path, name: str) -> Iterator[Path]:
    """A folder in the file system of `root`; only an unfinished download survives in it."""
    work = root / ".downloads" / name
    shutil.rmtree(work / "unpacked", ignore_errors=True)
    work.mkdir(parents=True, exist_ok=True)
    try:
        yield work
    finally:
        shutil.rmtree(work / "unpacked", ignore_errors=True)
        for folder in (work, work.parent):
            with contextlib.suppress(OSError):  # not empty: there is something to resume
                folder.rmdir()


def _download(archive: Archive, url: str, path: Path, *, retry: Retry | None) -> None:
    try:
        download(url, path, retry=retry, max_bytes=archive.max_bytes)
    except DownloadError as error:
        # After any other failure nothing has arrived, or nothing that was kept.
        again = "run the same command again to go on from what has arrived, or "
        raise UserError(
            f"cannot download {url}: {error}; {again if partial_path(path).exists() else ''}"
            f"get {archive.url} with a browser and run "
            f"`lang2program fetch {archive.name} --from {archive.file_name}`"
        ) from error


def _check_sha256(path: Path, *, expected: str | None) -> str:
    if not path.is_file():
        raise UserError(f"there is no file {path}")
    hasher = hashlib.sha256()
    with path.open("rb") as file, _bar(f"checking {path.name}", path.stat().st_size) as bar:
        while chunk := file.read(_CHUNK):
            hasher.update(chunk)
            bar.update(len(chunk))
    digest = hasher.hexdigest()
    if expected is not None:
        _compare(path.name, digest, expected)
    return digest


def _check_size(path: Path, *, expected: int | None) -> None:
    if expected is not None and path.stat().st_size != expected:
        raise UserError(
            f"{path.name} is refused: it has {path.stat().st_size:,} bytes, not {expected:,}"
        )


def _compare(name: str, digest: str, expected: str) -> None:
    if digest != expected.lower():
        raise UserError(
            f"{name} is refused: it has sha256 {digest}, not {expected.lower()}; if you know this "
            "archive and trust it, give its own sum with --sha256"
        )


def _without_sums(archive: Archive) -> Archive:
    return dataclasses.replace(archive, sha256=None, size=None, member_sha256={})


def _unpack(path: Path, archive: Archive, into: Path) -> tuple[str, ...]:
    """Unpacks the wanted members into a new folder; reading a member to its end checks its CRC."""
    try:
        with zipfile.ZipFile(path) as zipped:
            members = _wanted_members(zipped, archive, path.name)
            size = sum(member.file_size for member in members.values())
            if size > archive.max_bytes:
                raise UserError(
                    f"{path.name} is refused: unpacked it would take {size:,} bytes, and the "
                    f"{archive.name} archive never takes more than {archive.max_bytes:,}"
                )
            into.mkdir()
            with _bar(f"unpacking {path.name}", size) as bar:
                for name, member in members.items():
                    digest = _unpack_member(zipped, member, into / name, bar)
                    _compare(name, digest, archive.member_sha256.get(name, digest))
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise UserError(f"{path.name} is not a sound zip archive: {error}") from error
    return tuple(members)


def _unpack_member(
    zipped: zipfile.ZipFile, member: zipfile.ZipInfo, path: Path, bar: tqdm[None]
) -> str:
    """Unpacks one member, never more of it than the archive says; its SHA-256."""
    hasher = hashlib.sha256()
    with zipped.open(member) as packed, path.open("xb") as out:
        while chunk := packed.read(_CHUNK):
            out.write(chunk)
            hasher.update(chunk)
            bar.update(len(chunk))
    return hasher.hexdigest()


def _wanted_members(
    zipped: zipfile.ZipFile, archive: Archive, archive_name: str
) -> dict[str, zipfile.ZipInfo]:
    """The wanted members by base name, wherever in the archive they are."""
    found: dict[str, zipfile.ZipInfo] = {}
    for member in zipped.infolist():
        path = PurePosixPath(member.filename.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts or PureWindowsPath(path).drive:
            raise UserError(
                f"{archive_name} is refused: its member {member.filename!r} leads outside"
            )
        if path.name not in archive.required + archive.optional or member.is_dir():
            continue
        other = found.setdefault(path.name, member)
        if (other.CRC, other.file_size) != (member.CRC, member.file_size):
            raise UserError(
                f"{archive_name} is refused: {other.filename!r} and {member.filename!r} differ"
            )
    lacking = [name for name in archive.required if name not in found]
    if lacking:
        raise UserError(
            f"{archive_name} is not the {archive.name} archive: no {', '.join(lacking)}"
        )
    return found


def _install(unpacked: Path, folder: Path) -> None:
    """Moves whole files into place: the folder at once if it is new, else file by file."""
    if not folder.exists():
        put_in_place(unpacked, folder)
        return
    for path in sorted(unpacked.iterdir()):
        put_in_place(path, folder / path.name)


def _bar(text: str, total: int) -> tqdm[None]:
    return tqdm(desc=text, total=total, unit="B", unit_scale=True, unit_divisor=1024, leave=False)
