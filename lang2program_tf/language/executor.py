"""Runs programs: one token from a state, or a whole program on a world."""

from __future__ import annotations

from typing import Iterable, List, NamedTuple, Tuple, Union

from lang2program_tf.language.domain import Domain, World
from lang2program_tf.language.errors import OutOfRangeError
from lang2program_tf.language.tokens import Kind, Token
from lang2program_tf.language.values import (
    Color,
    Fraction,
    Value,
    WorldObject,
    as_list,
    as_number,
    pop,
)


class Command(NamedTuple):
    """A performed command.

    Attributes:
        action: the paper's name of the action.
        arguments: its argument values, objects as they were before the action.
    """

    action: str
    arguments: Tuple[Value, ...]


# Something happened, and nobody knows what: no program can refer to it.
UNKNOWN_COMMAND = Command("unknown", ())


class State(NamedTuple):
    """The state between two tokens of a program.

    Attributes:
        world: the world as it is now.
        history: the commands performed so far; its length is the utterance pointer.
        stack: the values on the stack, the top last.
    """

    world: World
    history: Tuple[Command, ...] = ()
    stack: Tuple[Value, ...] = ()

    @property
    def utterance(self) -> int:
        """How many utterances have been dealt with."""
        return len(self.history)


def step(domain: Domain, state: State, token: Union[Token, str]) -> State:
    """Runs one token. Raises an ExecutionError, and leaves `state` as it is, if it cannot run."""
    if not isinstance(token, Token):
        token = domain.token(token)
    stack = list(state.stack)
    if token.kind is Kind.ACTION:
        return _perform(domain, state, token.name, stack)
    if token.kind is Kind.PREV_ACTION:
        command = recall(state, pop(stack))
        return _perform(domain, state, command.action, stack)
    stack.append(evaluate(domain, state, token, stack))
    return State(state.world, state.history, tuple(stack))


def execute(domain: Domain, world: World, program: Iterable[Union[Token, str]]) -> State:
    """Runs a program from an empty stack and history."""
    state = State(world)
    for token in program:
        state = step(domain, state, token)
    return state


def trace(domain: Domain, world: World, program: Iterable[Union[Token, str]]) -> List[State]:
    """The state after every token of a program."""
    states = [State(world)]
    for token in program:
        states.append(step(domain, states[-1], token))
    return states[1:]


def evaluate(domain: Domain, state: State, token: Token, stack: List[Value]) -> Value:
    """The value that a token which is not an action pushes, taking its arguments off `stack`."""
    if token.kind is Kind.NUMBER:
        return int(token.value or 0)
    if token.kind is Kind.COLOR:
        return Color(token.value)
    if token.kind is Kind.FRACTION:
        return Fraction(token.value)
    if token.kind is Kind.ALL_OBJECTS:
        return state.world.objects
    if token.kind is Kind.INDEX:
        return _index(stack)
    if token.kind is Kind.PREV_ARG:
        return _previous_argument(state, pop(stack), int(token.value or 0))
    values = [pop(stack) for _ in range(token.arity)]
    return domain.properties[token.name](state.world, *reversed(values))


def recall(state: State, value: Value) -> Command:
    """The command of the history that a number means, counted from 1, or from −1 at the end."""
    number = as_number(value)
    length = len(state.history)
    if number == 0 or not -length <= number <= length:
        raise OutOfRangeError(f"there is no command {number}: {length} were performed")
    return state.history[number - 1 if number > 0 else number]


def _perform(domain: Domain, state: State, action: str, stack: List[Value]) -> State:
    if action == UNKNOWN_COMMAND.action:
        raise OutOfRangeError("nobody knows what that command was")
    world, arguments = domain.actions[action](state.world, stack)
    return State(world, (*state.history, Command(action, arguments)), tuple(stack))


def _index(stack: List[Value]) -> Value:
    number = as_number(pop(stack))
    objects = as_list(pop(stack))
    if number == 0 or not -len(objects) <= number <= len(objects):
        raise OutOfRangeError(f"there is no object {number} in a list of {len(objects)}")
    item: Value = objects[number - 1 if number > 0 else number]
    return item


def _previous_argument(state: State, value: Value, argument: int) -> Value:
    command = recall(state, value)
    if argument > len(command.arguments):
        raise OutOfRangeError(f"{command.action} has no argument {argument}")
    found = command.arguments[argument - 1]
    return state.world.resolve(found) if isinstance(found, WorldObject) else found
