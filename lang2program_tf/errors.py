"""The one exception that is meant for the person at the command line."""

from __future__ import annotations


class UserError(Exception):
    """Something the user can mend: its message says what is wrong, where, and what to do.

    Command lines print it as `error: MESSAGE` and exit with code 2; no traceback is shown.
    """
