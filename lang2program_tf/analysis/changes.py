"""Which action leads from one world to the next, read off the worlds alone.

SCONE has the world after every utterance but no programs: what an utterance meant can only be seen
from what changed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

from lang2program_tf.language import Domain, World, commands_between
from lang2program_tf.language.between import stack_of
from lang2program_tf.language.values import Value, WorldObject

NOTHING = "nothing"
OTHER = "other"


class Change(NamedTuple):
    """The difference of two worlds.

    Attributes:
        kind: the paper's name of the action that makes it, `nothing` if the worlds are equal,
            `other` if no single action makes it.
        arguments: what the action was done to, by role, see `Domain.roles`; objects by their
            position before it, or as written if they had none.
    """

    kind: str
    arguments: Mapping[str, Any] = {}

    def differing_roles(self, other: Change) -> tuple[str, ...]:
        """The roles that two changes of the same kind fill with different things."""
        return tuple(
            role for role, thing in self.arguments.items() if other.arguments.get(role) != thing
        )


def change_between(domain: Domain, before: World, after: World) -> Change:
    """The change that leads from one world of the domain to another."""
    if before == after:
        return Change(NOTHING)
    commands = commands_between(domain, before, after)
    if not commands:
        return Change(OTHER)
    command = commands[0]  # the others differ in the order of what has the same role
    fillers = defaultdict(list)
    for role, value in zip(domain.roles[command.action], stack_of(domain, command)):
        fillers[role].append(_name(before, value))
    arguments = {
        role: names[0] if len(names) == 1 else tuple(sorted(names))
        for role, names in fillers.items()
    }
    return Change(command.action, arguments)


def _name(world: World, value: Value) -> Any:
    """What tells a value apart from others: objects their position, or their look without one."""
    if not isinstance(value, WorldObject):
        return value
    thing: Any = world.resolve(value)
    return thing.position or str(thing)
