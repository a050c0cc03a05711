"""Random walks through programs: where they start and which token comes next.

Most tokens are constants, and most stacks of constants lead nowhere: walks that only chose at
random would hardly see a second command. So prefixes are kept, sorted by the length of their
history and the types on their stack, and a new walk starts from any sort as likely as from another.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Hashable, Sequence
from random import Random
from typing import NamedTuple

from lang2program_dev.fuzzing.plans import random_command
from lang2program_dev.fuzzing.random_worlds import random_world
from lang2program_tf.language import Continuation, Domain, Kind, Outcome, State, Token, World

MAX_UTTERANCES = 5
_MAX_TOKENS = 60
_KEPT_PER_SORT = 64
_HISTORY = (Kind.PREV_ACTION, Kind.PREV_ARG)
_ACTING = (Kind.ACTION, Kind.PREV_ACTION)


class Strategy(enum.Enum):
    """How a walk chooses among the tokens that survive."""

    PLANNED = "a command whose arguments have the right types, as far as it runs"
    UNIFORM = "all tokens alike"
    RARE = "what was seldom chosen: the token, the types on the stack, the length of the history"
    ACTING = "actions, and tokens that take values off the stack"
    REMEMBERING = "tokens of the history, and numbers that point into it"
    LEAVING = "prevAction that leaves values on the stack"


# Half of the walks are planned.
_SHARES = [len(Strategy) - 1 if strategy is Strategy.PLANNED else 1 for strategy in Strategy]


class Walk(NamedTuple):
    """A program under way.

    Attributes:
        world: where it starts.
        tokens: the program so far.
        state: the state after it.
        num_utterances: after how many commands it is complete.
        strategy: how it goes on.
        plan: the tokens that a planned walk means to take next; it ends where one does not run.
    """

    world: World
    tokens: tuple[Token, ...]
    state: State
    num_utterances: int
    strategy: Strategy
    plan: tuple[Token, ...] = ()


class Walker:
    """Starts walks and takes them further.

    Attributes:
        num_walks: how many walks were started.
        situations: how often each was chosen: a token, its outcome, the types on the stack
            afterwards and the length of the history.
    """

    def __init__(self, domain: Domain, rng: Random) -> None:
        self._domain = domain
        self._rng = rng
        self._kept = _Prefixes(rng)
        self.num_walks = 0
        self.situations: Counter[Hashable] = Counter()

    def start(self) -> Walk:
        """A walk that goes on from a prefix that was kept, or begins on a new world."""
        self.num_walks += 1
        strategy = self._rng.choices(list(Strategy), _SHARES)[0]
        planned = strategy is Strategy.PLANNED
        prefix = self._kept.draw(between_commands=planned)
        if prefix is None:
            world = random_world(self._domain, self._rng)
            prefix = _Prefix(world, (), State(world))
        num_utterances = self._rng.randint(prefix.state.utterance + 1, MAX_UTTERANCES)
        plan = random_command(self._domain, prefix.state, self._rng) if planned else ()
        return Walk(*prefix, num_utterances, strategy, plan)

    def choose(self, walk: Walk, steps: Sequence[Continuation]) -> Continuation | None:
        """One of the tokens that survive; None at a dead end or where the plan does not run."""
        alive = [step for step in steps if step.outcome.survives]
        if walk.plan:
            alive = [step for step in alive if step.token is walk.plan[0]]
        if not alive:
            return None
        return self._rng.choices(alive, self._weights(walk, alive))[0]

    def follow(self, walk: Walk, chosen: Continuation | None) -> Walk:
        """The walk with one more token; a new one if there is none, or the program is complete."""
        if chosen is None:
            return self.start()
        self.situations[_situation(chosen)] += 1
        if chosen.outcome is Outcome.TERMINATES or len(walk.tokens) + 1 == _MAX_TOKENS:
            return self.start()
        assert chosen.state is not None
        prefix = _Prefix(walk.world, (*walk.tokens, chosen.token), chosen.state)
        self._kept.keep(prefix)
        plan = walk.plan[1:]
        if walk.strategy is Strategy.PLANNED and not plan:
            plan = random_command(self._domain, chosen.state, self._rng)
        return Walk(*prefix, walk.num_utterances, walk.strategy, plan)

    def _weights(self, walk: Walk, alive: Sequence[Continuation]) -> list[float]:
        if walk.strategy in (Strategy.UNIFORM, Strategy.PLANNED):
            return [1.0] * len(alive)
        if walk.strategy is Strategy.RARE:
            return [1 / (1 + self.situations[_situation(step)]) ** 2 for step in alive]
        # Tokens of a kind share its weight: there are many constants, and one allObjects.
        of_kind = Counter(step.token.kind for step in alive)
        return [_WEIGHTS[walk.strategy](walk, step) / of_kind[step.token.kind] for step in alive]


class _Prefix(NamedTuple):
    world: World
    tokens: tuple[Token, ...]
    state: State


class _Prefixes:
    """Keeps some prefixes of every sort, and draws each sort as often as the others."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        # By length of the history, by depth of the stack, by the types on it.
        self._kept: dict[int, dict[int, dict[Hashable, list[_Prefix]]]] = {}

    def keep(self, prefix: _Prefix) -> None:
        """Keeps a prefix; if there are enough of its sort, it takes the place of any of them."""
        stack = prefix.state.stack
        of_length = self._kept.setdefault(prefix.state.utterance, {})
        of_depth = of_length.setdefault(len(stack), {})
        kept = of_depth.setdefault(tuple(map(type, stack)), [])
        if len(kept) < _KEPT_PER_SORT:
            kept.append(prefix)
        else:
            kept[self._rng.randrange(_KEPT_PER_SORT)] = prefix

    def draw(self, *, between_commands: bool) -> _Prefix | None:
        """A prefix, with an empty stack if `between_commands`; None stands for no token at all."""
        lengths = [length for length in range(MAX_UTTERANCES) if length in self._kept]
        length = self._rng.choice([None, *lengths])
        if length is None:
            return None
        of_length = self._kept[length]
        depth = 0 if between_commands else self._rng.choice(list(of_length))
        of_depth = of_length.get(depth)
        if of_depth is None:
            return None
        return self._rng.choice(self._rng.choice(list(of_depth.values())))


def _situation(step: Continuation) -> Hashable:
    assert step.state is not None
    types = tuple(map(type, step.state.stack))
    return step.token.name, step.outcome, types, step.state.utterance


def _acting_weight(walk: Walk, step: Continuation) -> float:
    del walk
    return 5 if step.token.kind in _ACTING else 2 if step.token.arity else 1


def _remembering_weight(walk: Walk, step: Continuation) -> float:
    if step.token.kind in _HISTORY:
        return 20
    if step.token.kind is Kind.NUMBER:
        number = int(step.token.value or 0)
        return 10 if abs(number) <= walk.state.utterance else 1
    return 1


def _leaving_weight(walk: Walk, step: Continuation) -> float:
    del walk
    assert step.state is not None
    return 20 if step.token.kind is Kind.PREV_ACTION and step.state.stack else 1


_WEIGHTS = {
    Strategy.ACTING: _acting_weight,
    Strategy.REMEMBERING: _remembering_weight,
    Strategy.LEAVING: _leaving_weight,
}
