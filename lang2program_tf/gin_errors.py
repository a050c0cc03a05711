"""What gin complains of, as one line."""

from __future__ import annotations

import logging
import re
import tokenize
from collections.abc import Iterator
from contextlib import contextmanager

from lang2program_tf.errors import UserError

_CALLS = re.compile(r"\s*In call to configurable '(\w+)'.*", re.DOTALL)
_MISTAKES = (
    ValueError,
    OSError,
    SyntaxError,
    tokenize.TokenError,  # a bracket that is never closed
    ImportError,
    AttributeError,
    RecursionError,
)
_WHOLE_CONFIG = re.compile(r" in config string:.*", re.DOTALL)


def without_calls(message: str) -> str:
    """A message without the calls that gin adds to whatever is raised within its configurables."""
    return _CALLS.sub("", message)


@contextmanager
def reading_gin(source: str = "") -> Iterator[None]:
    """Within it gin reads settings; a mistake in them is a UserError that names their source."""
    logging.disable(logging.ERROR)  # gin complains of each place where it does not find an include
    try:
        yield
    except _MISTAKES as error:
        raise gin_error(error, source) from error
    finally:
        logging.disable(logging.NOTSET)


def gin_error(error: Exception, source: str = "") -> UserError:
    """The error for the person who gave the settings, in `source` if it was a file."""
    if isinstance(error, RecursionError):
        return UserError(f"gin settings{_in(source)}: a file includes itself")
    if isinstance(error, tokenize.TokenError):
        what, (line, _) = error.args
        return UserError(f"gin settings{_in(source)}: {what}, line {line}")
    message = _WHOLE_CONFIG.sub("", _CALLS.sub(r" (in \1)", str(error)))
    return UserError(f"gin settings{_in(source)}: {' '.join(message.split())}")


def _in(source: str) -> str:
    return f" in {source}" if source else ""
