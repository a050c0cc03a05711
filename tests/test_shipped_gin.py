"""Every file in gin/: it can be read, all it says is used, and one can train with it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
import tensorflow as tf

import gin
from lang2program_tf.corpus.batches import Batch
from lang2program_tf.gin_files import gin_root, load_gin
from lang2program_tf.learning.learner import Learner
from lang2program_tf.learning.loop import TrainingLoop
from lang2program_tf.learning.run_folder import RunFolder
from lang2program_tf.reproduction.tables import read_table

FILES = sorted(path.relative_to(gin_root()).as_posix() for path in gin_root().rglob("*.gin"))
# The others are parts that these include.
EXPERIMENTS = [
    name
    for name in FILES
    if re.match("(paper|released|turns)/(alchemy|scene|tangrams)", name) or "/" not in name
]
ROWS = [name for name in EXPERIMENTS if name.startswith("paper/")]
TEXT = "paper/text.gin"
# What goes on top of them.
ABLATIONS = [
    name for name in FILES if "/ablations/" in name and not name.endswith("papers_learner.gin")
]
# One of each kind of exploration, history and learner.
TRAINED = [
    "quickstart.gin",
    "released/scene.gin",
    "released/scene_reinforce.gin",
    "paper/scene_reinforce.gin",
    "paper/tangrams_classic_beam_128.gin",
    "paper/alchemy_epsilon_0.05.gin",
    "turns/scene.gin",
]
SMALL = [
    'Task.corpus = "embedded"',
    "load_embedded.train_lines = 20",
    "load_embedded.dev_lines = 2",
    "load_embedded.test_lines = 1",
]
SEEDS = (9, 7, 4, 10, 1, 2, 3, 5, 6, 8)
BATCH = 12


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Lists of programs are kept for the time of a test, and settings too."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    yield
    gin.clear_config()


def short_examples(learner: Learner) -> Batch:
    """A batch of examples of one utterance; targets are where the learner's own programs lead."""
    examples = [e for e in learner.task.examples("train") if len(e.utterances) == 1]
    examples.sort(key=lambda example: len(example.utterances[0]))
    batch = learner.task.batch_maker(tuple(examples[:BATCH]))(tf.range(BATCH))
    programs = learner.predict(batch).programs
    found = programs.length[:, :1] > 0
    return batch._replace(targets=tf.where(found, programs.world[:, 0], batch.targets))


def turns(learner: Learner) -> Batch:
    """A batch of the first turns, whose programs the learner knows."""
    examples = learner.task.examples("train")
    learner.remember(examples)
    return learner.task.batch_maker(examples)(tf.range(BATCH))


def learner_after_two_steps(name: str) -> Learner:
    """A learner that has learned from programs that it found.

    The first weights decide whether a search finds any program at all, so seeds are tried in turn.
    """
    for seed in SEEDS:
        load_gin([name], [*SMALL, f"Learner.seed = {seed}"])
        learner = Learner()
        batch = turns(learner) if learner.task.form == "turns" else short_examples(learner)
        before = [variable.numpy() for variable in learner.parser.trainable_variables]
        if float(learner.train(batch).decisions) > 0:
            assert np.isfinite(float(learner.train(batch).loss))
            after = [variable.numpy() for variable in learner.parser.trainable_variables]
            assert any(np.any(old != new) for old, new in zip(before, after))
            return learner
    raise AssertionError(f"no seed of {SEEDS} finds a program")


def unused_bindings() -> list[str]:
    """Bindings that nothing has asked for since the settings were loaded."""
    used = {
        (selector, parameter)
        for (_, selector), parameters in gin.config._OPERATIVE_CONFIG.items()
        for parameter in parameters
    }
    return [
        f"{scope}/{selector}.{parameter}"
        for (scope, selector), parameters in gin.config._CONFIG.items()
        for parameter in parameters
        if (selector, parameter) not in used
    ]


@pytest.mark.slow
@pytest.mark.usefixtures("eagerly")
@pytest.mark.parametrize("name", TRAINED)
def test_two_steps_with_a_file_learn_something(name: str):
    assert int(learner_after_two_steps(name).step) == 2


def unused_after_set_up(names: list[str], folder: Path) -> set[str]:
    load_gin(names, SMALL)
    TrainingLoop(Learner(), RunFolder(folder))
    return set(unused_bindings())


@pytest.mark.parametrize("name", sorted(set(EXPERIMENTS) - set(ROWS)))
def test_all_that_a_file_says_is_used(name: str, tmp_path: Path):
    assert unused_after_set_up([name], tmp_path / "run") == set()


@pytest.mark.slow
@pytest.mark.parametrize("name", ROWS)
def test_all_that_a_row_of_the_paper_says_is_used_in_one_reading_or_the_other(
    name: str, tmp_path: Path
):
    as_run = unused_after_set_up([name], tmp_path / "as_run")
    text = unused_after_set_up([name, TEXT], tmp_path / "text")
    assert as_run & text == set()


def bindings() -> set[tuple[str, str]]:
    """All bindings in force, with their values."""
    return {
        (f"{scope}/{selector}.{parameter}", repr(value))
        for (scope, selector), parameters in gin.config._CONFIG.items()
        for parameter, value in parameters.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", ABLATIONS)
def test_all_that_an_ablation_changes_is_used(name: str, tmp_path: Path):
    load_gin(["turns/tangrams.gin"], SMALL)
    before = bindings()
    load_gin(["turns/tangrams.gin", name], SMALL)
    changed = {binding for binding, _ in bindings() - before}
    TrainingLoop(Learner(), RunFolder(tmp_path / "run"))
    assert changed and changed.isdisjoint(unused_bindings())


def test_an_unused_binding_is_noticed():
    load_gin(["quickstart.gin"], ["Reinforce.baseline = 0.1"])
    Learner()
    unused = unused_bindings()
    assert "/lang2program_tf.learning.weights.Reinforce.baseline" in unused
    assert not any("RandomizedPaper" in binding or "Task" in binding for binding in unused)


def test_every_part_is_included_by_an_experiment():
    def included(name: str) -> set[str]:
        text = (gin_root() / name).read_text()
        parts = set(re.findall(r'^include "(.*)"$', text, re.MULTILINE))
        return parts.union(*map(included, parts))

    wholes = {*EXPERIMENTS, *ABLATIONS, TEXT}
    assert wholes.union(*map(included, wholes)) == set(FILES)


def test_every_row_of_the_paper_has_a_file_and_every_file_is_a_row():
    tables = [read_table(f"table{number}") for number in (1, 2, 3, 4)]
    assert {cell.key for table in tables for cell in table.cells} == set(ROWS)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_file_is_of_the_domain_that_its_name_says(name: str):
    load_gin([name], [])
    domain = gin.query_parameter("Task.domain")
    assert name == "quickstart.gin" or Path(name).stem.split("_")[0] == domain


RANDOM = "RandomizedOriginal"
OTHER = "RandomizedPaper"


@pytest.mark.parametrize(
    ("name", "history", "exploration", "weights"),
    [
        ("released/alchemy.gin", "stack", (RANDOM, 0.15, 32, True), {"beta": 0.0, "alpha": 1.0}),
        ("released/scene.gin", "stack", (RANDOM, 0.15, 32, False), {"beta": 0.0, "alpha": 1.0}),
        ("released/tangrams.gin", "stack", (RANDOM, 0.15, 32, True), {"beta": 0.0, "alpha": 1.0}),
        ("paper/alchemy_reinforce.gin", "tokens", ("Rollouts", 0.2, 32, False), -0.01),
        ("paper/tangrams_reinforce.gin", "tokens", ("Rollouts", 0.2, 32, False), -0.01),
        ("paper/scene_reinforce.gin", "tokens", ("Rollouts", 0.2, 32, False), -0.0001),
        ("paper/scene_reinforce_no_baseline.gin", "tokens", ("Rollouts", 0.2, 32, False), 0.0),
        ("paper/alchemy_classic_beam_128.gin", "tokens", ("Classic", None, 128, False), 1.0),
        ("paper/scene_classic_beam_32.gin", "tokens", ("Classic", None, 32, False), 1.0),
        ("paper/alchemy_epsilon_0.05.gin", "tokens", (RANDOM, 0.05, 32, False), 1.0),
        ("paper/tangrams_default.gin", "tokens", (RANDOM, 0.15, 32, False), 1.0),
        ("paper/scene_beta_0_stack.gin", "stack", (RANDOM, 0.15, 32, False), 0.0),
        ("paper/scene_epsilon_0.25.gin", "tokens", (RANDOM, 0.25, 32, False), 1.0),
        ("paper/scene_beta_0.25.gin", "tokens", (RANDOM, 0.15, 32, False), 0.25),
        ("paper/scene_stack.gin", "stack", (RANDOM, 0.15, 32, False), 1.0),
        (
            *("paper/alchemy_q_rl.gin", "tokens", (RANDOM, 0.15, 32, False)),
            {"beta": 1.0, "alpha": 0.0},
        ),
    ],
)
def test_settings_are_those_of_the_appendix(
    name: str, history: str, exploration: tuple[object, ...], weights: object
):
    load_gin([name], SMALL)
    learner = Learner()
    search = learner.train_step.search
    rule: Any = learner.train_step.weights
    assert learner.parser.history == (history,)
    assert exploration == (
        type(search.selection).__name__,
        getattr(search.selection, "epsilon", None),
        search.beam_size,
        search.independent_utterances,
    )
    if "reinforce" in name:
        assert (rule.correct, rule.incorrect, rule.baseline) == (1.0, weights, 0.0)
    elif isinstance(weights, dict):
        assert vars(rule) == weights
    else:
        assert rule.beta == weights


def test_rows_of_the_paper_are_as_run_unless_the_text_goes_on_top():
    load_gin(["paper/scene_stack.gin"], ["Learner.seed = 0"])
    as_run = Learner()
    load_gin(["paper/scene_stack.gin"], ["Learner.seed = 1"])
    other_seed = Learner()
    load_gin(["paper/scene_stack.gin", TEXT], ["Learner.seed = 0"])
    text = Learner()
    for table in ("token_embeddings", "primitive_embeddings"):
        same, other = getattr(other_seed.parser, table), getattr(text.parser, table)
        np.testing.assert_array_equal(getattr(as_run.parser, table), same)
        assert np.any(getattr(as_run.parser, table) != other)
    assert (as_run.task.form, text.task.form) == ("orig", "substrings")
    assert len(as_run.task.words) < len(text.task.words)
    layers = [len(learner.parser.decoder.query_layers) for learner in (as_run, text)]
    assert layers == [2, 1]
    rules = [type(learner.train_step.search.selection).__name__ for learner in (as_run, text)]
    assert rules == [RANDOM, OTHER]
    load_gin(["paper/scene_reinforce.gin", TEXT], [])
    step = Learner().train_step
    rule, rollouts = cast(Any, step.weights), cast(Any, step.search.selection)
    assert (rule.correct, rule.incorrect, rule.baseline) == (1.0, 0.0, 0.0001)
    assert rollouts.epsilon == 0.15
