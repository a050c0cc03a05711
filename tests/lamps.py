"""A new domain, whole: a row of lamps that are switched on and off."""

from __future__ import annotations

from collections import namedtuple

import tensorflow as tf

from lang2program_tf.corpus.embedded.grammar import START, Grammar, Saying, Situation, Worlds, nth
from lang2program_tf.language import Domain, World
from lang2program_tf.language import tokens as t
from lang2program_tf.language.values import WorldObject, as_object, pop
from lang2program_tf.machine.primitives import number_row
from lang2program_tf.machine.rules import ActionResult, Rules, object_rows, places, top

# The language, which would be lang2program_tf/language/lamps.py.


class Lamp(namedtuple("Lamp", "position light"), WorldObject):
    """A lamp: its position, and 1 if it is lit, else 0."""

    __slots__ = ()
    attributes = (("position", "number"), ("light", "number"))

    def __str__(self):
        return f"{self.position}:{self.light}"


def lamps(lights):
    return World(Lamp(position, int(light)) for position, light in enumerate(lights, start=1))


def _switch(world, stack):
    lamp = world.resolve(as_object(pop(stack)))
    return world.replace(lamp._replace(light=1 - lamp.light)), (lamp,)


LAMPS = Domain(
    "lamps",
    tokens=[*t.numbers(4), t.action("switch", 1), *t.COMMON],
    world_of=lamps,
    actions={"switch": _switch},
    roles={"switch": ["lamp"]},
    guess=lambda world, after: (("switch", lamp) for lamp in world.objects),
    example="1:0 2:1 3:0 4:0",
    contents="01",
    nothing="0",
    things=Lamp,
    max_words=8,
)


# The tensor machine, which would be lang2program_tf/machine/lamps.py.


class LampsRules(Rules):
    """A lamp's code is 64 times its position, plus its light."""

    domain = LAMPS
    look_sizes = (2,)

    def encode_object(self, thing):
        return 64 * thing.position + thing.light

    def decode_object(self, code):
        return Lamp(*divmod(code, 64))

    def position(self, codes):
        return codes // 64

    def looks(self, codes):
        return codes[..., tf.newaxis] % 64

    def attribute_rows(self, codes):
        return object_rows(codes, [number_row(0) + codes // 64, number_row(0) + codes % 64])

    def actions(self, world, next_identity, operands):
        lamp = top(operands.thing)
        return {"switch": ActionResult(lamp > 0, lamp)}

    def perform(self, world, command):
        here = tf.cast(tf.equal(places(world), self.position(command[1])), tf.int32)
        return world + here * self.performs(command, "switch") * (1 - 2 * (world % 2))


# What people say, which would be lang2program_tf/corpus/embedded/lamps.py.


def _say_switch(situation: Situation) -> Saying:
    number = situation.rng.randint(1, 4)
    name = ("first", "second", "third", "fourth")[number - 1]
    return Saying(f"[switch|press|turn] the {name} lamp", (*nth(number), "switch"))


def _random_world(rng):
    return lamps(rng.choices("01", k=4))


GRAMMAR = Grammar(
    domain=LAMPS,
    followers={START: {"switch": 1.0}, "switch": {"switch": 1.0}},
    ways={"switch": _say_switch},
    worlds=Worlds(first=_random_world, any=_random_world),
)
