"""Downloads one file over HTTP: resumes what was cut off, and retries what may pass by itself."""

from __future__ import annotations

import http.client
import json
import re
import socket
import ssl
import sys
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from http.client import HTTPMessage
from pathlib import Path
from typing import IO, NamedTuple
from urllib.parse import urlsplit

from tqdm import tqdm

from lang2program_tf import __version__
from lang2program_tf.files import put_in_place

_TRANSIENT_STATUS = frozenset({408, 425, 429, 500, 502, 503, 504})
_RANGE_NOT_SATISFIABLE = 416
_CHUNK = 1 << 16


@dataclass(frozen=True)
class Retry:
    """How patient a download is.

    Attributes:
        tries: failures in a row, with no byte gained, before it gives up.
        wait: seconds before the second try; doubled before each further one.
        timeout: seconds without an answer that count as a failure.
    """

    tries: int = 5
    wait: float = 1.0
    timeout: float = 30.0


class DownloadError(Exception):
    """The file cannot be had; the message gives the reason."""


class _TransientError(Exception):
    """A failure that may pass by itself."""


class _Origin(NamedTuple):
    """What the bytes of a partial file are bytes of.

    Attributes:
        url: where they come from.
        validator: strong ETag or date by which the server tells whether its file is still the same.
        length: bytes of the whole file, if the server said so.
    """

    url: str
    validator: str | None
    length: int | None


def partial_path(target: Path) -> Path:
    """Where the bytes are that have arrived of a file."""
    return target.with_name(f"{target.name}.part")


class _PartialFile:
    """`TARGET.part`, the bytes that have arrived, and `TARGET.part.json`, their origin."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self.path = partial_path(target)
        self._origin_path = target.with_name(f"{target.name}.part.json")

    def origin(self) -> _Origin | None:
        try:
            return _Origin(**json.loads(self._origin_path.read_text(encoding="utf-8")))
        except (FileNotFoundError, ValueError, TypeError):
            return None  # nothing to resume, or not written by us: the download begins anew

    def size(self) -> int:
        return self.path.stat().st_size if self.path.exists() else 0

    def restart(self, origin: _Origin) -> None:
        # In this order: at no moment does an origin stand beside bytes that are not its own.
        self.discard()
        self.path.touch()
        self._origin_path.write_text(json.dumps(origin._asdict()), encoding="utf-8")

    def discard(self) -> None:
        self._origin_path.unlink(missing_ok=True)
        self.path.unlink(missing_ok=True)

    def finish(self) -> None:
        """Moves the bytes to the target; the origin stays, to know the target by."""
        put_in_place(self.path, self._target)

    def is_finished(self, url: str) -> bool:
        origin = self.origin()
        return self._target.is_file() and origin is not None and origin.url == url


class _StayOnTheWeb(urllib.request.HTTPRedirectHandler):
    """Follows no redirection to another protocol, nor from https back to http."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        before, after = urlsplit(req.full_url).scheme, urlsplit(newurl).scheme
        if after not in ("http", "https") or (before, after) == ("https", "http"):
            raise DownloadError(f"it leads from {before} to {newurl}, which is not followed")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


_OPENER = urllib.request.build_opener(_StayOnTheWeb)


def download(url: str, target: Path, *, max_bytes: int, retry: Retry | None = None) -> None:
    """Downloads `url` to `target`; a call that failed or was interrupted is resumed by the next.

    Args:
        url: an http or https address.
        target: where the whole file goes; what has arrived stands beside it as `TARGET.part`.
        max_bytes: a longer file is refused, and nothing of it kept.
        retry: how patient to be.

    Raises:
        DownloadError: the server cannot be reached, has no such file or too long a one, leads
            elsewhere than to http or https, or keeps failing.
    """
    if urlsplit(url).scheme not in ("http", "https"):
        raise DownloadError(f"{url!r} is not an http or https address")
    retry = retry or Retry()
    partial = _PartialFile(target)
    if partial.is_finished(url):
        return
    most, failures = partial.size(), 0
    while True:
        try:
            _transfer(url, partial, max_bytes=max_bytes, timeout=retry.timeout)
        except _TransientError as error:
            # Only bytes never reached before are a gain: else a server that cuts off never ends it.
            failures = 1 if partial.size() > most else failures + 1
            most = max(most, partial.size())
            if failures >= retry.tries:
                raise DownloadError(str(error)) from error
            wait = retry.wait * 2 ** (failures - 1)
            print(f"{error}; trying again in {wait:g} s", file=sys.stderr)
            time.sleep(wait)
        else:
            partial.finish()
            return


def _transfer(url: str, partial: _PartialFile, *, max_bytes: int, timeout: float) -> None:
    """One request for what is missing; returns when the partial file is whole."""
    origin = partial.origin()
    offset = partial.size()
    if origin is None or origin.url != url or origin.validator is None:
        origin, offset = None, 0
    if origin is not None and offset == origin.length:
        return
    headers = {"User-Agent": f"lang2program_tf/{__version__}", "Accept-Encoding": "identity"}
    if origin is not None and origin.validator is not None and offset > 0:
        headers.update({"Range": f"bytes={offset}-", "If-Range": origin.validator})
    try:
        request = urllib.request.Request(url, headers=headers)
        with _OPENER.open(request, timeout=timeout) as response:
            if origin is None or response.status != http.HTTPStatus.PARTIAL_CONTENT:
                origin = _origin_of(url, response)
                partial.restart(origin)
            elif not _continues(response, offset=offset, length=origin.length):
                partial.discard()
                raise _TransientError("the server sent another part than asked for")
            _copy(response, partial, length=origin.length, max_bytes=max_bytes)
    except urllib.error.HTTPError as error:
        if error.code == _RANGE_NOT_SATISFIABLE:
            partial.discard()
        elif error.code not in _TRANSIENT_STATUS:
            raise DownloadError(f"the server answers {error.code} {error.reason}") from error
        raise _TransientError(f"the server answers {error.code} {error.reason}") from error
    except urllib.error.URLError as error:
        if isinstance(error.reason, ssl.SSLCertVerificationError):
            raise DownloadError(
                f"the server's certificate is not trusted: {error.reason}"
            ) from error
        raise _TransientError(f"cannot connect: {error.reason}") from error
    except (socket.timeout, TimeoutError) as error:
        raise _TransientError(f"no answer for {timeout:g} s") from error
    except (http.client.HTTPException, ConnectionError, ssl.SSLError) as error:
        raise _TransientError(f"the connection broke: {error!r}") from error


def _origin_of(url: str, response: http.client.HTTPResponse) -> _Origin:
    etag, length = response.headers.get("ETag"), response.headers.get("Content-Length")
    # RFC 9110, 13.1.5: a weak tag may not be used to join parts.
    strong = etag if etag and not etag.startswith("W/") else None
    return _Origin(
        url=url,
        validator=strong or response.headers.get("Last-Modified"),
        length=int(length) if length and length.isdigit() else None,
    )


def _continues(response: http.client.HTTPResponse, *, offset: int, length: int | None) -> bool:
    """Whether a 206 answer is the part from `offset` on, of a file of the same length."""
    found = re.fullmatch(
        r"bytes (\d+)-\d+/(\d+|\*)", response.headers.get("Content-Range", "").strip()
    )
    if not found or int(found[1]) != offset:
        return False
    return length is None or found[2] in (str(length), "*")


def _copy(
    response: http.client.HTTPResponse,
    partial: _PartialFile,
    *,
    length: int | None,
    max_bytes: int,
) -> None:
    _refuse_more_than(max_bytes, length or 0, partial)
    name = partial.path.name[: -len(".part")]
    with (
        partial.path.open("ab") as out,
        tqdm(
            desc=name,
            total=length,
            initial=out.tell(),
            unit="B",
            unit_scale=True,
            unit_divisor=1024,
        ) as bar,
    ):
        while chunk := response.read(_CHUNK):
            _refuse_more_than(max_bytes, out.tell() + len(chunk), partial)
            out.write(chunk)
            bar.update(len(chunk))
    if length is not None and partial.size() != length:
        raise _TransientError(f"the connection closed after {partial.size()} of {length} bytes")


def _refuse_more_than(max_bytes: int, size: int, partial: _PartialFile) -> None:
    if size > max_bytes:
        partial.discard()
        raise DownloadError(f"the file is longer than {max_bytes:,} bytes")
