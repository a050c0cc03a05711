"""Random commands that make sense at first sight: every action gets arguments of the right types.

Whether a command runs is another question: a position may be taken, a beaker full, a person gone.
"""

from __future__ import annotations

from random import Random
from typing import Callable

from lang2program_tf.language import Domain, Kind, State, Token

# What actions take: an object, a number, a color, an amount.
_ARGUMENTS = {
    "drain": "oa",
    "mix": "o",
    "pour": "oo",
    "create": "ncc",
    "leave": "o",
    "move": "on",
    "swapHats": "oo",
    "add": "no",
    "remove": "o",
    "swap": "oo",
}


def random_command(domain: Domain, state: State, rng: Random) -> tuple[Token, ...]:
    """The tokens of a command for `state`; some would leave a value on the stack."""
    return _Plan(domain, state, rng).command()


class _Plan:
    """Draws the parts of a command; each part is a list of tokens in postfix order."""

    def __init__(self, domain: Domain, state: State, rng: Random) -> None:
        self._domain = domain
        self._state = state
        self._rng = rng
        self._of_kind: dict[Kind, list[Token]] = {kind: [] for kind in Kind}
        for token in domain.tokens:
            self._of_kind[token.kind].append(token)
        self._draw: dict[str, Callable[[], list[Token]]] = {
            "o": self._object,
            "n": self._number,
            "c": lambda: [self._any(Kind.COLOR)],
            "a": lambda: [self._any(Kind.NUMBER, Kind.FRACTION)],
        }

    def command(self) -> tuple[Token, ...]:
        """A whole command."""
        action = self._rng.choice(self._domain.action_tokens)
        ending = [action]
        if self._state.history and self._rng.random() < 0.5:
            place = self._any_place(len(self._state.history))
            action = self._domain.token(self._state.history[place - 1].action)
            ending = [
                self._place(place, len(self._state.history)),
                *self._of_kind[Kind.PREV_ACTION],
            ]
        left_over = [self._any(Kind.NUMBER, Kind.ALL_OBJECTS)] if self._rng.random() < 0.25 else []
        arguments = [token for sort in _ARGUMENTS[action.name] for token in self._draw[sort]()]
        return (*left_over, *arguments, *ending)

    def _any(self, *kinds: Kind) -> Token:
        return self._rng.choice([token for kind in kinds for token in self._of_kind[kind]])

    def _any_place(self, length: int) -> int:
        """The place of an element of a list, among those that a number of the language can name."""
        highest = max(int(token.name) for token in self._of_kind[Kind.NUMBER])
        return self._rng.randint(1, min(length, highest))

    def _place(self, place: int, length: int) -> Token:
        """A number that means element `place` of a list; the last one is sometimes -1."""
        name = "-1" if place == length and self._rng.random() < 0.5 else str(place)
        return self._domain.token(name)

    def _recalled(self) -> list[Token]:
        """Any argument of any command of the history, which must not be empty."""
        length = len(self._state.history)
        place = self._any_place(length)
        arguments = self._state.history[place - 1].arguments
        argument = self._rng.randint(1, len(arguments))
        return [self._place(place, length), self._domain.token(f"prevArg{argument}")]

    def _number(self) -> list[Token]:
        ways = [lambda: [self._any(Kind.NUMBER)]] * 2
        if self._of_kind[Kind.RELATION]:
            ways.append(lambda: [*self._object(), self._any(Kind.RELATION)])
        if self._state.history:
            ways.append(self._recalled)
        return self._rng.choice(ways)()

    def _object(self) -> list[Token]:
        ways = [self._indexed]
        if self._of_kind[Kind.PROPERTY]:
            ways.append(self._described)
        if self._state.history:
            ways.append(self._recalled)
        return self._rng.choice(ways)()

    def _indexed(self) -> list[Token]:
        length = len(self._state.world.objects)
        number = self._place(self._rng.randint(1, max(length, 1)), length)
        return [*self._of_kind[Kind.ALL_OBJECTS], number, *self._of_kind[Kind.INDEX]]

    def _described(self) -> list[Token]:
        """Objects with a property, or the first or last of them."""
        property_ = self._any(Kind.PROPERTY)
        tokens = [self._any(Kind.COLOR) for _ in range(property_.arity)] + [property_]
        if self._rng.random() < 0.25:
            number = self._rng.choice(["1", "2", "-1"])
            tokens += [self._domain.token(number), *self._of_kind[Kind.INDEX]]
        return tokens
