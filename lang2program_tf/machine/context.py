"""What a parser in context sees at the start of a turn: the world as objects, the commands so far.

Everything is a row of zeros and ones, made of ints that the machine has anyway; which of them
matter is for the parser to learn. A turn is one utterance in its dialogue.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import tensorflow as tf

from lang2program_tf.machine.examples import Examples
from lang2program_tf.machine.rules import Rules
from lang2program_tf.machine.state import OBJECT_CODE_BASE

# How many commands are seen, the last ones, and how far steps of a dialogue are counted.
MAX_COMMANDS = 5
_MOST_ALIKE = 4  # larger counts and ranks of objects that look the same are taken for this
_LARGEST_NUMBER = 10


class ContextFeatures(NamedTuple):
    """What B turns begin with, as rows of zeros and ones; M is `MAX_COMMANDS`.

    Attributes:
        objects: [B, N, F] float32, the domain's things: places of a stage, beakers, pieces.
        commands: [B, M, G] float32, the last commands, in their order.
        performed: [B, M] bool, which of them there are.
    """

    objects: tf.Tensor
    commands: tf.Tensor
    performed: tf.Tensor


class FeatureWidths(NamedTuple):
    """How many features there are, of an object and of a command."""

    object: int
    command: int


class _Things(NamedTuple):
    """N things of each of B worlds.

    Attributes:
        code: [B, N] int32, 0 where there is none.
        identity: [B, N] int32, what a thing is known by, 0 for none.
        place: [B, N] int32, 0 for a thing that is gone.
        exists: [B, N] bool.
        looks: [B, N, L] float32, its attributes.
    """

    code: tf.Tensor
    identity: tf.Tensor
    place: tf.Tensor
    exists: tf.Tensor
    looks: tf.Tensor


class _Commands(NamedTuple):
    """The last M commands before each of B turns.

    Attributes:
        history: [B, M, 3] int32, as in `MachineState`; one that nobody knows is zeros.
        performed: [B, M] bool, which there are.
        step: [B, M] int32, which command of the dialogue each is, from 0.
        ago: [B, M, M] float32, 1 where a command was performed so many turns ago, from 1.
    """

    history: tf.Tensor
    performed: tf.Tensor
    step: tf.Tensor
    ago: tf.Tensor

    @property
    def action(self) -> tf.Tensor:
        """[B, M] int32, the actions from 1; 0 for one that nobody knows."""
        return self.history[..., 0]


class _Arguments(NamedTuple):
    """The two arguments of each of M commands, [B, M, 2] each.

    Attributes:
        code: int32, 0 for none.
        identity: int32, 0 if it is no object.
        place: int32, where an object was when the command was performed, 0 if it is none.
        number: int32, 0 if it is none.
    """

    code: tf.Tensor
    identity: tf.Tensor
    place: tf.Tensor
    number: tf.Tensor


def context_features(rules: Rules, examples: Examples) -> ContextFeatures:
    """The features of B examples that begin with their present utterance."""
    commands = _last_commands(examples)
    now, first = _things(rules, examples.world), _things(rules, examples.first_world)
    arguments = _arguments(rules, commands.history)
    return ContextFeatures(
        objects=tf.concat(
            [
                _looks_and_places(rules, now),
                _alike(rules, now),
                _neighbours(now),
                _as_at_first(rules, now, first),
                _marks(rules, now, arguments, commands),
                _order_of_leaving(now, arguments),
            ],
            axis=-1,
        ),
        commands=_commands(rules, now, arguments, commands),
        performed=commands.performed,
    )


def feature_widths(rules: Rules) -> FeatureWidths:
    """The widths F and G of a domain's features."""
    nothing = tf.zeros([1], tf.int32)
    world = tf.zeros([1, rules.num_positions], tf.int32)
    features = context_features(
        rules,
        Examples.without_history(
            world, next_identity=nothing, target=world, num_utterances=nothing
        ),
    )
    return FeatureWidths(int(features.objects.shape[-1]), int(features.commands.shape[-1]))


def _last_commands(examples: Examples) -> _Commands:
    first = tf.maximum(examples.num_commands - MAX_COMMANDS, 0)  # [B]
    step = first[:, tf.newaxis] + tf.range(MAX_COMMANDS)  # [B, M]
    performed = step < examples.num_commands[:, tf.newaxis]
    known = tf.shape(examples.history)[1]
    history = tf.pad(examples.history, [[0, 0], [0, MAX_COMMANDS], [0, 0]])
    history = tf.gather(history, tf.minimum(step, known), batch_dims=1)
    ago = tf.where(performed, examples.num_commands[:, tf.newaxis] - 1 - step, -1)
    return _Commands(
        history=history * tf.cast(performed, tf.int32)[..., tf.newaxis],
        performed=performed,
        step=step,
        ago=tf.one_hot(ago, MAX_COMMANDS),
    )


def _things(rules: Rules, world: tf.Tensor) -> _Things:
    code = rules.things(world)
    exists = code > 0
    place = rules.thing_places(code)
    return _Things(
        code=code,
        identity=rules.identity(code),
        place=place,
        exists=exists & (place > 0),
        looks=_one_hots(rules.looks(code), rules.look_sizes),
    )


def _arguments(rules: Rules, history: tf.Tensor) -> _Arguments:
    codes = history[..., 1:]
    is_object = tf.cast(codes >= OBJECT_CODE_BASE, tf.int32)
    return _Arguments(
        code=codes,
        identity=is_object * rules.identity(codes),
        place=is_object * rules.position(codes),
        number=(1 - is_object) * codes,
    )


def _one_hots(numbers: tf.Tensor, sizes: tuple[int, ...]) -> tf.Tensor:
    """[..., sum of sizes] float32 from numbers [..., n], each below its size."""
    parts = [tf.one_hot(number, size) for number, size in zip(tf.unstack(numbers, axis=-1), sizes)]
    return tf.concat(parts, axis=-1)


def _ranks(members: tf.Tensor, place: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """[B, N] int32 the ranks of things among others, from the left and from the right, from 1.

    Args:
        members: [B, N, N] bool, for each thing, which count; a thing that counts nobody has 0.
        place: [B, N] int32.
    """
    here, there = place[..., tf.newaxis], place[:, tf.newaxis]
    left = tf.math.count_nonzero(members & (there <= here), axis=-1, dtype=tf.int32)
    right = tf.math.count_nonzero(members & (there >= here), axis=-1, dtype=tf.int32)
    return left, right


def _looks_and_places(rules: Rules, now: _Things) -> tf.Tensor:
    """What stands where, and as which one from the left and from the right."""
    present = now.exists[..., tf.newaxis] & now.exists[:, tf.newaxis]  # [B, N, N]
    left, right = _ranks(present, now.place)
    size = rules.num_positions + 1
    number = tf.repeat(
        tf.math.count_nonzero(now.exists, axis=-1, keepdims=True, dtype=tf.int32),
        now.exists.shape[1],
        axis=1,
    )
    numbers = tf.stack([now.place, left, right, number], axis=-1)
    return tf.concat([now.looks, _one_hots(numbers, (size,) * 4)], axis=-1)


def _alike(rules: Rules, now: _Things) -> tf.Tensor:
    """How many things look the same, and which of them one is, from either side."""
    looks = rules.looks(now.code)
    parts = []
    for group in rules.look_groups:
        columns = tf.gather(looks, list(group), axis=-1)  # [B, N, g]
        same = tf.reduce_all(tf.equal(columns[:, :, tf.newaxis], columns[:, tf.newaxis]), axis=-1)
        same &= now.exists[..., tf.newaxis] & now.exists[:, tf.newaxis]
        count = tf.math.count_nonzero(same, axis=-1, dtype=tf.int32)
        numbers = tf.minimum(tf.stack([count, *_ranks(same, now.place)], axis=-1), _MOST_ALIKE)
        parts.append(_one_hots(numbers, (_MOST_ALIKE + 1,) * 3))
    return tf.concat([now.looks[..., :0], *parts], axis=-1)


def _neighbours(now: _Things) -> tf.Tensor:
    """What the things to the left and to the right look like."""
    seen = now.looks * tf.cast(now.exists, tf.float32)[..., tf.newaxis]
    here, there = now.place[..., tf.newaxis], now.place[:, tf.newaxis]
    sides = [
        tf.matmul(tf.cast(tf.equal(there, here + step) & (here > 0), tf.float32), seen)
        for step in (-1, 1)
    ]
    return tf.concat(sides, axis=-1)


def _as_at_first(rules: Rules, now: _Things, first: _Things) -> tf.Tensor:
    """What was in the same place of the list, and where the thing itself was, at the beginning."""
    same = tf.equal(now.identity[..., tf.newaxis], first.identity[:, tf.newaxis])
    same = tf.cast(same & (now.identity > 0)[..., tf.newaxis], tf.int32)  # [B, N, N]
    present = first.exists[..., tf.newaxis] & first.exists[:, tf.newaxis]
    left, right = _ranks(present, first.place)
    places = tf.stack([first.place, left, right], axis=-1)  # [B, N, 3]
    then = tf.reduce_sum(same[..., tf.newaxis] * places[:, tf.newaxis], axis=2)
    return tf.concat(
        [first.looks, _one_hots(then, (rules.num_positions + 1,) * 3)],
        axis=-1,
    )


def _marks(rules: Rules, now: _Things, arguments: _Arguments, commands: _Commands) -> tf.Tensor:
    """What the commands so far had to do with each thing and with its place."""
    identity = now.identity[:, :, tf.newaxis, tf.newaxis]
    place = now.place[:, :, tf.newaxis, tf.newaxis]
    was_it = (identity > 0) & tf.equal(identity, arguments.identity[:, tf.newaxis])
    was_here = (place > 0) & tf.equal(place, arguments.place[:, tf.newaxis]) & ~was_it
    named = (place > 0) & tf.equal(place, arguments.number[:, tf.newaxis])
    marks = tf.cast(tf.stack([was_it, was_here, named], axis=-1), tf.float32)
    marks = _joined(marks, 3)  # [B, N, M, 2 * 3]
    by_step = tf.einsum("bnmf,bms->bnsf", marks, tf.one_hot(commands.step, MAX_COMMANDS))
    by_age = tf.einsum("bnmf,bma->bnaf", marks, commands.ago)
    action = tf.one_hot(commands.action, _num_actions(rules))
    by_action = tf.einsum("bnmj,bmc,bma->bnajc", tf.cast(was_it, tf.float32), action, commands.ago)
    return tf.concat([_joined(by_step, 2), _joined(by_age, 2), _joined(by_action, 2)], axis=-1)


def _order_of_leaving(now: _Things, arguments: _Arguments) -> tf.Tensor:
    """Of the things that are gone: in which order they left, from the first and from the last."""
    same = tf.equal(now.identity[..., tf.newaxis, tf.newaxis], arguments.identity[:, tf.newaxis])
    touched = tf.reduce_any(same & (now.identity > 0)[..., tf.newaxis, tf.newaxis], axis=-1)
    steps = tf.range(1, touched.shape[2] + 1)
    latest = tf.reduce_max(tf.cast(touched, tf.int32) * steps, axis=-1)  # [B, N], 0 for never
    gone = ~now.exists & (latest > 0)
    present = gone[..., tf.newaxis] & gone[:, tf.newaxis]
    order = tf.stack(_ranks(present, latest), axis=-1)
    size = touched.shape[2] + 1
    return _one_hots(order, (size, size))


def _commands(rules: Rules, now: _Things, arguments: _Arguments, commands: _Commands) -> tf.Tensor:
    """[B, M, G] the commands, with what has become of their arguments."""
    same = tf.equal(commands.action[..., tf.newaxis], commands.action[:, tf.newaxis])
    same &= commands.performed[..., tf.newaxis] & commands.performed[:, tf.newaxis]
    order = tf.stack(_ranks(same, commands.step), axis=-1)
    what = tf.concat(
        [
            tf.one_hot(commands.action, _num_actions(rules)),
            tf.one_hot(commands.step, MAX_COMMANDS),
            commands.ago,
            _one_hots(order, (MAX_COMMANDS + 1,) * 2),
        ],
        axis=-1,
    )
    found = tf.equal(arguments.identity[..., tf.newaxis], now.identity[:, tf.newaxis, tf.newaxis])
    found = tf.cast(found & (arguments.identity > 0)[..., tf.newaxis], tf.int32)  # [B, M, 2, N]
    present = now.exists[..., tf.newaxis] & now.exists[:, tf.newaxis]
    numbers = tf.stack([now.place, *_ranks(present, now.place)], axis=-1)  # [B, N, 3]
    becomes = tf.einsum("bmjn,bnc->bmjc", found, numbers)
    places = rules.num_positions + 1
    described = tf.concat(
        [
            _one_hots(rules.looks(arguments.code), rules.look_sizes),
            tf.one_hot(arguments.place, places),
            tf.one_hot(arguments.number, _LARGEST_NUMBER + 1),
            _one_hots(becomes, (places,) * 3),
        ],
        axis=-1,
    )  # [B, M, 2, g]
    described *= tf.cast(arguments.code != 0, tf.float32)[..., tf.newaxis]
    features = tf.concat([what, _joined(described, 2)], axis=-1)
    return features * tf.cast(commands.performed, tf.float32)[..., tf.newaxis]


def _num_actions(rules: Rules) -> int:
    """The domain's own actions, and 0 for one that nobody knows."""
    return len(rules.domain.action_tokens) + 1


def _joined(parts: tf.Tensor, axis: int) -> tf.Tensor:
    """All axes from `axis` on as one."""
    shape = tf.shape(parts)[:axis]
    width = int(np.prod(parts.shape[axis:]))
    return tf.reshape(parts, tf.concat([shape, [width]], axis=0))
