"""The tensors of a batch of execution states."""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf

# Kinds of stack values. NONE marks a slot that is not used.
NONE, NUMBER, COLOR, FRACTION, OBJECT, LIST = range(6)

# Colors are ints from 1: the place of their letter here, the same in all domains.
COLOR_LETTERS = "_rygopbe"

# An int in a command's argument is a number if it is smaller than this, an object's code otherwise.
OBJECT_CODE_BASE = 64


class MachineState(NamedTuple):
    """Execution states, one for each index of the leading axes `...` (usually [B, K]); all int32.

    Objects are int codes that hold all their attributes, so a code on the stack is a snapshot. What
    the codes mean is known to the domain's rules only.

    Attributes:
        world: [..., P] what stands at each of the P positions; 0 is nothing.
        kinds: [..., S] kind of each stack slot; slots are right-aligned, the top is the last.
        values: [..., S, P] a number, color or object code at index 0, or the codes of a list, left
            to right, zeros behind.
        history: [..., M, 3] per performed command: action + 1, first, second argument (0: none);
            zeros for a command that nobody knows, which counts as performed.
        utterance: [...] how many commands were performed.
        next_identity: [...] the hidden number of the next person to come (0 where nobody comes).
    """

    world: tf.Tensor
    kinds: tf.Tensor
    values: tf.Tensor
    history: tf.Tensor
    utterance: tf.Tensor
    next_identity: tf.Tensor


class Options(NamedTuple):
    """What every token would do to the states of K prefixes of B examples.

    Actions are the domain's own in the order of their tokens, then prevAction: C of them.

    Attributes:
        outcomes: [B, K, V] int32, an `OUTCOMES` index for every token.
        limits: [B, K, V] float32, ∞ for tokens with the outcome CONTINUES, −∞ for others: the most
            that a score may be.
        end_limits: [B, K, C] float32, the same for actions with the outcome TERMINATES.
        pushes: [D, B, K] int32, what the D sorts of tokens that are not actions push: a number, an
            object's code or a set of positions; 0 if they fail.
        commands: [B, K, C + 1, 3] int32, the history entry of each action, meaningless where it
            fails; then zeros, for tokens that are no actions.
    """

    outcomes: tf.Tensor
    limits: tf.Tensor
    end_limits: tf.Tensor
    pushes: tf.Tensor
    commands: tf.Tensor

    @property
    def edits(self) -> tf.Tensor:
        """[B, K, C, 3] int32, what each action does to the world, said as a history entry."""
        return self.commands[..., :-1, :]


# Letters of the recordings, in the order of the ints in `Options.outcomes`.
OUTCOMES = "EXFTU"
FAILS, PRUNED, LEFTOVER, TERMINATES, CONTINUES = range(len(OUTCOMES))
