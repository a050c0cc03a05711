"""A new domain, whole: a row of lamps that are switched on and off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import tensorflow as tf

from lang2program_tf.corpus.embedded.grammar import START, Grammar, Saying, Situation, Worlds, nth
from lang2program_tf.language import Domain, World
from lang2program_tf.language import tokens as t
from lang2program_tf.language.domain import parse_cells
from lang2program_tf.language.errors import WorldError
from lang2program_tf.language.values import ObjectList, WorldObject, as_object, pop
from lang2program_tf.machine.primitives import number_row
from lang2program_tf.machine.rules import ActionResult, Rules, find, object_rows, places, top
from lang2program_tf.machine.state import OBJECT_CODE_BASE

NUM_LAMPS = 4


# The language, which would be lang2program_tf/language/lamps.py.


class _LampFields(NamedTuple):
    position: int
    light: int


class Lamp(_LampFields, WorldObject):
    """A lamp: its position, and 1 if it is lit, else 0."""

    __slots__ = ()
    attributes = (("position", "number"), ("light", "number"))


class LampsWorld(World):
    def __init__(self, lights: tuple[int, ...]) -> None:
        self.lights = lights

    @property
    def objects(self) -> ObjectList:
        return ObjectList(Lamp(i, light) for i, light in enumerate(self.lights, start=1))

    def resolve(self, thing: Lamp) -> Lamp:
        return self.objects[thing.position - 1]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LampsWorld) and self.lights == other.lights

    def __hash__(self) -> int:
        return hash(self.lights)

    def __str__(self) -> str:
        return " ".join(f"{lamp.position}:{lamp.light}" for lamp in self.objects)


def parse_world(text: str) -> LampsWorld:
    cells = parse_cells(text, "1:0 2:1 3:0 4:0")
    if len(cells) != NUM_LAMPS or set(cells) - {"0", "1"}:
        raise WorldError(f"{text!r} is not a row of {NUM_LAMPS} lamps, each 0 or 1")
    return LampsWorld(tuple(map(int, cells)))


def _switch(world, stack):
    lamp = world.resolve(as_object(pop(stack)))
    lights = list(world.lights)
    lights[lamp.position - 1] = 1 - lamp.light
    return LampsWorld(tuple(lights)), (lamp,)


LAMPS = Domain(
    "lamps",
    tokens=[
        *(t.number(i) for i in range(1, NUM_LAMPS + 1)),
        t.number(-1),
        t.action("switch", "ASwitch", 1),
        t.ALL_OBJECTS,
        t.INDEX,
        t.PREV_ACTION,
        t.prev_arg(1),
        t.prev_arg(2),
    ],
    parse_world=parse_world,
    actions={"switch": _switch},
    properties={},
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
    num_positions = NUM_LAMPS
    look_sizes = (2,)

    def encode_world(self, world: World) -> list[int]:
        return [self.encode_object(lamp) for lamp in world.objects]

    def decode_world(self, codes: Sequence[int], *, next_identity: int | None = None) -> World:
        return LampsWorld(tuple(int(code) % OBJECT_CODE_BASE for code in codes))

    def encode_object(self, thing: Lamp) -> int:
        return OBJECT_CODE_BASE * thing.position + thing.light

    def decode_object(self, code: int) -> Lamp:
        return Lamp(*divmod(code, OBJECT_CODE_BASE))

    def position(self, codes):
        return codes // OBJECT_CODE_BASE

    def resolve(self, world, codes):
        now = find(places(world), self.position(codes), world)
        return tf.where(codes < OBJECT_CODE_BASE, codes, now)

    def actions(self, world, next_identity, operands):
        lamp = top(operands.thing)
        return {"switch": ActionResult(lamp > 0, lamp)}

    def perform(self, world, command):
        here = tf.cast(tf.equal(places(world), self.position(command[1])), tf.int32)
        return world + here * self.performs(command, "switch") * (1 - 2 * (world % 2))

    def things(self, world):
        return world

    def identity(self, codes):
        return self.position(codes)

    def looks(self, codes):
        return codes[..., tf.newaxis] % OBJECT_CODE_BASE

    def attribute_rows(self, codes):
        numbers = [self.position(codes), codes % OBJECT_CODE_BASE]
        return object_rows(codes, [number + number_row(0) for number in numbers])


# What people say, which would be lang2program_tf/corpus/embedded/lamps.py.


def _say_switch(situation: Situation) -> Saying:
    number = situation.rng.randint(1, NUM_LAMPS)
    name = ("first", "second", "third", "fourth")[number - 1]
    return Saying(f"[switch|press|turn] the {name} lamp", (*nth(number), "switch"))


def _random_world(rng) -> World:
    return LampsWorld(tuple(rng.randint(0, 1) for _ in range(NUM_LAMPS)))


GRAMMAR = Grammar(
    domain=LAMPS,
    voice=lambda rng: {},
    followers={START: {"switch": 1.0}, "switch": {"switch": 1.0}},
    ways={"switch": _say_switch},
    worlds=Worlds(first=_random_world, any=_random_world),
)
