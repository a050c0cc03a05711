"""The program language of the three SCONE domains: standard library only, Python 3.8 and later."""

from lang2program_tf.language.between import commands_between, perform
from lang2program_tf.language.continuations import (
    MAX_STACK,
    Continuation,
    Outcome,
    continuation,
    continuations,
)
from lang2program_tf.language.domain import Domain, World
from lang2program_tf.language.domains import DOMAINS, get_domain
from lang2program_tf.language.errors import (
    ExecutionError,
    LanguageError,
    ProgramError,
    UnknownDomainError,
    WorldError,
)
from lang2program_tf.language.executor import (
    UNKNOWN_COMMAND,
    Command,
    State,
    execute,
    step,
    trace,
)
from lang2program_tf.language.infix import parse_program, to_infix
from lang2program_tf.language.programs import MAX_TOKENS, FoundProgram, programs_between
from lang2program_tf.language.tokens import Kind, Token

__all__ = [
    "DOMAINS",
    "MAX_STACK",
    "MAX_TOKENS",
    "UNKNOWN_COMMAND",
    "Command",
    "Continuation",
    "Domain",
    "ExecutionError",
    "FoundProgram",
    "Kind",
    "LanguageError",
    "Outcome",
    "ProgramError",
    "State",
    "Token",
    "UnknownDomainError",
    "World",
    "WorldError",
    "commands_between",
    "continuation",
    "continuations",
    "execute",
    "get_domain",
    "parse_program",
    "perform",
    "programs_between",
    "step",
    "to_infix",
    "trace",
]
