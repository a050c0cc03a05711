from __future__ import annotations

import random
from collections import Counter
from itertools import chain

import pytest

from lang2program_tf.corpus.embedded.generator import MAX_TOKENS, generate_line, perform
from lang2program_tf.corpus.scone import Line
from lang2program_tf.language import State, execute, get_domain

# Shares of actions in DOMAIN-train.tsv, judged by how the worlds change.
REAL_SHARES = {
    "alchemy": {"drain": 0.747, "pour": 0.180, "mix": 0.074},
    "scene": {"move": 0.485, "create": 0.246, "leave": 0.170, "swapHats": 0.099},
    "tangrams": {"remove": 0.418, "swap": 0.415, "add": 0.167},
}
DOMAINS = tuple(REAL_SHARES)


@pytest.fixture(scope="module", params=DOMAINS)
def corpus(request) -> tuple[str, list[Line]]:
    rng = random.Random(3)
    return request.param, [generate_line(request.param, rng, str(i)) for i in range(600)]


def test_every_program_runs_to_the_labelled_worlds(corpus):
    name, lines = corpus
    domain = get_domain(name)
    for line in lines:
        state: State | None = State(domain.parse_world(line.worlds[0]))
        for command, world in zip(line.gold_programs, line.worlds[1:]):
            state = perform(domain, state, command)
            assert state.world == domain.parse_world(world)


def test_every_utterance_changes_the_world(corpus):
    _, lines = corpus
    assert all(a != b for line in lines for a, b in zip(line.worlds, line.worlds[1:]))


def test_no_command_is_longer_than_a_search_looks(corpus):
    _, lines = corpus
    assert max(len(command) for line in lines for command in line.gold_programs) <= MAX_TOKENS


def test_actions_are_as_frequent_as_in_the_real_data(corpus):
    name, lines = corpus
    domain = get_domain(name)
    actions: Counter[str] = Counter()
    for line in lines:
        program = chain.from_iterable(line.gold_programs)
        history = execute(domain, domain.parse_world(line.worlds[0]), program).history
        actions.update(command.action for command in history)
    for action, share in REAL_SHARES[name].items():
        assert actions[action] / sum(actions.values()) == pytest.approx(share, abs=0.04)


def test_utterances_are_lower_case_words_within_the_word_limit(corpus):
    name, lines = corpus
    utterances = [utterance for line in lines for utterance in line.utterances]
    assert all(u == " ".join(u.lower().split()) for u in utterances)
    limit = get_domain(name).max_words
    assert sum(len(u.split()) > limit for u in utterances) < 0.01 * len(utterances)


def test_the_last_command_is_often_referred_to(corpus):
    _, lines = corpus
    commands = [command for line in lines for command in line.gold_programs[1:]]
    referring = sum(any(token.startswith("prev") for token in command) for command in commands)
    assert 0.15 < referring / len(commands) < 0.5


def test_utterances_seldom_repeat(corpus):
    _, lines = corpus
    utterances = [utterance for line in lines for utterance in line.utterances]
    assert len(set(utterances)) > 0.75 * len(utterances)


@pytest.mark.parametrize(
    "tokens",
    [
        ("allObjects", "1", "index"),
        ("-1", "prevArg1", "remove"),
        ("1", "allObjects", "1", "index", "remove"),
        ("allObjects", "1", "index", "allObjects", "2", "index", "-1", "prevAction"),
    ],
    ids=["no action", "no history", "leftover", "too long"],
)
def test_a_command_that_no_search_would_find_is_not_performed(tokens):
    domain = get_domain("tangrams")
    assert perform(domain, State(domain.parse_world("1:0 2:1 3:2 4:3 5:4")), tokens) is None
