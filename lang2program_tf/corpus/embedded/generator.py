"""Interactions made by chance: a world, five utterances, and the command that each one means."""

from __future__ import annotations

import random

from lang2program_tf.corpus.embedded import alchemy, scene, tangrams
from lang2program_tf.corpus.embedded.grammar import Grammar, Saying, Situation
from lang2program_tf.corpus.embedded.phrases import connective, say
from lang2program_tf.corpus.scone import Line
from lang2program_tf.language import Domain, State, continuation

GRAMMARS: dict[str, Grammar] = {
    grammar.domain.name: grammar for grammar in (alchemy.GRAMMAR, scene.GRAMMAR, tangrams.GRAMMAR)
}
NUM_UTTERANCES = 5
# A search looks at programs of up to this many tokens for each utterance.
MAX_TOKENS = 7
_TRIES = 20


class Interaction:
    """An interaction in the making.

    Attributes:
        situation: what there is to talk about now.
        worlds: the first world and the one after each utterance.
        utterances: what was said.
    """

    def __init__(self, grammar: Grammar, rng: random.Random) -> None:
        self._grammar = grammar
        first = grammar.worlds.first(rng)
        self.situation = Situation(State(first), (), grammar.voice(rng), rng)
        self.worlds = [str(first)]
        self.utterances: list[str] = []

    @property
    def commands(self) -> tuple[tuple[str, ...], ...]:
        return tuple(saying.tokens for saying in self.situation.said)

    def go_on(self) -> bool:
        """Adds an utterance; False if the world is such that nobody has anything to say."""
        found = self._find_something_to_say()
        if found is None:
            return False
        saying, after = found
        rng, voice, said = self.situation.rng, self.situation.voice, self.situation.said
        opening = connective(len(said), NUM_UTTERANCES)
        slots = {**voice, **saying.slots}
        self.utterances.append(say(rng, f"{opening} {saying.pattern}", slots))
        self.worlds.append(str(after.world))
        self.situation = Situation(after, (*said, saying), voice, rng)
        return True

    def _find_something_to_say(self) -> tuple[Saying, State] | None:
        shares = dict(self._grammar.followers[self.situation.last_action])
        rng = self.situation.rng
        while shares:
            action = rng.choices(list(shares), weights=list(shares.values()))[0]
            for _ in range(_TRIES):
                saying = self._grammar.ways[action](self.situation)
                if saying is None:
                    continue
                after = perform(self._grammar.domain, self.situation.state, saying.tokens)
                if after is not None and after.world != self.situation.state.world:
                    return saying, after
            del shares[action]
        return None


def perform(domain: Domain, state: State, tokens: tuple[str, ...]) -> State | None:
    """The state after one command; None unless a search would find it."""
    if len(tokens) > MAX_TOKENS:
        return None
    goal = state.utterance + 1
    for name in tokens:
        step = continuation(domain, state, domain.token(name), num_utterances=goal)
        if step.state is None or not step.outcome.survives:
            return None
        state = step.state
    return state if state.utterance == goal else None


def generate_line(domain: str, rng: random.Random, line_id: str) -> Line:
    """One interaction of five utterances, with its gold commands."""
    while True:
        interaction = Interaction(GRAMMARS[domain], rng)
        if all(interaction.go_on() for _ in range(NUM_UTTERANCES)):
            return Line(
                line_id,
                tuple(interaction.worlds),
                tuple(interaction.utterances),
                interaction.commands,
            )
