"""Worlds in the graph: whatever Python reads and prints, and nothing else."""

from __future__ import annotations

import pytest
import tensorflow as tf
from hypothesis import example, given, settings
from hypothesis import strategies as some

from lang2program_tf.language import DOMAINS, WorldError, execute, get_domain
from lang2program_tf.machine import RULES
from lang2program_tf.serving.graph_worlds import WorldNotation
from tests.language.strategies import world_texts

NOTATIONS = {name: WorldNotation(rules()) for name, rules in RULES.items()}

cells = some.builds(
    "{}{}{}".format,
    some.integers(0, 11),
    some.sampled_from([":", ":", ":", "", "::", "："]),
    some.text("rygopbe_01234x ", max_size=5),
)
spaces = some.sampled_from([" ", "  ", "\t", "\u2003", "\x1c", ""])
texts_like_worlds = some.lists(some.tuples(cells, spaces), max_size=11).map(
    lambda parts: "".join(cell + space for cell, space in parts)
)


def check(domain, texts):
    """Compares what the graph makes of texts with what Python makes of them."""
    rules = RULES[domain.name]()
    found = NOTATIONS[domain.name].parse(tf.constant(texts))
    shown = NOTATIONS[domain.name].show(found.world).numpy()
    readable, codes, next_identities = (
        part.numpy() for part in (found.readable, found.world, found.next_identity)
    )
    for row, text in enumerate(texts):
        try:
            world = domain.parse_world(text)
        except WorldError:
            assert not readable[row], text
        else:
            assert readable[row], text
            assert codes[row].tolist() == rules.encode_world(world)
            assert next_identities[row] == rules.next_identity(world)
            assert shown[row].decode() == str(world)


@pytest.mark.parametrize("name", DOMAINS)
@settings(deadline=None, max_examples=20)  # a tensor of many worlds takes no longer than of one
@given(data=some.data())
def test_the_graph_reads_and_prints_every_world(name, data):
    domain = get_domain(name)
    check(domain, data.draw(some.lists(world_texts(domain), min_size=10, max_size=20)))


@pytest.mark.parametrize("name", DOMAINS)
@settings(deadline=None, max_examples=20)
@given(texts=some.lists(texts_like_worlds, min_size=10, max_size=20))
@example(["", " ", "1:0", "1:0 2:0", "1:0 1:1", "1:0 2:1 3:2 4:3 5:4 6:0", "01:0", "1:0\u20032:1"])
@example(["1:_ 2:_ 3:_ 4:_ 5:_ 6:_ 7:_", "1:_ 2:_ 3:_ 4:_ 5:_ 6:_ 7:__", "1:_ 2:_ 3:_ 4:_ 5:_ 6:_"])
@example(["1:rrrrr 2:_ 3:_ 4:_ 5:_ 6:_ 7:_", "1:r 3:_ 2:_ 4:_ 5:_ 6:_ 7:_", "1:r_ 2:_"])
def test_the_graph_refuses_what_python_refuses(name, texts):
    check(get_domain(name), texts)


@pytest.mark.parametrize("name", DOMAINS)
def test_a_world_with_one_wrong_cell_is_refused(name):
    world = str(get_domain(name).parse_world(_EXAMPLES[name]))
    broken = [
        text
        for i in range(len(world))
        for text in (world[:i] + world[i + 1 :], world[:i] + "x" + world[i:], world[:i])
    ]
    check(get_domain(name), broken)


def test_a_shirt_that_is_no_hat_can_be_printed_and_read():
    domain, rules = get_domain("scene"), RULES["scene"]()
    start = domain.parse_world(" ".join(f"{i}:__" for i in range(1, 11)))
    world = execute(domain, start, ["3", "noHat", "red", "create"]).world
    shown = NOTATIONS["scene"].show(tf.constant(rules.encode_world(world)))
    assert shown.numpy().decode() == str(world)
    check(domain, [str(world)])


_EXAMPLES = {
    "alchemy": "1:ggg 2:_ 3:_ 4:b 5:_ 6:r 7:yyrr",
    "scene": "1:r_ 2:__ 3:__ 4:gp 5:__ 6:__ 7:__ 8:__ 9:__ 10:yo",
    "tangrams": "1:2 2:1 3:4 4:0 5:3",
}
