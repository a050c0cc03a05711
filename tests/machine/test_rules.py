"""On tensors a domain does what its language does: every token, from all states of dialogues."""

from __future__ import annotations

import numpy as np
import pytest

from lang2program_dev.fuzzing.side_by_side import SideBySide
from lang2program_tf.language import State, get_domain, parse_program, step
from lang2program_tf.machine import get_machine

MAX_UTTERANCES = 4
# By domain and world: programs, and beginnings of programs that cannot go on as one would think.
DIALOGUES = {
    ("scene", "1:r_ 2:__ 3:yo 4:gp 5:__ 6:r_ 7:__ 8:__ 9:__ 10:bb"): [
        "leave(hasShirt(yellow)); leave(hasHat(blue))",
        "move(hasShirt(yellow), leftOf(hasHat(blue))); leave(prevArg1(1))",
        "move(hasHat(blue), rightOf(hasShirt(green))); move(prevArg1(1), -1)",
        "create(2, orange, noHat); create(5, red, purple)",
        "swapHats(hasShirt(yellow), hasShirtHat(green, purple)); leave(hasHat(orange))",
        "move(index(hasShirt(red), 2), 9); leave(prevArg1(-1)); create(8, red, yellow)",
        "swapHats(hasHat(orange), hasHat(purple)); prevAction(prevArg1(1), prevArg2(1), 1)",
        "yellow hasShirt yellow hasShirt",  # nobody swaps hats with himself
        "yellow hasShirt leave 1 prevArg1",  # who has left cannot leave
    ],
    ("alchemy", "1:ggg 2:_ 3:rb 4:oooo 5:y 6:yyyy 7:r"): [
        "drain(hasColor(green), 1); drain(hasColor(green), 2)",
        "mix(index(allObjects, 3)); drain(hasColor(brown), 1/1)",
        "pour(hasColor(green), index(allObjects, 5)); mix(prevArg2(-1)); drain(prevArg1(-1), 3)",
        "pour(hasColor(red), index(allObjects, 2)); pour(prevArg2(1), index(allObjects, 3))",
        "drain(index(allObjects, 4), 1); prevAction(prevArg1(1), prevArg2(1), 1)",
        "allObjects 7 index 2",  # more than there is
        "allObjects 2 index allObjects 5 index",  # nothing to pour
        "allObjects 1 index allObjects 3 index",  # too much for one beaker
    ],
    ("tangrams", "1:2 2:0 3:4 4:1"): [
        "remove(index(allObjects, 2)); add(1, prevArg1(1))",
        "remove(index(allObjects, -1)); remove(index(allObjects, 1)); add(-1, prevArg1(1))",
        "swap(index(allObjects, 1), index(allObjects, -1)); remove(prevArg2(1))",
        "swap(index(allObjects, 2), index(allObjects, 3)); prevAction(prevArg1(1), prevArg2(1), 1)",
        "remove(index(allObjects, 3)); add(3, prevArg1(1)); remove(prevArg2(-1))",
        "allObjects 1 index remove 5 1 prevArg1",  # beyond the end of the row
        "1 allObjects 1 index",  # a piece that is there already
        "allObjects 1 index allObjects 1 index",  # the same piece twice
    ],
}


@pytest.mark.parametrize("name, world", DIALOGUES)
def test_every_token_does_the_same_in_the_language_and_on_tensors(name: str, world: str):
    domain = get_domain(name)
    states, places = [], []
    for program in DIALOGUES[name, world]:
        state = State(domain.parse_world(world))
        for token in parse_program(domain, program):
            states.append(state)
            places.append(f"{program} before {token.name}")
            state = step(domain, state, token)
        states.append(state)
        places.append(program)
    # Of two copies of a state, the next command completes the program of one.
    limits = [state.utterance + 1 for state in states] + [MAX_UTTERANCES] * len(states)
    states, places = states * 2, places * 2
    both = SideBySide(get_machine(name), max_utterances=MAX_UTTERANCES)
    tried = both.try_tokens(states, limits)
    compared = both.compare(states, limits, tried=tried, applied=tried)
    assert len(np.unique(compared.outcomes)) == 5
    found = [
        (places[row], domain.tokens[token].name, parts)
        for row, token, parts in compared.differences
    ]
    assert found == []
