"""What gin complains of, as one line."""

from __future__ import annotations

import re

from lang2program_tf.errors import UserError

_CALLS = re.compile(r"\s*In call to configurable '(\w+)'.*", re.DOTALL)
_WHOLE_CONFIG = re.compile(r" in config string:.*", re.DOTALL)


def without_calls(message: str) -> str:
    """A message without the calls that gin adds to whatever is raised within its configurables."""
    return _CALLS.sub("", message)


def gin_error(error: Exception) -> UserError:
    """The error for the person who gave the settings."""
    message = _WHOLE_CONFIG.sub("", _CALLS.sub(r" (in \1)", str(error)))
    return UserError("gin settings: " + " ".join(message.split()))
