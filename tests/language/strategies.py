"""Random worlds, programs and states of the three domains."""

from __future__ import annotations

import contextlib
from typing import NamedTuple

from hypothesis import strategies as st

from lang2program_tf.language import (
    DOMAINS,
    Domain,
    ExecutionError,
    Kind,
    State,
    Token,
    World,
    step,
)

domains = st.sampled_from(list(DOMAINS.values()))


def _cells(contents: list[str]) -> str:
    return " ".join(f"{i}:{content}" for i, content in enumerate(contents, start=1))


def _alchemy_texts() -> st.SearchStrategy[str]:
    units = st.text("rygopb", min_size=1, max_size=4)
    # Beakers of one color are what most actions want.
    beaker = st.one_of(
        st.just("_"), st.builds(str.__mul__, st.sampled_from("rygopb"), st.integers(1, 4)), units
    )
    return st.lists(beaker, min_size=7, max_size=7).map(_cells)


def _scene_texts() -> st.SearchStrategy[str]:
    person = st.builds(str.__add__, st.sampled_from("rygopb"), st.sampled_from("rygopb_"))
    place = st.one_of(st.just("__"), person)
    return st.lists(place, min_size=10, max_size=10).map(_cells)


def _tangrams_texts() -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from("01234"), unique=True).map(_cells)


_TEXTS = {
    "alchemy": _alchemy_texts(),
    "scene": _scene_texts(),
    "tangrams": _tangrams_texts(),
}


def world_texts(domain: Domain) -> st.SearchStrategy[str]:
    """Worlds in the data set's notation."""
    return _TEXTS[domain.name]


def worlds(domain: Domain) -> st.SearchStrategy[World]:
    """Worlds."""
    return world_texts(domain).map(domain.parse_world)


def token_sequences(domain: Domain, *, max_size: int = 20) -> st.SearchStrategy[list[Token]]:
    """Any tokens in any order: most of them do not run."""
    return st.lists(st.sampled_from(domain.tokens), max_size=max_size)


class Walk(NamedTuple):
    """A program whose tokens all run.

    Attributes:
        domain: the domain.
        world: the world it starts from.
        tokens: the program.
        states: the state before every token and at the end.
    """

    domain: Domain
    world: World
    tokens: list[Token]
    states: list[State]


# What the actions and properties want, the deepest value first: object, number, color, amount.
_SIGNATURES = {
    "alchemy": {"pour": "oo", "mix": "o", "drain": "oa"},
    "scene": {"leave": "o", "swapHats": "oo", "move": "on", "create": "ncc"},
    "tangrams": {"add": "no", "swap": "oo", "remove": "o"},
}
_PROPERTIES = {
    "alchemy": {"hasColor": "c"},
    "scene": {"hasShirt": "c", "hasHat": "c", "hasShirtHat": "cc"},
    "tangrams": {},
}


@st.composite
def _terms(draw: st.DrawFn, domain: Domain, state: State, sort: str) -> list[str]:
    """Tokens that push a value of a sort, if they run."""
    names = {kind: [t.name for t in domain.tokens if t.kind is kind] for kind in Kind}
    ways = ["plain"]
    if state.history and sort != "c":
        ways.append("history")
    if sort == "o" and _PROPERTIES[domain.name]:
        ways.append("property")
    if sort == "n" and names[Kind.RELATION]:
        ways.append("relation")
    way = draw(st.sampled_from(ways))
    if way == "history":
        number = draw(st.integers(1, min(5, state.utterance)))
        return [
            draw(st.sampled_from(["-1", str(number)])),
            draw(st.sampled_from(names[Kind.PREV_ARG])),
        ]
    if way == "relation":
        return [*draw(_terms(domain, state, "o")), draw(st.sampled_from(names[Kind.RELATION]))]
    if way == "property":
        name, sorts = draw(st.sampled_from(list(_PROPERTIES[domain.name].items())))
        colors = [draw(st.sampled_from(names[Kind.COLOR])) for _ in sorts]
        return [*colors, name, *draw(st.sampled_from([[], ["1", "index"], ["-1", "index"]]))]
    if sort == "o":
        place = draw(st.integers(1, max(1, len(state.world.objects))))
        return ["allObjects", draw(st.sampled_from([str(place), "-1"])), "index"]
    kinds = {"n": [Kind.NUMBER], "c": [Kind.COLOR], "a": [Kind.NUMBER, Kind.FRACTION]}[sort]
    return [draw(st.sampled_from([name for kind in kinds for name in names[kind]]))]


@st.composite
def _commands(draw: st.DrawFn, domain: Domain, state: State) -> list[Token]:
    """A command that makes sense at first sight: whether it runs is another question."""
    signatures = _SIGNATURES[domain.name]
    action = draw(st.sampled_from(list(signatures)))
    ending = [action]
    if state.history and draw(st.booleans()):
        number = draw(st.integers(1, min(5, state.utterance)))
        action = state.history[number - 1].action
        ending = [str(number), "prevAction"]
    left_over = draw(st.sampled_from([[], [], [], ["1"], ["allObjects"]]))
    arguments = [name for s in signatures[action] for name in draw(_terms(domain, state, s))]
    return [domain.token(name) for name in (*left_over, *arguments, *ending)]


@st.composite
def walks(draw: st.DrawFn, *, max_commands: int = 6) -> Walk:
    """Programs that run, of any domain, with history; the last command may lack its action."""
    domain = draw(domains)
    states = [State(draw(worlds(domain)))]
    tokens: list[Token] = []
    for _ in range(max_commands):
        command = draw(_commands(domain, states[-1]))
        with contextlib.suppress(ExecutionError):
            states += _run(domain, states[-1], command)
            tokens += command
    if draw(st.booleans()):
        for token in draw(_commands(domain, states[-1]))[:-1]:
            try:
                states.append(step(domain, states[-1], token))
            except ExecutionError:
                break
            tokens.append(token)
    return Walk(domain, states[0].world, tokens, states)


def _run(domain: Domain, state: State, command: list[Token]) -> list[State]:
    states = [state]
    for token in command:
        states.append(step(domain, states[-1], token))
    return states[1:]
