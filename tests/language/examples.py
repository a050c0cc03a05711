"""Short ways to write a world and to run a program in example tests."""

from __future__ import annotations

from lang2program_tf.language import State, execute, get_domain
from lang2program_tf.language.values import show_value


def beakers(**contents: str) -> str:
    """`beakers(_1="gg")`: an alchemy world, empty but for these."""
    return " ".join(f"{i}:{contents.get(f'_{i}', '_')}" for i in range(1, 8))


def stage(**people: str) -> str:
    """`stage(_3="r_")`: a scene, empty but for these people."""
    return " ".join(f"{i}:{people.get(f'_{i}', '__')}" for i in range(1, 11))


def run(domain_name: str, world: str, program: str) -> State:
    """The state after a postfix program."""
    domain = get_domain(domain_name)
    return execute(domain, domain.parse_world(world), program.split())


def shown(values) -> list[str]:
    """Stack values or arguments as texts: a person is `3:r_`, a list is `[1:g 4:g]`."""
    return [show_value(value) for value in values]
