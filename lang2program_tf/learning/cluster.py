"""The processes that share a run, as TF_CONFIG names them; needs no TensorFlow."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from lang2program_tf.errors import UserError

_CONFIG = "TF_CONFIG"
_ANSWER_SECONDS = 2.0


class Place(NamedTuple):
    """One process among those of TF_CONFIG.

    Attributes:
        rank: its number, from 0; 0 is the chief.
        addresses: of all, by rank.
    """

    rank: int
    addresses: tuple[str, ...]

    def silent(self) -> list[str]:
        """Those of the others that do not answer."""
        return [
            f"worker {rank} ({address})"
            for rank, address in enumerate(self.addresses)
            if rank != self.rank and not _answers(address)
        ]

    def waited(self, seconds: float) -> str:
        """What to say after so long a time without a word from the others."""
        silent = self.silent()
        who = f"{', '.join(silent)} did not come" if silent else "they do not go on"
        return (
            f"waited {seconds:.0f} seconds for other workers: {who}. What was saved is still "
            "there; when all are started again, the run goes on from it"
        )

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Within it whoever tries can connect to the port of this process."""
        address = self.addresses[self.rank]
        port = int(address.rpartition(":")[2])
        both = socket.has_dualstack_ipv6()
        family = socket.AF_INET6 if both else socket.AF_INET
        try:
            with socket.create_server(("", port), family=family, dualstack_ipv6=both):
                yield
        except OSError as error:
            raise UserError(f"cannot listen at {address}, as TF_CONFIG says: {error}") from error


def tf_config(addresses: Sequence[str], index: int) -> str:
    """The TF_CONFIG of one of the workers at these addresses, each of them `host:port`."""
    task = {"type": "worker", "index": index}
    return json.dumps({"cluster": {"worker": list(addresses)}, "task": task})


def own_place() -> Place:
    """What TF_CONFIG says of this process; without it, it is alone."""
    text = os.environ.get(_CONFIG)
    if not text:
        return Place(0, ("",))
    try:
        config = json.loads(text)
        cluster, task = config["cluster"], config["task"]
        addresses = [*cluster.get("chief", []), *cluster["worker"]]
        before = len(cluster.get("chief", [])) if task["type"] == "worker" else 0
        rank = before + int(task["index"])
        known = task["type"] in ("chief", "worker") and bool(addresses[rank])
    except (ValueError, KeyError, TypeError, AttributeError, IndexError):
        known = False
    if not known:
        example = tf_config(["a:2222", "b:2222"], 0)
        raise UserError(
            f"{_CONFIG}={text!r} must name the workers and this one of them, such as {example}"
        )
    return Place(rank, tuple(addresses))


def _answers(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host, int(port)), timeout=_ANSWER_SECONDS):
            return True
    except (OSError, ValueError):
        return False
