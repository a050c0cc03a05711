"""What commands have in common that run a server until they are told to stop."""

from __future__ import annotations

import importlib.util
import logging
import signal
import sys
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tqdm import tqdm

from lang2program_tf.errors import UserError

if TYPE_CHECKING:
    from lang2program_tf.server.served_model import ServedModel

_PACKAGES = ("aiohttp", "prometheus_client")


def need_serve_extra() -> None:
    """Raises UserError if the packages of the extra `serve` are not installed."""
    missing = [name for name in _PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        raise UserError(
            f"a server needs {' and '.join(missing)}; with Python 3.10 or later, "
            "`pip install -e '.[serve]'`"
        )


def log_to_stderr() -> None:
    """Writes the server's log to standard error, a line an entry."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    log = logging.getLogger("lang2program.server")
    log.handlers = [handler]
    log.setLevel(logging.INFO)
    log.propagate = False


def stop_on_signals() -> threading.Event:
    """An event that the first SIGINT or SIGTERM sets; the second ends the process at once."""
    stop = threading.Event()

    def handle(number: int, frame: object) -> None:
        stop.set()
        signal.signal(number, signal.SIG_DFL)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, handle)
    return stop


def load_models(
    exports: Sequence[str], names: Sequence[str] | None, *, warm_up: bool
) -> list[ServedModel]:
    """The models to serve, each under its own name.

    Args:
        exports: folders of exported parsers.
        names: one for each, None for the names of their domains.
        warm_up: whether to play the requests that the exports bring along.

    Raises:
        UserError: there are not as many names as exports, or a name is there twice.
    """
    from lang2program_tf.server.served_model import ServedModel

    if names and len(names) != len(exports):
        raise UserError(
            f"--model_name is given {len(names)} times and --export {len(exports)} times; "
            "give a name for each or for none"
        )
    models = [
        ServedModel.load(export, name=names[number] if names else None, warm_up=warm_up)
        for number, export in enumerate(tqdm(exports, "loading", delay=1))
    ]
    for served in models:
        if sum(other.name == served.name for other in models) > 1:
            raise UserError(f"two models are called {served.name}; name them with --model_name")
    return models
