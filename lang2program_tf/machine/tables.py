"""What the machine knows of a domain's tokens without looking at a state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Callable

import numpy as np
from numpy.typing import NDArray

from lang2program_tf.language import MAX_STACK, Kind, Token
from lang2program_tf.machine import state as st

Ints = NDArray[np.int32]

_PUSHED_KINDS = {
    Kind.NUMBER: st.NUMBER,
    Kind.RELATION: st.NUMBER,
    Kind.COLOR: st.COLOR,
    Kind.FRACTION: st.FRACTION,
    Kind.INDEX: st.OBJECT,
    Kind.ALL_OBJECTS: st.LIST,
    Kind.PROPERTY: st.LIST,
    Kind.PREV_ARG: st.NUMBER,  # or an object
}
# The order of sorts. Each sort is one token, but for the constants, which share theirs.
_SORTED_KINDS = (Kind.ALL_OBJECTS, Kind.INDEX, Kind.PROPERTY, Kind.RELATION, Kind.PREV_ARG)
_ACTIONS = (Kind.ACTION, Kind.PREV_ACTION)
MAX_ARGUMENTS = 2  # of a command; scene has a token for a third, which always fails


@dataclass(frozen=True)
class TokenTables:
    """Tables over the V tokens, over D sorts of tokens that are not actions, over C actions.

    Attributes:
        names: the tokens of each kind by name, in the order of their ids.
        action_tokens: [C] the token ids of the actions, prevAction last.
        arities: [A + 1] how many values the domain's own actions pop, by their number from 1.
        row: [V] the place of a token among the D sorts and then the C actions.
        least: [D] tokens of a sort run if what they would push is greater than this.
        deepest: [D] the deepest stack that a sort may find, so that it leaves three values at most.
        num_failing: how many sorts at the end always fail.
        sort: [V] the sort of a token, 0 for actions.
        constant: [V] what a constant pushes, 0 for other tokens.
        kind: [V] the kind of what a token pushes, NONE for actions.
        is_list: [V] 1 for tokens that push a list.
        may_be_object: [V] 1 for tokens that push a number or an object.
        pops: [V] how many values a token pops, not counting those of an action.
        command: [V] the row of a token in `Options.commands`.
    """

    names: Mapping[Kind, tuple[str, ...]]
    action_tokens: Ints
    arities: Ints
    row: Ints
    least: Ints
    deepest: Ints
    num_failing: int
    sort: Ints
    constant: Ints
    kind: Ints
    is_list: Ints
    may_be_object: Ints
    pops: Ints
    command: Ints


def token_tables(tokens: Sequence[Token]) -> TokenTables:
    """The tables of a domain's tokens."""
    actions = [i for i, token in enumerate(tokens) if token.kind in _ACTIONS]
    sorted_tokens = [
        i for kind in _SORTED_KINDS for i, token in enumerate(tokens) if token.kind is kind
    ]
    sort = np.zeros(len(tokens), np.int32)
    sort[sorted_tokens] = np.arange(1, len(sorted_tokens) + 1)
    num_sorts = 1 + len(sorted_tokens)
    row = sort.copy()
    row[actions] = num_sorts + np.arange(len(actions))
    never_fails = [Kind.ALL_OBJECTS]
    arguments = [token for token in tokens if token.kind is Kind.PREV_ARG]

    def table(value_of: Callable[[Token], int]) -> Ints:
        return np.array([value_of(token) for token in tokens], np.int32)

    return TokenTables(
        names={kind: tuple(t.name for t in tokens if t.kind is kind) for kind in Kind},
        action_tokens=np.array(actions, np.int32),
        arities=np.array([0, *(t.arity for t in tokens if t.kind is Kind.ACTION)], np.int32),
        row=row,
        least=np.array([-1, *(-(tokens[i].kind in never_fails) for i in sorted_tokens)], np.int32),
        deepest=MAX_STACK - 1 + np.array([0, *(tokens[i].arity for i in sorted_tokens)], np.int32),
        num_failing=len(arguments) - MAX_ARGUMENTS,
        sort=sort,
        constant=table(_constant),
        kind=table(lambda token: _PUSHED_KINDS.get(token.kind, st.NONE)),
        is_list=table(lambda token: token.kind in (Kind.ALL_OBJECTS, Kind.PROPERTY)),
        may_be_object=table(lambda token: token.kind is Kind.PREV_ARG),
        pops=table(lambda token: 0 if token.kind is Kind.ACTION else token.arity),
        command=np.where(row >= num_sorts, row - num_sorts, len(actions)).astype(np.int32),
    )


def _constant(token: Token) -> int:
    """The int that a number, color or fraction token puts on the stack."""
    if token.kind is Kind.NUMBER:
        return int(token.value or 0)
    if token.kind is Kind.COLOR:
        return st.COLOR_LETTERS.index(str(token.value))
    return 1 if token.kind is Kind.FRACTION else 0
