"""All programs of one command that lead from a state to a world.

Nothing is tried blindly: the commands that lead there are few, so what each argument must be is
known, and so are all expressions by the value that they have.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import chain, product
from typing import Dict, Iterator, List, NamedTuple, Sequence, Tuple

from lang2program_tf.language.between import commands_between, stack_of
from lang2program_tf.language.continuations import MAX_STACK
from lang2program_tf.language.domain import Domain, World
from lang2program_tf.language.errors import ExecutionError
from lang2program_tf.language.executor import Command, State, evaluate, recall
from lang2program_tf.language.tokens import Kind
from lang2program_tf.language.values import ObjectList, Value

# The search of the paper gives up on a command after this many tokens.
MAX_TOKENS = 7


class FoundProgram(NamedTuple):
    """A program of one command.

    Attributes:
        tokens: the ids of its tokens, the indices in `domain.tokens`.
        command: what it performs.
    """

    tokens: Tuple[int, ...]
    command: Command


def programs_between(
    domain: Domain, start: State, target: World, *, max_tokens: int = MAX_TOKENS
) -> Tuple[FoundProgram, ...]:
    """All programs of one command from `start` to `target` that a search could find, but two sorts.

    Left out are those that say a thing in a roundabout way: with a number for `index`, `prevArg` or
    `prevAction` that is not written as such, or with an `index` into a list of one.

    Args:
        domain: the domain.
        start: the state before the command; its stack is empty.
        target: the world afterwards.
        max_tokens: how long programs may be.

    Returns:
        The programs, short ones first, and then by the ids of their tokens.
    """
    if start.stack:
        raise ValueError(f"start={start} must have an empty stack")
    expressions = _Expressions(domain, start)
    found = [
        FoundProgram(tokens, command)
        for command in commands_between(domain, start.world, target)
        for tokens in expressions.programs(command, max_tokens)
    ]
    return tuple(sorted(found, key=lambda program: (len(program.tokens), program.tokens)))


class _Expression(NamedTuple):
    tokens: Tuple[int, ...]
    depth: int  # how many values it has on the stack at most
    value: Value


class _Expressions:
    """All that can be said in a state, by its value."""

    def __init__(self, domain: Domain, state: State) -> None:
        self._domain = domain
        self._state = state
        self._by_value: Dict[Value, List[_Expression]] = defaultdict(list)
        self._numbers = self._say(Kind.NUMBER)
        self._say(Kind.FRACTION)
        colors = self._say(Kind.COLOR)
        lists = [*self._say(Kind.ALL_OBJECTS), *self._say(Kind.PROPERTY, colors, colors)]
        choices = [
            some for some in lists if isinstance(some.value, ObjectList) and len(some.value) > 1
        ]
        objects = [
            *lists,
            *self._say(Kind.INDEX, choices, self._numbers),
            *self._say(Kind.PREV_ARG, self._numbers),
        ]
        self._say(Kind.RELATION, objects)

    def _say(self, kind: Kind, *sources: Sequence[_Expression]) -> List[_Expression]:
        """Applies the tokens of a kind to all arguments; the last source is that of the top."""
        said = []
        for token in self._domain.tokens:
            if token.kind is not kind:
                continue
            for arguments in product(*sources[len(sources) - token.arity :]):
                try:
                    value = evaluate(
                        self._domain, self._state, token, [term.value for term in arguments]
                    )
                except ExecutionError:
                    continue
                said.append(_joined(arguments, self._domain.token_id(token), value))
        for expression in said:
            self._by_value[expression.value].append(expression)
        return said

    def programs(self, command: Command, max_tokens: int) -> Iterator[Tuple[int, ...]]:
        """The tokens of all programs that perform a command."""
        wanted = stack_of(self._domain, command)
        slots = [self._fitting(command, wanted, place) for place in range(len(wanted))]
        for ending in self._endings(command.action, len(wanted)):
            for terms in _choices(slots, max_tokens - len(ending)):
                yield tuple(chain(*(term.tokens for term in terms), ending))

    def _fitting(self, command: Command, wanted: Sequence[Value], place: int) -> List[_Expression]:
        """What may stand for an argument when the others are as they should be."""
        act = self._domain.actions[command.action]
        fitting: List[_Expression] = []
        for value, expressions in self._by_value.items():
            stack = [*wanted[:place], value, *wanted[place + 1 :]]
            try:
                _, arguments = act(self._state.world, stack)
            except ExecutionError:
                continue
            if arguments == command.arguments:
                fitting += [e for e in expressions if place + e.depth <= MAX_STACK]
        return fitting

    def _endings(self, action: str, num_arguments: int) -> Iterator[Tuple[int, ...]]:
        """The action itself, and every reference to an earlier command that was the same."""
        yield (self._domain.token_id(self._domain.token(action)),)
        if num_arguments + 1 > MAX_STACK:
            return
        again = self._domain.token_id(self._domain.token("prevAction"))
        for number in self._numbers:
            try:
                recalled = recall(self._state, number.value)
            except ExecutionError:
                continue
            if recalled.action == action:
                yield (*number.tokens, again)


def _joined(arguments: Sequence[_Expression], token: int, value: Value) -> _Expression:
    depths = [1, *(below + term.depth for below, term in enumerate(arguments))]
    tokens = chain(*(term.tokens for term in arguments), [token])
    return _Expression(tuple(tokens), max(depths), value)


def _choices(
    slots: Sequence[Sequence[_Expression]], room: int
) -> Iterator[Tuple[_Expression, ...]]:
    """An expression for each slot, in all ways that have no more tokens than there is room."""
    if not slots:
        yield ()
        return
    for first in slots[0]:
        rest = room - len(first.tokens)
        if rest >= len(slots) - 1:
            for others in _choices(slots[1:], rest):
                yield (first, *others)
