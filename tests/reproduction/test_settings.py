from __future__ import annotations

from pathlib import Path

import pytest

import gin
from lang2program_tf.errors import UserError
from lang2program_tf.gin_files import load_gin
from lang2program_tf.learning.run_folder import RunFolder
from lang2program_tf.reproduction.cells import Run
from lang2program_tf.reproduction.settings import read_settings
from lang2program_tf.reproduction.tables import read_table

RUN = Run(read_table("table1").cells[-1], 3)


def test_settings_are_those_that_training_compares_with_its_folder(tmp_path: Path):
    params = ["TrainingLoop.max_steps = 7", "Learner.seed = 5"]
    for file in ("released/scene.gin", "paper/alchemy_q_rl.gin"):
        load_gin([file], [])  # what was read before must not show
    settings = read_settings(RUN, params)
    load_gin(["paper/scene_beta_0_stack.gin"], [params[0], "Learner.seed = 3"])
    folder = RunFolder(tmp_path)
    folder.write_config(gin.config_str())
    gin.clear_config()
    folder.check_config(settings.config)
    assert "Learner.seed = 3" in settings.config
    assert settings.max_steps == 7


def test_a_mistake_in_a_binding_is_a_users_error():
    with pytest.raises(UserError, match="gin settings: .*nonsense"):
        read_settings(RUN, ["TrainingLoop.nonsense = 1"])
    gin.clear_config()
