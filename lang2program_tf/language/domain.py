"""What the three domains have in common: a set of tokens, worlds, properties and actions."""

from __future__ import annotations

import copy
from types import MappingProxyType
from typing import (
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    Type,
)

from lang2program_tf.language.errors import ProgramError, WorldError
from lang2program_tf.language.tokens import Kind, Token
from lang2program_tf.language.values import ObjectList, Value, WorldObject


class World:
    """A state of the world. Worlds are immutable and compare by what a person would see.

    Here a row of objects that keep their places; a domain whose objects do not says how they go.
    """

    def __init__(self, objects: Iterable[WorldObject]) -> None:
        self._objects = ObjectList(objects)

    def draw(self, *, ansi: bool = False) -> str:
        """The world as lines of text without a final line break, in the terminal's colors if asked.

        Here its notation; a domain may draw better.
        """
        del ansi
        return str(self)

    @property
    def objects(self) -> ObjectList:
        """All objects on the stage, left to right."""
        return self._objects

    def resolve(self, thing: Any) -> Any:
        """`thing`, an earlier snapshot, with its present attributes; position 0 if it is gone."""
        return self._objects[thing.position - 1]

    def replace(self, *changes: Any) -> World:
        """The world with these objects in place of their former selves."""
        objects = list(self._objects)
        for thing in changes:
            objects[thing.position - 1] = thing
        after = copy.copy(self)
        after._objects = ObjectList(objects)
        return after

    def visible(self) -> Tuple[Any, ...]:
        """What a person sees of the objects."""
        return self._objects

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.visible() == other.visible()

    def __hash__(self) -> int:
        return hash(self.visible())

    def __str__(self) -> str:
        """The world in the data set's notation."""
        return " ".join(map(str, self._objects))


# An action pops its arguments off the stack and gives the new world and what history records.
Action = Callable[[Any, List[Value]], Tuple[World, Tuple[Value, ...]]]
# A property or relation takes the world and the popped values, the deepest first.
Property = Callable[..., Value]
# From a world and a later one: names of actions, each with arguments as history records them, among
# which are all that lead from one to the other; others may be among them.
Guess = Callable[[Any, Any], Iterator[Tuple[Any, ...]]]
# From what history records of an action: the values that it popped, the deepest first.
Operands = Callable[..., List[Value]]


class Domain:
    """One domain: a language, and the worlds that it is about.

    Attributes:
        name: of the domain.
        tokens: all tokens, sorted by the original's names. A token's id is its index here; it is
            the order of scores, and the order in which ties are broken.
        embedding_order: token ids in the row order of the original's token embedding table, which
            is that in which they were given.
        world_of: makes a world of what stands at each position, left to right.
        actions: the function of each action token, by the paper's name.
        properties: the function of each property and relation token, by the paper's name.
        roles: by action, what each value that it pops is to it, the deepest first; the order of two
            with the same role does not matter.
        guess: which commands may have led from one world to another.
        example: a world in the data set's notation, with all positions that there are.
        num_positions: how many these are.
        contents: all that may stand at a position, as the notation writes it.
        nothing: the one of them that stands for an empty position; None if a world is a row without
            gaps, which may be shorter than the longest.
        legend: the contents in words, for those who wrote something else.
        things: the class of its objects.
        max_words: an utterance's words beyond this many are cut off.
        operands: of actions whose record in history is not what they popped, deepest first: how to
            get that from it.
    """

    def __init__(
        self,
        name: str,
        *,
        tokens: Sequence[Token],
        world_of: Callable[[Sequence[str]], World],
        actions: Mapping[str, Action],
        roles: Mapping[str, Sequence[str]],
        guess: Guess,
        example: str,
        contents: Sequence[str],
        nothing: Optional[str],
        things: Type[WorldObject],
        max_words: int,
        properties: Mapping[str, Property] = MappingProxyType({}),
        legend: Optional[str] = None,
        operands: Mapping[str, Operands] = MappingProxyType({}),
    ) -> None:
        self.name = name
        self.tokens: Tuple[Token, ...] = tuple(sorted(tokens, key=lambda token: token.original))
        self.embedding_order: Tuple[int, ...] = tuple(self.tokens.index(t) for t in tokens)
        self.actions = dict(actions)
        self.properties = dict(properties)
        self.roles = {action: tuple(names) for action, names in roles.items()}
        self.guess = guess
        self.operands = dict(operands)
        self.example = example
        self.num_positions = len(example.split())
        self.contents = tuple(contents)
        self.legend = legend or " or ".join(contents)
        self.nothing = nothing
        self.things = things
        self.max_words = max_words
        self.world_of = world_of
        self._known_contents = frozenset(contents)
        self._by_name: Dict[str, Token] = {t.original: t for t in tokens}
        self._by_name.update({t.name: t for t in tokens})
        self._ids = {token: index for index, token in enumerate(self.tokens)}

    def __repr__(self) -> str:
        return f"Domain({self.name})"

    def token(self, name: str) -> Token:
        """The token called `name` by the paper or by the original."""
        if not isinstance(name, str) or name not in self._by_name:
            known = " ".join(token.name for token in self.tokens)
            raise ProgramError(f"{name!r} is not a token of {self.name}; its tokens are: {known}")
        return self._by_name[name]

    def token_id(self, token: Token) -> int:
        """The index of `token` in `tokens`."""
        return self._ids[token]

    def parse_world(self, text: str) -> World:
        """The world written in the data set's notation."""
        if not isinstance(text, str):
            raise WorldError(f"a world is a text, not {type(text).__name__}")
        cells = parse_cells(text, self.example)
        if self.nothing is not None and len(cells) != self.num_positions:
            raise WorldError(
                f"a world of {self.name} has {self.num_positions} positions, this one has "
                f"{len(cells)}; it looks like {self.example!r}"
            )
        for position, cell in enumerate(cells, start=1):
            if cell not in self._known_contents:
                raise WorldError(f"position {position} holds {cell!r}; it may hold {self.legend}")
        return self.world_of(cells)

    @property
    def action_tokens(self) -> Tuple[Token, ...]:
        """The domain's own actions, without prevAction."""
        return tuple(token for token in self.tokens if token.kind is Kind.ACTION)


def parse_cells(text: str, example: str) -> List[str]:
    """The contents of `1:a 2:b 3:c`, checking that positions count up from 1."""
    contents = []
    for expected, cell in enumerate(text.split(), start=1):
        position, colon, content = cell.partition(":")
        if not colon or not content:
            raise WorldError(
                f"cell {cell!r} is not POSITION:CONTENT; a world looks like {example!r}"
            )
        if position != str(expected):
            raise WorldError(f"cell {cell!r} stands where position {expected} should be")
        contents.append(content)
    return contents
