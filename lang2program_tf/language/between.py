"""Commands and the worlds around them: what a command does, and which command did what one sees."""

from __future__ import annotations

from typing import List, Tuple

from lang2program_tf.language.domain import Domain, World
from lang2program_tf.language.errors import ActionError, ExecutionError
from lang2program_tf.language.executor import UNKNOWN_COMMAND, Command, State
from lang2program_tf.language.values import Value


def perform(domain: Domain, state: State, command: Command) -> State:
    """The state after a command, whose arguments are as history keeps them."""
    if command == UNKNOWN_COMMAND:
        raise ActionError("nobody knows what an unknown command does")
    world, arguments = domain.actions[command.action](state.world, stack_of(domain, command))
    return State(world, (*state.history, Command(command.action, arguments)), state.stack)


def stack_of(domain: Domain, command: Command) -> List[Value]:
    """The values on the stack, the top last, from which an action makes this command."""
    operands = domain.operands.get(command.action)
    return list(command.arguments) if operands is None else operands(*command.arguments)


def commands_between(domain: Domain, world: World, next_world: World) -> Tuple[Command, ...]:
    """Every command that leads from one world to the next, with arguments as history keeps them.

    A swap is two commands, one for each order of its arguments. People are those of `world`; what
    `next_world` says of their hidden numbers does not count.
    """
    before = State(world)
    found = []
    for action, *arguments in domain.guess(world, next_world):
        command = Command(action, tuple(arguments))
        try:
            after = perform(domain, before, command)
        except ExecutionError:
            continue
        if after.world == next_world:
            found.append(after.history[-1])
    return tuple(found)
