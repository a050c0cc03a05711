"""Tensor machines with a bug each, for tests of what finds bugs."""

from __future__ import annotations

import tensorflow as tf

from lang2program_tf.machine import Machine, MachineState, Options
from lang2program_tf.machine.alchemy import AlchemyRules
from lang2program_tf.machine.rules import ActionResult, Operands, second, top
from lang2program_tf.machine.scene import SceneRules
from lang2program_tf.machine.tangrams import TangramsRules


class _MoveLeavesACopy(SceneRules):
    def perform(self, world: tf.Tensor, command: tf.Tensor) -> tf.Tensor:
        after = super().perform(world, command)
        is_move = tf.equal(command[0], 3)
        return tf.where(is_move & tf.equal(after, 0), world, after)  # also where the person stood


class _CreateForgetsTheNumber(SceneRules):
    creates = None


class _PourIntoItself(AlchemyRules):
    def actions(
        self, world: tf.Tensor, next_identity: tf.Tensor, operands: Operands
    ) -> dict[str, ActionResult]:
        results = super().actions(world, next_identity, operands)
        wrong = (top(operands.thing) > 0) & tf.equal(top(operands.thing), second(operands.thing))
        pour = results["pour"]
        return {**results, "pour": pour._replace(allowed=pour.allowed | wrong)}


class _SwapRecordsTheOtherOrder(TangramsRules):
    def actions(
        self, world: tf.Tensor, next_identity: tf.Tensor, operands: Operands
    ) -> dict[str, ActionResult]:
        results = super().actions(world, next_identity, operands)
        allowed, first, other = results["swap"]
        return {**results, "swap": ActionResult(allowed, other, first)}


class _GonePiecesKeepTheirPosition(TangramsRules):
    def resolve(self, world: tf.Tensor, codes: tf.Tensor) -> tf.Tensor:
        found = super().resolve(world, codes)
        return tf.where(self.position(found) > 0, found, codes)


class _ShapesOutOfRange(TangramsRules):
    def perform(self, world: tf.Tensor, command: tf.Tensor) -> tf.Tensor:
        return tf.where(world > 0, 7, world)


class _OutcomesFailInCrowds(Machine):
    """Agrees with Python unless there are many states at once."""

    def options(self, state: MachineState, num_utterances: tf.Tensor) -> Options:
        options = super().options(state, num_utterances)
        crowded = tf.cast(tf.size(state.utterance) >= 64, tf.int32)
        return options._replace(outcomes=options.outcomes * (1 - crowded))


# By what is wrong: the machine, and the token that shows it.
BROKEN: dict[str, tuple[Machine, str]] = {
    "move leaves a copy": (Machine(_MoveLeavesACopy()), "move"),
    "create forgets the number": (Machine(_CreateForgetsTheNumber()), "create"),
    "pour into itself": (Machine(_PourIntoItself()), "pour"),
    "swap records the other order": (Machine(_SwapRecordsTheOtherOrder()), "swap"),
    "gone pieces keep their position": (Machine(_GonePiecesKeepTheirPosition()), "prevArg1"),
}
NO_STATE = Machine(_ShapesOutOfRange())
BROKEN_IN_CROWDS = _OutcomesFailInCrowds(TangramsRules())
