"""Turns: every sentence of a dialogue in its context, with the commands before it.

Nobody wrote the commands down. They follow from the worlds, nearly always without a doubt but for
the order of the two things that a swap exchanges.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import gin
from lang2program_tf.corpus.scone import Example, Line, known_world
from lang2program_tf.language import (
    UNKNOWN_COMMAND,
    Command,
    Domain,
    State,
    World,
    commands_between,
    get_domain,
    perform,
)
from lang2program_tf.language.scene import NO_HAT, Person, SceneWorld


class Dialogue(NamedTuple):
    """A line with what the worlds tell of its commands.

    Attributes:
        line: the line, M utterances.
        number: of the line in its file, from 0.
        worlds: M + 1 worlds; people keep their hidden numbers from one to the next, whichever of
            the candidates was performed.
        candidates: for each turn the commands that lead from its world to the next; none if the
            worlds do not fit together.
    """

    line: Line
    number: int
    worlds: tuple[World, ...]
    candidates: tuple[tuple[Command, ...], ...]

    def history(self, choices: Sequence[int]) -> tuple[Command, ...]:
        """The commands of the first turns, given which candidate each of them was."""
        return tuple(
            commands[choice] if commands else UNKNOWN_COMMAND
            for commands, choice in zip(self.candidates, choices)
        )

    def draw(self, seed: int) -> tuple[int, ...]:
        """A candidate for each turn (0 where there is none), by chance."""
        rng = random.Random(f"{seed}/{self.line.id}")
        return tuple(int(rng.random() * len(commands)) for commands in self.candidates)

    def examples(self, choices: Sequence[int]) -> tuple[Example, ...]:
        """One example a turn, given which candidate each turn was."""
        history = self.history(choices)
        worlds = [str(world) for world in self.worlds]
        gold = self.line.gold_programs
        return tuple(
            Example(
                f"{self.line.id}:{turn + 1}",
                world=worlds[turn],
                utterances=self.line.utterances[: turn + 1],
                target=worlds[turn + 1],
                line=self.number,
                gold_programs=gold and gold[: turn + 1],
                start=State(self.worlds[turn], history[:turn]),
                first_world=worlds[0],
            )
            for turn in range(len(self.candidates))
        )


def read_dialogues(lines: Iterable[Line], *, domain: str) -> tuple[Dialogue, ...]:
    """What the worlds of every line tell.

    Raises:
        UserError: a world is unknown.
    """
    return tuple(_dialogue(get_domain(domain), line, number) for number, line in enumerate(lines))


@gin.configurable(allowlist=["seed"])
def turns(lines: Iterable[Line], *, domain: str, seed: int = 0) -> tuple[Example, ...]:
    """Every sentence of every line as an example of one command, those of a line together.

    Args:
        lines: whose worlds are all known.
        domain: whose lines they are.
        seed: of the choice where several commands lead from one world to the next.
    """
    return tuple(
        example
        for dialogue in read_dialogues(lines, domain=domain)
        for example in dialogue.examples(dialogue.draw(seed))
    )


def with_commands(
    domain: Domain, examples: Sequence[Example], choices: Sequence[int]
) -> tuple[Example, ...]:
    """The same turns, with other commands before them.

    Args:
        domain: whose turns they are.
        examples: N turns, all those of a dialogue in their order.
        choices: N numbers, which of the commands that lead from the world of a turn to its target
            was performed; for turns that have none any number.
    """
    changed = []
    history: tuple[Command, ...] = ()
    for example, choice in zip(examples, choices):
        if example.start is None:
            raise ValueError(f"example {example.id} must be a turn")
        history = history[: example.start.utterance]
        changed.append(example._replace(start=State(example.start.world, history)))
        found = commands_between(domain, example.start.world, domain.parse_world(example.target))
        history = (*history, found[choice] if found else UNKNOWN_COMMAND)
    return tuple(changed)


def _dialogue(domain: Domain, line: Line, number: int) -> Dialogue:
    texts = [known_world(line, number, place) for place in range(len(line.worlds))]
    worlds = [domain.parse_world(texts[0])]
    candidates = []
    for text in texts[1:]:
        target = domain.parse_world(text)
        found = commands_between(domain, worlds[-1], target)
        candidates.append(found)
        if found:
            worlds.append(perform(domain, State(worlds[-1]), found[0]).world)
        else:
            worlds.append(_recognised(worlds[-1], target))
    return Dialogue(line, number, tuple(worlds), tuple(candidates))


def _recognised(before: World, after: World) -> World:
    """The world `after` in which people have the hidden numbers that they had `before`."""
    if not isinstance(before, SceneWorld):
        return after
    left, new = list(before.objects), list(after.objects)
    pairs = sorted(((_likeness(old, now), old, now) for old in left for now in new), reverse=True)
    people = []
    for likeness, old, now in pairs:
        if likeness > 0 and old in left and now in new:
            people.append(now._replace(identity=old.identity))
            left.remove(old)
            new.remove(now)
    strangers = [
        person._replace(identity=identity)
        for identity, person in enumerate(new, start=before.next_identity)
    ]
    return SceneWorld((*people, *strangers), before.next_identity + len(strangers))


def _likeness(old: Person, now: Person) -> float:
    """How much speaks for two sights being of one person: place, then shirt and hat; 0: nothing."""
    if old[:3] == now[:3]:
        return 4
    look = 2 * (old.shirt == now.shirt) + (old.hat == now.hat != NO_HAT)
    return look and look - abs(old.position - now.position) / 100
