"""Every file in gin/: it can be read, all it says is used, and one can train with it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

import gin
from lang2program_tf.corpus.batches import Batch
from lang2program_tf.gin_files import gin_root, load_gin
from lang2program_tf.learning.learner import Learner
from lang2program_tf.learning.loop import TrainingLoop
from lang2program_tf.learning.run_folder import RunFolder

FILES = sorted(path.relative_to(gin_root()).as_posix() for path in gin_root().rglob("*.gin"))
# The others are parts that these include.
EXPERIMENTS = [
    name
    for name in FILES
    if name.startswith(("paper/table", "released/", "turns/")) or "/" not in name
    if not name.endswith("common.gin") and "/ablations/" not in name
]
# What goes on top of them.
ABLATIONS = [
    name for name in FILES if "/ablations/" in name and not name.endswith("papers_learner.gin")
]
# One of each kind of exploration, history and learner.
TRAINED = [
    "quickstart.gin",
    "released/scene.gin",
    "paper/table1_main/scene_reinforce.gin",
    "paper/table1_main/tangrams_bs_mml.gin",
    "paper/table1_main/alchemy_randomer.gin",
    "turns/scene.gin",
]
SMALL = [
    'Task.corpus = "embedded"',
    "load_embedded.train_lines = 20",
    "load_embedded.dev_lines = 2",
    "load_embedded.test_lines = 1",
]
DOMAINS = ("alchemy", "scene", "tangrams")
SEEDS = (9, 7, 4, 10, 1, 2, 3, 5, 6, 8)
BATCH = 12


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Lists of programs are kept for the time of a test, and settings too."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    yield
    gin.clear_config()


@pytest.fixture
def eagerly() -> Iterator[None]:
    """To build the graphs of all files would take minutes; their code runs without them too."""
    tf.config.run_functions_eagerly(True)
    yield
    tf.config.run_functions_eagerly(False)


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


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_all_that_a_file_says_is_used(name: str, tmp_path: Path):
    load_gin([name], SMALL)
    TrainingLoop(Learner(), RunFolder(tmp_path / "run"))
    assert unused_bindings() == []


def bindings() -> set[tuple[str, str]]:
    """All bindings in force, with their values."""
    return {
        (f"{scope}/{selector}.{parameter}", repr(value))
        for (scope, selector), parameters in gin.config._CONFIG.items()
        for parameter, value in parameters.items()
    }


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

    wholes = {*EXPERIMENTS, *ABLATIONS}
    assert wholes.union(*map(included, wholes)) == set(FILES)


def test_every_row_of_the_paper_has_a_file_for_every_domain():
    rows = {
        "table1_main": ["reinforce", "bs_mml", "randomer"],
        "table2_exploration": [
            *("classic_beam_32", "classic_beam_128"),
            *("epsilon_0.05", "epsilon_0.15", "epsilon_0.25"),
        ],
        "table3_beta": ["q_rl", "q_mml", "beta_0.25", "beta_0"],
        "table4_history": ["tokens", "stack"],
    }
    wanted = {
        f"paper/{table}/{domain}_{row}.gin"
        for table, names in rows.items()
        for row in names
        for domain in DOMAINS
    }
    assert {name for name in EXPERIMENTS if name.startswith("paper/")} == wanted


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_file_is_of_the_domain_that_its_name_says(name: str):
    load_gin([name], [])
    domain = gin.query_parameter("Task.domain")
    assert name == "quickstart.gin" or Path(name).stem.split("_")[0] == domain


def setting(parameter: str) -> object:
    """What is bound, None if nothing is."""
    try:
        return gin.query_parameter(parameter)
    except ValueError:
        return None


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("released/alchemy.gin", ("stack", "RandomizedOriginal", 0.15, 0.0, None, 32, True)),
        ("released/scene.gin", ("stack", "RandomizedOriginal", 0.15, 0.0, None, 32, None)),
        ("released/tangrams.gin", ("stack", "RandomizedOriginal", 0.15, 0.0, None, 32, True)),
        ("paper/table1_main/alchemy_reinforce.gin", ("tokens", "Rollouts", 0.15, None, 0.01, 32)),
        ("paper/table1_main/tangrams_reinforce.gin", ("tokens", "Rollouts", 0.15, None, 0.01, 32)),
        ("paper/table1_main/scene_reinforce.gin", ("tokens", "Rollouts", 0.15, None, 0.0001, 32)),
        ("paper/table1_main/alchemy_bs_mml.gin", ("tokens", "Classic", None, 1.0, None, 128)),
        ("paper/table1_main/tangrams_bs_mml.gin", ("tokens", "Classic", None, 1.0, None, 128)),
        ("paper/table1_main/scene_bs_mml.gin", ("tokens", "Classic", None, 1.0, None, 128)),
        ("paper/table1_main/alchemy_randomer.gin", ("tokens", "RandomizedPaper", 0.05, 1.0)),
        ("paper/table1_main/tangrams_randomer.gin", ("tokens", "RandomizedPaper", 0.15, 1.0)),
        ("paper/table1_main/scene_randomer.gin", ("stack", "RandomizedPaper", 0.15, 0.0)),
        ("paper/table2_exploration/scene_classic_beam_32.gin", ("tokens", "Classic", None, 1.0)),
        ("paper/table2_exploration/scene_epsilon_0.25.gin", ("tokens", "RandomizedPaper", 0.25, 1)),
        ("paper/table3_beta/alchemy_q_rl.gin", ("tokens", "RandomizedPaper", 0.15, 1.0)),
        ("paper/table3_beta/scene_beta_0.25.gin", ("tokens", "RandomizedPaper", 0.15, 0.25)),
        ("paper/table4_history/scene_stack.gin", ("stack", "RandomizedPaper", 0.15, 1.0)),
    ],
)
def test_settings_are_those_of_the_appendix(name: str, settings: tuple[object, ...]):
    load_gin([name], [])
    selection = gin.query_parameter("train/BeamSearch.selection").selector.split(".")[-1]
    found = (
        *gin.query_parameter("Parser.history"),
        selection,
        setting(f"{selection}.epsilon") if selection != "Classic" else None,
        setting("Meritocratic.beta"),
        setting("Reinforce.baseline"),
        gin.query_parameter("train/BeamSearch.beam_size"),
        setting("train/BeamSearch.independent_utterances"),
    )
    assert found[: len(settings)] == settings
