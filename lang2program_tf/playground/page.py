"""The files of the page, as answers to HTTP requests."""

from __future__ import annotations

import html
import mimetypes
from collections.abc import Sequence
from importlib import resources

from aiohttp import web

_DEFAULT_MODELS = 'content="alchemy scene tangrams"'
_HEADERS = {
    # Nothing from elsewhere, so that a page from a server without a network is whole.
    "Content-Security-Policy": "default-src 'self'; frame-ancestors 'self'",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-cache",
}
_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


class Page:
    """The page at `/`, and what belongs to it below `/playground/`."""

    def __init__(self, models: Sequence[str]) -> None:
        """Reads all files.

        Args:
            models: names of the models that the page offers.
        """
        self._files: dict[str, tuple[bytes, str]] = {}
        for file in resources.files("lang2program_tf.playground").joinpath("static").iterdir():
            suffix = "." + file.name.rpartition(".")[2]
            kind = _TYPES.get(suffix) or mimetypes.guess_type(file.name)[0] or "text/plain"
            self._files[f"/playground/{file.name}"] = (file.read_bytes(), kind)
        index, kind = self._files.pop("/playground/index.html")
        names = f'content="{html.escape(" ".join(models))}"'
        self._files["/"] = (index.decode().replace(_DEFAULT_MODELS, names).encode(), kind)

    def find(self, path: str) -> web.Response | None:
        """The file at an address, None if there is none."""
        if path not in self._files:
            return None
        body, kind = self._files[path]
        return web.Response(body=body, content_type=kind, charset="utf-8", headers=_HEADERS)
