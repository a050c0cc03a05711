"""What exploration finds, against a search that is counted program by program."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

import gin
from lang2program_tf.cli.main import main
from lang2program_tf.corpus.order import evaluation_sample
from lang2program_tf.learning.explored import explore
from lang2program_tf.learning.learner import examples_of
from tests.learning.small_runs import knowing_learner, write_run

ROLLOUTS = ["train/BeamSearch.selection = @Rollouts()", "Rollouts.epsilon = 0.2"]


def test_all_is_as_if_counted_program_by_program():
    learner = knowing_learner(ROLLOUTS)
    examples = learner.task.examples("train")
    numbers = evaluation_sample(range(len(examples)), size=6)
    found = explore(learner, size=6, seed=3)
    assert list(found) == sorted({len(examples[number].utterances) for number in numbers})
    assert sum(row.examples for row in found.values()) == len(numbers)
    for length, row in found.items():
        mine = [number for number in numbers if len(examples[number].utterances) == length]
        batch = learner.training_maker(examples)(tf.constant(mine))
        given = examples_of(batch)
        tree = learner.train_step.search.explore(
            learner.parser.read(batch.words, given), given, seed=tf.constant([3, 0]), step=0
        )
        counted = []
        for example in range(len(mine)):
            programs = [
                (bool(tree.rewarded[place].numpy()), float(tf.exp(tree.complete[place])))
                for place in map(tuple, np.argwhere(tree.complete.numpy() > -np.inf))
                if place[1] == example  # places are in the order of iterations
            ]
            rewarded = [p for is_rewarded, p in programs if is_rewarded]
            first = float(programs[0][0]) if programs else 0.0
            counted.append(
                [bool(rewarded), first, len(rewarded), len(programs), float(np.sum(rewarded))]
            )
        np.testing.assert_allclose(row[1:], np.mean(counted, axis=0), rtol=1e-5)
    assert max(row.rewarded for row in found.values()) > 0


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that explores by rollouts."""
    folder = tmp_path_factory.mktemp("run")
    write_run(folder, ROLLOUTS)
    return folder


@pytest.mark.slow
def test_the_command_tells_it_of_a_run_and_of_other_settings(
    run: Path, capsys: pytest.CaptureFixture[str]
):
    def told(*arguments: str) -> dict[str, dict[str, float]]:
        assert main(["explore", f"--root_dir={run}", "--size=8", *arguments]) == 0
        head, *_, last = capsys.readouterr().out.splitlines()
        assert head.split()[:3] == ["utterances", "examples", "hit"]
        found: dict[str, dict[str, float]] = json.loads(last)
        return found

    as_trained = told()
    assert as_trained == told()
    at_random = told("--gin_param=Rollouts.epsilon = 1.0")
    assert at_random["1"]["rewarded"] < as_trained["1"]["rewarded"]
    gin.clear_config()


@pytest.mark.slow
def test_a_run_that_learns_from_a_memory_explores_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    write_run(tmp_path, ['Task.form = "turns"', "Learner.recall = @ProgramRecall"])
    assert main(["explore", f"--root_dir={tmp_path}"]) == 2
    assert f"error: {tmp_path} learns from a memory of programs" in capsys.readouterr().err
    gin.clear_config()
