"""Names for requests, and a line in the log for each that failed."""

from __future__ import annotations

import logging
import re
import secrets
import traceback

from lang2program_tf.serving.transport import ServingError

LOG = logging.getLogger("lang2program.server")
ID_HEADER = "X-Request-Id"
_ID = re.compile(r"[\w.:-]{1,64}", re.ASCII)
_OUR_FAULT = ("INTERNAL", "UNKNOWN")


def request_id(given: str | None) -> str:
    """The client's own name for its request if it is a sane one, else a new one."""
    return given if given and _ID.fullmatch(given) else secrets.token_hex(8)


def failure(identifier: str, what: str, error: Exception) -> ServingError:
    """Logs a request that failed, in one line; what its client is told.

    Args:
        identifier: the request's.
        what: protocol, method and address of the request.
        error: why.
    """
    if not isinstance(error, ServingError):
        LOG.error("id=%s %s INTERNAL: %s", identifier, one_line(what), describe(error))
        return ServingError("INTERNAL", f"internal error; the server's log has it as {identifier}")
    level = logging.ERROR if error.code in _OUR_FAULT else logging.WARNING
    cause = f" ({describe(error.__cause__)})" if error.__cause__ else ""
    LOG.log(level, "id=%s %s %s%s", identifier, one_line(what), one_line(str(error)), cause)
    return error


def describe(error: BaseException) -> str:
    """An unexpected exception in one line: kind, message, and where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" at {frames[-1].filename}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}: {one_line(str(error))}{where}"


def one_line(text: str, *, length: int = 300) -> str:
    """A text of others, cut off and without anything that moves a terminal's cursor."""
    cut = text if len(text) <= length else text[:length] + "…"
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in cut)
