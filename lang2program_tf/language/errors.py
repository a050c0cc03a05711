"""Everything that can go wrong in the language, as typed errors that say why."""

from __future__ import annotations


class LanguageError(Exception):
    """Root of all errors of this package: catching it catches everything that can escape."""


class WorldError(LanguageError):
    """A text is not a world of the domain."""


class ProgramError(LanguageError):
    """A text is not a program: an unknown token or unbalanced brackets."""


class UnknownDomainError(LanguageError):
    """No domain has this name."""


class ExecutionError(LanguageError):
    """A token cannot run in this state. The state is unchanged."""


class StackUnderflowError(ExecutionError):
    """The token wants more values than the stack holds."""


class ValueTypeError(ExecutionError):
    """A value on the stack is not of the type that the token wants."""


class OutOfRangeError(ExecutionError):
    """An index, position or history reference points at nothing."""


class EmptyResultError(ExecutionError):
    """A property matches no object of the current world."""


class NotOneObjectError(ExecutionError):
    """One object is wanted, and the list holds none or several."""


class ActionError(ExecutionError):
    """The world does not allow this action on these arguments."""
