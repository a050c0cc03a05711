"""Signals that ask a run to stop, noticed between two steps."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def stop_signals() -> Iterator[list[signal.Signals]]:
    """Within it SIGTERM and Ctrl-C are only put into the list; a second Ctrl-C breaks off."""
    received: list[signal.Signals] = []

    def note(number: int, _: object) -> None:
        if received and number == signal.SIGINT:
            raise KeyboardInterrupt
        received.append(signal.Signals(number))

    before = {number: signal.signal(number, note) for number in STOP_SIGNALS}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
