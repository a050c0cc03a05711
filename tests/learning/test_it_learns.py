"""It learns: from final worlds alone, on the embedded corpus, in a minute or two.

Tangrams, single utterances, evaluated on sentences that were not trained on. What counts is a
program that *means* the same as the gold one, on other worlds too, so that luck does not help. A
parser that cannot use the sentence, because it was trained on sentences dealt out to other
examples, shows what shortcuts are worth: it stays under BLIND. LEARNED is three times that.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import tensorflow as tf

from lang2program_tf.corpus.batches import training_batches
from lang2program_tf.corpus.embedded.spuriousness import spurious_share
from lang2program_tf.gin_files import load_gin
from lang2program_tf.learning.evaluation import Evaluator
from lang2program_tf.learning.learner import Learner
from lang2program_tf.learning.weights import Meritocratic
from lang2program_tf.search import Rollouts

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
    "evaluate/BeamSearch.jit_compile = False",
]


def load(learner_file: str, *settings: str) -> Learner:
    """A learner of gin/learners, with further gin bindings."""
    load_gin(["domains/tangrams.gin", f"learners/{learner_file}"], [*SETTINGS, *settings])
    return Learner()


def understood(learner: Learner, *, steps: int, deal_out: bool = False) -> float:
    """Trains, and gives the share of new sentences whose program means what the gold one means.

    Args:
        learner: who learns.
        steps: of 32 examples.
        deal_out: whether to deal the training sentences out to other examples.
    """
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


class Beginner:
    """A learner that can begin anew, so that its graphs are built once.

    Attributes:
        learner: the learner.
    """

    def __init__(self, learner: Learner, folder: Path) -> None:
        self.learner = learner
        self._beginning = tf.train.Checkpoint(**learner.variables())
        self._path = self._beginning.write(str(folder / "beginning"))

    def anew(self) -> Learner:
        """The learner as it was at first."""
        self._beginning.read(self._path).assert_consumed()
        return self.learner


@pytest.fixture(scope="module")
def beta() -> tf.Variable:
    return tf.Variable(0.0)


@pytest.fixture(scope="module")
def randomer(beta, tmp_path_factory) -> Beginner:
    learner = load("randomer.gin", "Meritocratic.beta = 0.0", "train/BeamSearch.beam_size = 16")
    learner.train_step.weights = Meritocratic(lambda step: beta.read_value())
    return Beginner(learner, tmp_path_factory.mktemp("randomer"))


@pytest.mark.slow
@pytest.mark.parametrize("value", [0.0, 1.0])
def test_randomer_learns(randomer, beta, value):
    beta.assign(value)
    assert understood(randomer.anew(), steps=150) > LEARNED


@pytest.mark.slow
def test_without_the_right_sentences_there_is_nothing_to_learn(randomer, beta):
    beta.assign(0.0)
    assert understood(randomer.anew(), steps=150, deal_out=True) < BLIND


@pytest.mark.slow
def test_reinforce_needs_exploration(tmp_path):
    learner = load(
        "reinforce.gin",
        "Rollouts.epsilon = 0.0",
        "Reinforce.baseline = 0.0",
        "train/BeamSearch.beam_size = 16",
    )
    epsilon = tf.Variable(0.3)
    learner.train_step.search.selection = Rollouts(lambda step: epsilon.read_value())
    reinforce = Beginner(learner, tmp_path)
    assert understood(reinforce.anew(), steps=160) > LEARNED
    epsilon.assign(0.0)
    assert understood(reinforce.anew(), steps=160) < BLIND


IN_CONTEXT = [
    'Task.corpus = "embedded"',
    "train/BeamSearch.jit_compile = False",
    "load_embedded.train_lines = 200",
    "load_embedded.dev_lines = 30",
    "load_embedded.test_lines = 1",
    "Parser.encoder_units = 24",
    "Parser.context_width = 48",
    "evaluate/BeamSearch.beam_size = 16",
    "averaged.average_decay = 0.95",
    "CosineDecay.warmup_steps = 10",
    "CosineDecay.warmup_target = 0.003",
    "CosineDecay.decay_steps = 300",
    "ProgramRecall.cuts = (70,)",
    "ProgramRecall.choose_commands = False",
    "LinearSchedule.wait = 70",
]


def right_dialogues(learner: Learner, *, deal_out: bool) -> float:
    """Trains on turns, and gives the share of new dialogues of two sentences that are right.

    Args:
        learner: who learns.
        deal_out: whether to deal the sentences out to other turns with as many before them.
    """
    examples = learner.task.examples("train")
    if deal_out:
        dealt = random.Random(0).sample(examples, len(examples))
        left = {n: [e.utterances for e in dealt if len(e.utterances) == n] for n in range(1, 6)}
        examples = tuple(e._replace(utterances=left[len(e.utterances)].pop()) for e in examples)
    maker = learner.task.batch_maker(examples)
    for batch in training_batches(maker, batch_size=30, seed=0).take(225):
        assert learner.cut_if_due(maker) is maker
        learner.train(batch)
    new = [e for e in learner.task.examples("dev") if len(e.utterances) == 2]
    with learner.evaluation_weights():
        predictions = list(Evaluator(learner, new).predictions())
    return sum(prediction.correct for prediction in predictions) / len(new)


@pytest.mark.slow
def test_turns_in_context_are_learned_from_the_right_sentences_only(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    load_gin(["turns/tangrams.gin"], IN_CONTEXT)
    learner = Learner()
    learner.remember(learner.task.examples("train"))  # by worlds, whatever is said
    beginner = Beginner(learner, tmp_path)
    assert right_dialogues(beginner.anew(), deal_out=False) > LEARNED
    assert right_dialogues(beginner.anew(), deal_out=True) < BLIND
