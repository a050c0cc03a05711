"""Which tokens may follow a prefix: what a search keeps and why it drops the rest."""

from __future__ import annotations

import enum
from typing import NamedTuple, Optional, Tuple

from lang2program_tf.language.domain import Domain
from lang2program_tf.language.errors import ExecutionError
from lang2program_tf.language.executor import State, step
from lang2program_tf.language.tokens import Kind, Token

MAX_STACK = 3


class Outcome(enum.Enum):
    """What becomes of a continuation; the values are the letters used in recordings."""

    FAILS = "E"
    PRUNED = "X"
    LEFTOVER = "F"
    TERMINATES = "T"
    CONTINUES = "U"

    @property
    def survives(self) -> bool:
        """Whether a search keeps the continuation."""
        return self in (Outcome.TERMINATES, Outcome.CONTINUES)


class Continuation(NamedTuple):
    """A prefix and one more token.

    Attributes:
        token: the token.
        outcome: what becomes of it.
        state: the state after the token, unless it fails.
    """

    token: Token
    outcome: Outcome
    state: Optional[State]


def continuation(
    domain: Domain, state: State, token: Token, *, num_utterances: int
) -> Continuation:
    """Extends a live prefix by one token; a complete program has no continuation that survives."""
    if state.utterance >= num_utterances:
        return Continuation(token, Outcome.PRUNED, None)
    try:
        after = step(domain, state, token)
    except ExecutionError:
        return Continuation(token, Outcome.FAILS, None)
    if after.utterance == num_utterances:
        outcome = Outcome.LEFTOVER if after.stack else Outcome.TERMINATES
    elif len(after.stack) > MAX_STACK or (token.kind is Kind.ACTION and after.stack):
        # prevAction may leave values behind: so it was in the original.
        outcome = Outcome.PRUNED
    else:
        outcome = Outcome.CONTINUES
    return Continuation(token, outcome, after)


def continuations(domain: Domain, state: State, *, num_utterances: int) -> Tuple[Continuation, ...]:
    """Every token tried from a live prefix, in the order of `domain.tokens`."""
    return tuple(
        continuation(domain, state, token, num_utterances=num_utterances) for token in domain.tokens
    )
