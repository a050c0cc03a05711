"""A new domain is three modules and a line in each registry: `lamps` shows it."""

from __future__ import annotations

import random

import numpy as np
import pytest

from lang2program_dev.fuzzing.side_by_side import SideBySide
from lang2program_tf.corpus.embedded.generator import GRAMMARS, generate_line
from lang2program_tf.gin_files import load_gin
from lang2program_tf.language import DOMAINS, State, step
from lang2program_tf.language.errors import ExecutionError
from lang2program_tf.learning.experiment import train
from lang2program_tf.machine import RULES, get_machine
from lang2program_tf.serving import Client, ParseRequest
from lang2program_tf.serving.export_run import export_run
from lang2program_tf.serving.model import LocalTransport, Model
from tests.lamps import GRAMMAR, LAMPS, LampsRules

BINDINGS = [
    'Task.domain = "lamps"',
    'Task.corpus = "embedded"',
    'Task.form = "substrings"',
    'Parser.history = ("stack",)',
    "load_embedded.train_lines = 40",
    "load_embedded.dev_lines = 10",
    "load_embedded.test_lines = 5",
    "train/BeamSearch.jit_compile = False",
    "evaluate/BeamSearch.jit_compile = False",
    "TrainingLoop.max_steps = 60",
    "TrainingLoop.evaluate_every = 60",
    "TrainingLoop.evaluate_all_every = 60",
    "TrainingLoop.save_every = 60",
]


@pytest.fixture(scope="module", autouse=True)
def registered():
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(DOMAINS, "lamps", LAMPS)
        patch.setitem(RULES, "lamps", LampsRules)
        patch.setitem(GRAMMARS, "lamps", GRAMMAR)
        yield


def test_its_machine_does_what_its_language_does():
    rng = random.Random(0)
    states = []
    for _ in range(40):
        state = State(GRAMMAR.worlds.any(rng))
        for token in rng.choices(LAMPS.tokens, k=6):
            try:
                after = step(LAMPS, state, token)
            except ExecutionError:
                continue
            state = after if len(after.stack) <= 3 and after.utterance < 3 else state
        states.append(state)
    both = SideBySide(get_machine("lamps"), max_utterances=4)
    limits = [4] * len(states)
    tried = both.try_tokens(states, limits)
    compared = both.compare(states, limits, tried=tried, applied=tried)
    assert compared.differences == ()
    assert len(np.unique(compared.outcomes)) > 2


@pytest.mark.slow
def test_it_is_trained_exported_and_parses(tmp_path):
    load_gin(["learners/bs_mml.gin"], BINDINGS)
    train(tmp_path / "run")
    export_run([tmp_path / "run"], tmp_path / "exported", top_k=3, max_utterances=5)
    line = generate_line("lamps", random.Random(5), "new")
    client = Client(LocalTransport(Model(tmp_path / "exported")))
    answer = client.parse_many([ParseRequest(line.worlds[0], line.utterances[:1])])[0]
    assert answer.best is not None
    assert answer.best.world == line.worlds[1]
