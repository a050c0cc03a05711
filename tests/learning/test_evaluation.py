from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

import gin
from lang2program_tf.corpus.scone import Example
from lang2program_tf.language import execute, get_domain
from lang2program_tf.learning.evaluation import (
    Evaluator,
    Measure,
    Prediction,
    by_utterances,
    measure,
    wilson_interval,
)
from lang2program_tf.learning.learner import Learner
from lang2program_tf.learning.summary import summary_json, summary_table
from tests.learning.small_runs import knowing_learner


@pytest.fixture(scope="module")
def learner() -> Iterator[Learner]:
    """A learner that has learned enough to find programs."""
    yield knowing_learner()
    gin.clear_config()


def example(number: int, utterances: int) -> Example:
    return Example(
        f"dev-{number}:1-{utterances}",
        world="1:0 2:1",
        utterances=("remove the first",) * utterances,
        target="1:1",
        line=number,
    )


def prediction(number: int, utterances: int, *, correct: bool, rewarded: int = 0) -> Prediction:
    return Prediction(
        example=example(number, utterances),
        program=(),
        log_prob=-np.inf,
        world=None,
        correct=correct,
        num_complete=rewarded,
        num_rewarded=rewarded,
        reward=rewarded / 10,
    )


@pytest.mark.parametrize(
    ("correct", "examples", "low", "high"),
    [  # Newcombe 1998, Table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (29, 29, 0.8830, 1.0),
        (0, 0, 0.0, 1.0),
    ],
)
def test_intervals_are_those_of_wilson(correct: int, examples: int, low: float, high: float):
    assert wilson_interval(correct, examples) == pytest.approx((low, high), abs=5e-5)


def test_measures_count_by_number_of_utterances():
    predictions = [
        prediction(0, 1, correct=True, rewarded=3),
        prediction(0, 2, correct=False, rewarded=1),
        prediction(1, 1, correct=False),
        prediction(2, 1, correct=True, rewarded=2),
    ]
    assert measure(predictions) == pytest.approx(
        Measure(4, correct=2, hit=3, rewarded=1.5, reward=0.15)
    )
    lengths = by_utterances(predictions)
    assert {n: (of.examples, of.correct, of.hit) for n, of in lengths.items()} == {
        1: (3, 2, 2),
        2: (1, 0, 1),
    }
    assert lengths[1].accuracy == 2 / 3


def test_summaries_have_what_scripts_and_people_want():
    predictions = [prediction(i, 3, correct=i < 3, rewarded=i % 2) for i in range(4)]
    domain = get_domain("tangrams")
    summary = json.loads(json.dumps(summary_json(domain, predictions)))
    assert summary["domain"] == "tangrams"
    assert summary["examples"] == {"3": 4}
    assert summary["accuracy"] == {"3": 0.75}
    assert summary["hit"] == {"3": 0.5}
    assert summary["interval"]["3"] == pytest.approx(wilson_interval(3, 4))
    assert "spurious" not in summary  # no gold programs
    rows = summary_table(predictions).splitlines()
    assert rows[1].split() == ["3", "4", "0.750", "0.301", "to", "0.954", "0.500"]
    assert rows[2].split()[0] == "all"


def answers(evaluator: Evaluator) -> dict[str, tuple[object, ...]]:
    return {
        p.example.id: (p.program, p.world, p.correct, p.num_complete, p.num_rewarded)
        for p in evaluator.predictions()
    }


@pytest.mark.slow
def test_an_answer_depends_neither_on_the_batch_nor_on_the_time(learner: Learner):
    examples = learner.task.examples("dev")
    first = answers(Evaluator(learner, examples, batch_size=4))
    assert len(first) == len(examples) and any(program for program, *_ in first.values())
    assert answers(Evaluator(learner, examples, batch_size=4)) == first
    for size in (1, 32):
        assert answers(Evaluator(learner, examples[::-1], batch_size=size)) == first


@pytest.mark.slow
def test_a_part_of_the_examples_is_measured_without_predicting_it_again(learner: Learner):
    examples = learner.task.examples("dev")
    some = [example for example in examples if len(example.utterances) > 1][::2]
    seen: list[Prediction] = []
    found = Evaluator(learner, examples).measures(
        lambda items: (seen.append(item) or item for item in items), parts=[some]
    )
    assert len(seen) == len(examples) == found.total.examples
    (part,) = found.parts
    alone = Evaluator(learner, some).measures()
    assert part.lengths.keys() == alone.lengths.keys()
    for mine, other in zip(
        [part.total, *part.lengths.values()], [alone.total, *alone.lengths.values()]
    ):
        assert mine == pytest.approx(other)


@pytest.mark.slow
def test_a_compiled_search_gives_the_same_answers(learner: Learner):
    examples = learner.task.examples("dev")
    expected = answers(Evaluator(learner, examples))
    try:
        with gin.unlock_config():
            gin.bind_parameter("evaluate/BeamSearch.jit_compile", True)
        learner.predict_with(learner.parser)
        for size in (3, 20):  # in parts of 8, the last of them with examples that do not count
            assert answers(Evaluator(learner, examples, batch_size=size)) == expected
    finally:
        with gin.unlock_config():
            gin.bind_parameter("evaluate/BeamSearch.jit_compile", False)
        learner.predict_with(learner.parser)


@pytest.mark.slow
def test_predictions_agree_with_the_executor(learner: Learner):
    domain = learner.task.domain
    found = 0
    for p in Evaluator(learner, learner.task.examples("dev")).predictions():
        record = json.loads(json.dumps(p.to_json(domain)))
        assert record["id"] == p.example.id
        if not p.program:
            assert record["log_prob"] is None and record["predicted_world"] is None
            continue
        found += 1
        world = execute(domain, domain.parse_world(p.example.world), p.program).world
        assert str(world) == p.world == record["predicted_world"]
        assert p.correct == (world == domain.parse_world(p.example.target))
    assert found > 0


@pytest.mark.slow
def test_evaluation_uses_averaged_weights_and_gives_the_others_back(learner: Learner):
    optimizer, variables = learner.train_step.optimizer, learner.parser.trainable_variables
    trained = weights(learner)
    averages = [optimizer.get_slot(variable, "average").numpy() for variable in variables]
    assert any(np.any(a != b) for a, b in zip(trained, averages))
    with learner.evaluation_weights():
        assert _equal(weights(learner), averages)
    assert _equal(weights(learner), trained)
    with pytest.raises(KeyError), learner.evaluation_weights():
        raise KeyError
    assert _equal(weights(learner), trained)


def weights(learner: Learner) -> list[np.ndarray]:
    return [variable.numpy() for variable in learner.parser.trainable_variables]


def _equal(first: Sequence[np.ndarray], second: Sequence[np.ndarray]) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(first, second))


@pytest.mark.slow
def test_all_batches_share_one_graph(learner: Learner, monkeypatch: pytest.MonkeyPatch):
    read, graphs = learner.parser.read, []
    monkeypatch.setattr(learner.parser, "read", lambda *words: graphs.append(words) or read(*words))
    learner.predict_with(learner.parser)
    examples = learner.task.examples("dev")
    list(Evaluator(learner, examples, batch_size=3).predictions())
    list(Evaluator(learner, examples, batch_size=2).predictions())
    assert len(graphs) == 1


@pytest.mark.slow
def test_a_batch_size_of_nothing_is_refused(learner: Learner):
    with pytest.raises(ValueError, match="batch_size=0 must be 1 or more"):
        Evaluator(learner, learner.task.examples("dev"), batch_size=0)
