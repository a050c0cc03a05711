"""What the grammars of all domains have in common."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, Callable, NamedTuple

from lang2program_tf.corpus.gold import LAST, Command
from lang2program_tf.language import Domain, State, World

ALL = "allObjects"
# The name of "no action yet" in a grammar's `followers`.
START = ""


class Saying(NamedTuple):
    """Something to say and what it means.

    Attributes:
        pattern: of the sentence.
        tokens: the command that it means.
        slots: patterns for the slots of `pattern`, besides those of the speaker.
        manner: how the command was meant, for a later speaker who says "again" or "the rest".
    """

    pattern: str
    tokens: Command
    slots: Mapping[str, str] = {}
    manner: str = ""


class Situation(NamedTuple):
    """All there is to know when something is to be said.

    Attributes:
        state: the world and the commands performed in it.
        said: the sayings of these commands.
        voice: the speaker's habits, patterns for slots like `{noun}`.
        rng: source of all choices.
    """

    state: State
    said: tuple[Saying, ...]
    voice: Mapping[str, str]
    rng: random.Random

    @property
    def objects(self) -> tuple[Any, ...]:
        """All objects of the world, left to right."""
        return self.state.world.objects

    def argument(self, number: int, *, step: int = -1) -> Any:
        """An argument (from 1) of an earlier command, as it was before that command."""
        return self.state.history[step].arguments[number - 1]

    def current(self, number: int) -> Any:
        """What an object among the arguments of the last command is now."""
        return self.state.world.resolve(self.argument(number))

    @property
    def last_action(self) -> str:
        """The name of the last action, `START` before the first."""
        return self.state.history[-1].action if self.state.history else START

    @property
    def last_manner(self) -> str:
        """The manner of the last command."""
        return self.said[-1].manner if self.said else ""


# How frequent each of some numbers is.
Shares = dict[int, float]


def draw_share(rng: random.Random, shares: Shares) -> int:
    """One of the numbers, by chance."""
    return rng.choices(list(shares), weights=list(shares.values()))[0]


class Worlds(NamedTuple):
    """The worlds of a domain.

    Attributes:
        first: draws a world in which an interaction begins.
        any: draws a world as it is met anywhere in interactions.
    """

    first: Callable[[random.Random], World]
    any: Callable[[random.Random], World]


# A way to perform an action in a situation, or None if there is nothing to do or to say.
Way = Callable[[Situation], "Saying | None"]


class Grammar(NamedTuple):
    """How people talk in one domain.

    Attributes:
        domain: the domain.
        followers: for each action (and `START`), how often each action comes next.
        ways: for each action, what to say.
        worlds: what they talk about.
        voice: draws the habits of a speaker; by default nobody has any.
        orig_parts: which parts (first utterance, number of utterances) of a line are examples of
            the form `orig`.
    """

    domain: Domain
    followers: Mapping[str, Mapping[str, float]]
    ways: Mapping[str, Way]
    worlds: Worlds
    voice: Callable[[random.Random], dict[str, str]] = lambda rng: {}
    orig_parts: tuple[tuple[int, int], ...] = ((0, 1), (0, 2))


def previous(argument: int, command: str = LAST) -> Command:
    """The tokens for an argument of an earlier command."""
    return (command, f"prevArg{argument}")


def nth(number: int, among: Command = (ALL,)) -> Command:
    """The tokens for the object with this number in a list, by default of all objects."""
    return (*among, str(number), "index")


def first_of(situation: Situation, *ways: tuple[float, Way]) -> Saying | None:
    """What the first way that has something to say says; each is tried with its probability."""
    for probability, way in ways:
        if situation.rng.random() < probability:
            saying = way(situation)
            if saying is not None:
                return saying
    return None
