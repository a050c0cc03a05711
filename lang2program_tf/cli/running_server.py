"""What commands have in common that run a server until they are told to stop."""

from __future__ import annotations

import importlib.util
import logging
import signal
import sys
import threading

from lang2program_tf.errors import UserError

_PACKAGES = ("aiohttp", "prometheus_client")


def need_serve_extra() -> None:
    """Raises UserError if the packages of the extra `serve` are not installed."""
    missing = [name for name in _PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        raise UserError(
            f"a server needs {' and '.join(missing)}; with Python 3.10 or later, "
            "`pip install 'lang2program_tf[serve]'`"
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
