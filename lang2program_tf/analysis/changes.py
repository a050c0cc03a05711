"""Which action leads from one world to the next, read off the worlds alone.

SCONE has the world after every utterance but no programs: what an utterance meant can only be seen
from what changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from lang2program_tf.language import Domain, World
from lang2program_tf.language.alchemy import BROWN, AlchemyWorld
from lang2program_tf.language.scene import SceneWorld
from lang2program_tf.language.tangrams import TangramsWorld

NOTHING = "nothing"
OTHER = "other"


class Change(NamedTuple):
    """The difference of two worlds.

    Attributes:
        kind: the paper's name of the action that makes it, `nothing` if the worlds are equal,
            `other` if no single action makes it.
        arguments: what the action was done to, by role; objects by their position before it.
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
    return _FINDERS[domain.name](before, after) or Change(OTHER)


def alchemy_change(before: AlchemyWorld, after: AlchemyWorld) -> Change | None:
    """`pour`, `drain` or `mix`; None if it is none of them."""
    changed = [(old, new) for old, new in zip(before.objects, after.objects) if old != new]
    if len(changed) == 1:
        ((old, new),) = changed
        if new.units == BROWN * len(old.units):
            return Change("mix", {"beaker": old.position})
        if old.units.startswith(new.units):
            amount = len(old.units) - len(new.units)
            return Change("drain", {"beaker": old.position, "amount": amount})
    if len(changed) == 2:
        # The source is the one that is empty afterwards.
        (source, rest), (target, filled) = sorted(changed, key=lambda pair: len(pair[1].units))
        if not rest.units and filled.units == target.units + source.units:
            return Change("pour", {"source": source.position, "target": target.position})
    return None


def scene_change(before: SceneWorld, after: SceneWorld) -> Change | None:
    """`create`, `leave`, `move` or `swapHats`; None if it is none of them."""
    old = {person.position: (person.shirt, person.hat) for person in before.objects}
    new = {person.position: (person.shirt, person.hat) for person in after.objects}
    gone = sorted(place for place in old if old[place] != new.get(place))
    come = sorted(place for place in new if new[place] != old.get(place))
    if not gone and len(come) == 1:
        shirt, hat = new[come[0]]
        return Change("create", {"place": come[0], "shirt": shirt, "hat": hat})
    if len(gone) == 1 and not come:
        return Change("leave", {"person": gone[0]})
    if len(gone) == len(come) == 1 and old[gone[0]] == new[come[0]]:
        return Change("move", {"person": gone[0], "place": come[0]})
    if len(gone) == 2 and gone == come:
        (shirt1, hat1), (shirt2, hat2) = (old[place] for place in gone)
        if [new[place] for place in gone] == [(shirt1, hat2), (shirt2, hat1)]:
            return Change("swapHats", {"people": tuple(gone)})
    return None


def tangrams_change(before: TangramsWorld, after: TangramsWorld) -> Change | None:
    """`add`, `remove` or `swap`; None if it is none of them."""
    old, new = before.shapes, after.shapes
    added, removed = set(new) - set(old), set(old) - set(new)
    if len(added) == 1 and tuple(shape for shape in new if shape not in added) == old:
        (shape,) = added
        return Change("add", {"piece": shape, "place": new.index(shape) + 1})
    if len(removed) == 1 and tuple(shape for shape in old if shape not in removed) == new:
        return Change("remove", {"piece": old.index(removed.pop()) + 1})
    if not added and not removed:
        moved = tuple(place for place, pair in enumerate(zip(old, new), 1) if pair[0] != pair[1])
        if len(moved) == 2:
            return Change("swap", {"pieces": moved})
    return None


_FINDERS: Mapping[str, Callable[[Any, Any], Change | None]] = {
    "alchemy": alchemy_change,
    "scene": scene_change,
    "tangrams": tangrams_change,
}
