"""It learns: from final worlds alone, on the embedded corpus, in a minute or two.

Tangrams, single utterances, evaluated on sentences that were not trained on. What counts is a
program that *means* the same as the gold one, on other worlds too, so that luck does not help. A
parser that cannot use the sentence, because it was trained on sentences dealt out to other
examples, shows what shortcuts are worth: it stays under BLIND. LEARNED is three times that.
"""

from __future__ import annotations

import random

import pytest

from lang2program_tf.corpus.batches import training_batches
from lang2program_tf.corpus.embedded.spuriousness import spurious_share
from lang2program_tf.gin_files import load_gin
from lang2program_tf.learning.evaluation import Evaluator
from lang2program_tf.learning.learner import Learner

BLIND = 0.2
LEARNED = 0.6
SETTINGS = [
    'Task.corpus = "embedded"',
    'Task.form = "substrings"',
    "load_embedded.train_lines = 200",
    "load_embedded.dev_lines = 60",
    "load_embedded.test_lines = 1",
    'Parser.history = ("stack",)',
    "original_adam.learning_rate = 0.003",
    "train/BeamSearch.jit_compile = False",  # pays off in longer runs only
]


def understood(learner_file: str, *settings: str, steps: int, deal_out: bool = False) -> float:
    """Trains, and gives the share of new sentences whose program means what the gold one means.

    Args:
        learner_file: in gin/learners.
        settings: further gin bindings.
        steps: of 32 examples.
        deal_out: whether to deal the training sentences out to other examples.
    """
    load_gin(["domains/tangrams.gin", f"learners/{learner_file}"], [*SETTINGS, *settings])
    learner = Learner()
    examples = [e for e in learner.task.examples("train") if len(e.utterances) == 1]
    if deal_out:
        sentences = [example.utterances for example in examples]
        random.Random(0).shuffle(sentences)
        examples = [e._replace(utterances=other) for e, other in zip(examples, sentences)]
    maker = learner.task.batch_maker(tuple(examples))
    for batch in training_batches(maker, batch_size=32, seed=0).take(steps):
        learner.train(batch)
    new = [e for e in learner.task.examples("dev") if len(e.utterances) == 1]
    right = [p for p in Evaluator(learner, new).predictions() if p.correct]
    spurious = spurious_share(
        "tangrams", [p.example for p in right], [p.program for p in right]
    ).spurious
    return (len(right) - spurious) / len(new)


@pytest.mark.slow
@pytest.mark.parametrize("beta", [0.0, 1.0])
def test_randomer_learns(beta):
    settings = (f"Meritocratic.beta = {beta}", "train/BeamSearch.beam_size = 16")
    assert understood("randomer.gin", *settings, steps=150) > LEARNED


@pytest.mark.slow
def test_without_the_right_sentences_there_is_nothing_to_learn():
    settings = ("Meritocratic.beta = 0.0", "train/BeamSearch.beam_size = 16")
    assert understood("randomer.gin", *settings, steps=150, deal_out=True) < BLIND


@pytest.mark.slow
@pytest.mark.parametrize(("epsilon", "learns"), [(0.0, False), (0.3, True)])
def test_reinforce_needs_exploration(epsilon, learns):
    settings = (f"Rollouts.epsilon = {epsilon}", "Reinforce.baseline = 0.0")
    share = understood("reinforce.gin", *settings, steps=280)
    assert share > LEARNED if learns else share < BLIND
