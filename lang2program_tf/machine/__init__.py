"""The program language as tensors: a batch of execution states in a few small int tensors."""

from lang2program_tf.language import MAX_STACK
from lang2program_tf.machine.alchemy import AlchemyRules
from lang2program_tf.machine.examples import Examples
from lang2program_tf.machine.machine import Machine
from lang2program_tf.machine.rules import Rules
from lang2program_tf.machine.scene import SceneRules
from lang2program_tf.machine.state import MachineState, Options
from lang2program_tf.machine.tangrams import TangramsRules

RULES: dict[str, type[Rules]] = {
    "alchemy": AlchemyRules,
    "scene": SceneRules,
    "tangrams": TangramsRules,
}


def get_machine(domain: str, *, stack_slots: int = MAX_STACK) -> Machine:
    """The tensor machine of the domain called `domain`."""
    if domain not in RULES:
        raise ValueError(f"domain={domain!r} is none of {', '.join(RULES)}")
    return Machine(RULES[domain](), stack_slots=stack_slots)


__all__ = [
    "RULES",
    "Examples",
    "Machine",
    "MachineState",
    "Options",
    "Rules",
    "get_machine",
]
