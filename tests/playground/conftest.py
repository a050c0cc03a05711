"""A server with the parsers that ship, and a browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.playground.browser import Visitor, chromium

EXPORTED = Path(__file__).parents[2] / "exported"


@pytest.fixture(scope="session")
def shipped():
    """The parsers that ship, loaded."""
    from lang2program_tf.server.served_model import ServedModel

    names = ("alchemy", "scene", "tangrams")
    return [ServedModel.load(EXPORTED / name, warm_up=False) for name in names]


@pytest.fixture(scope="session")
def window(tmp_path_factory):
    """A browser for all tests."""
    with chromium(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


@pytest.fixture(scope="session")
def server(shipped):
    from lang2program_tf.server.limits import ServerLimits
    from lang2program_tf.server.server import Server

    # The first question to each parser takes seconds, and many more where others use the machine.
    with Server(shipped, grpc_port=None, limits=ServerLimits(timeout=300)) as running:
        yield running


@pytest.fixture
def visitor(window, server):
    """Somebody who has opened the page and finds no fault with it."""
    found = Visitor(window, f"http://127.0.0.1:{server.rest_port}/")
    window.get_log("browser")
    yield found
    assert not found.complaints()
