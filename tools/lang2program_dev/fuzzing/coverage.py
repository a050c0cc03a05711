"""Which outcomes of which tokens were reached, and which no program can reach."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lang2program_tf.language import MAX_STACK, Domain, Kind, Token
from lang2program_tf.machine.state import OUTCOMES
from lang2program_tf.text_tables import text_table

_ACTING = (Kind.ACTION, Kind.PREV_ACTION)
_LETTERS = "E fails, X pruned, F ends with values left over, T ends the program, U goes on"
_LAST_ARGUMENT = 2  # the most arguments that a command in the history has


def impossible_outcomes(domain: Domain, token: Token) -> dict[str, str]:
    """The outcomes that the rules of the language rule out, each with the reason.

    A search tries tokens from stacks of at most three values, and what follows is counted from
    that: the shortest action takes one value, so prevAction takes two at least.
    """
    if token.kind in _ACTING:
        return _impossible_for_action(domain, token)
    reasons = dict.fromkeys("FT", "only an action can end a program")
    if token.arity == 0:
        reasons["E"] = "it needs nothing from the stack or the world"
    else:
        reasons["X"] = "it pushes one value and pops at least one"
    if token.kind is Kind.PREV_ARG and int(token.value or 0) > _LAST_ARGUMENT:
        reasons["U"] = "no command has so many arguments"
    return reasons


def _impossible_for_action(domain: Domain, token: Token) -> dict[str, str]:
    if token.kind is Kind.PREV_ACTION:
        least = token.arity + min(action.arity for action in domain.action_tokens)
        return {"X": f"it pops {least} values at least, and may leave the rest"}
    if token.arity == MAX_STACK:
        return dict.fromkeys("XF", "it pops all that a stack can hold")
    return {}


class Coverage:
    """Counts outcomes of tokens.

    Attributes:
        domain: the domain.
        counts: [V, outcomes] int64, how often each token had each outcome.
    """

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self.counts: NDArray[np.int64] = np.zeros([len(domain.tokens), len(OUTCOMES)], np.int64)

    def add(self, outcomes: NDArray[np.int32]) -> None:
        """Counts [B, V] `OUTCOMES` indices."""
        for outcome in range(len(OUTCOMES)):
            self.counts[:, outcome] += (outcomes == outcome).sum(axis=0)

    def unreached(self) -> list[str]:
        """The pairs `token:letter` that are possible and were not seen."""
        return self._pairs(possible=True, seen=False)

    def contradictions(self) -> list[str]:
        """The pairs `token:letter` that are held to be impossible and were seen."""
        return self._pairs(possible=False, seen=True)

    def _pairs(self, *, possible: bool, seen: bool) -> list[str]:
        return [
            f"{token.name}:{letter}"
            for token, counts in zip(self.domain.tokens, self.counts)
            for letter, count in zip(OUTCOMES, counts)
            if (letter not in impossible_outcomes(self.domain, token)) == possible
            and bool(count) == seen
        ]

    def table(self) -> str:
        """The counts as a text; `-` stands for what is impossible."""
        rows = [["token", *OUTCOMES]]
        for token, counts in zip(self.domain.tokens, self.counts):
            excluded = impossible_outcomes(self.domain, token)
            cells = [
                "-" if letter in excluded and not count else f"{count:,}"
                for letter, count in zip(OUTCOMES, counts)
            ]
            rows.append([token.name, *cells])
        return f"{text_table(rows, left=1)}\n({_LETTERS}; - impossible)"

    def impossible_table(self) -> str:
        """Why the pairs marked `-` are impossible, tokens with the same reason together."""
        tokens_of: dict[tuple[str, str], list[str]] = {}
        for token in self.domain.tokens:
            excluded = impossible_outcomes(self.domain, token)
            for reason in dict.fromkeys(excluded.values()):
                letters = "".join(x for x in OUTCOMES if excluded.get(x) == reason)
                tokens_of.setdefault((letters, reason), []).append(token.name)
        return "\n".join(
            f"  {letters} of {' '.join(names)}: {reason}"
            for (letters, reason), names in tokens_of.items()
        )
