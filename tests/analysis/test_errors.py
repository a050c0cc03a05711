from __future__ import annotations

import pytest

from lang2program_tf.analysis.errors import Failures, error_groups, failures, step_json
from lang2program_tf.analysis.steps import reached_steps
from lang2program_tf.language import get_domain
from tests.analysis.interactions import predictions
from tests.analysis.rows import FIRST, ROW, four_lines
from tests.language.examples import stage

TANGRAMS = get_domain("tangrams")
PEOPLE = stage(_2="ry", _4="g_", _6="b_")


def test_groups_say_what_was_meant_and_what_happened():
    groups = error_groups(TANGRAMS, reached_steps(TANGRAMS, four_lines()))
    assert [(g.gold, g.predicted, len(g.steps)) for g in groups] == [
        ("remove", "no program", 1),
        ("remove", "remove, other piece", 1),
        ("swap", "remove", 1),
    ]


@pytest.mark.parametrize(
    ("target", "command", "predicted"),
    [
        (stage(_2="ry", _5="g_", _6="b_"), "green hasShirt 3 move", "move, other place"),
        (stage(_2="ry", _5="g_", _6="b_"), "red hasShirt 5 move", "move, other person"),
        (stage(_2="ry", _5="g_", _6="b_"), "red hasShirt 3 move", "move, other person and place"),
        (stage(_2="ry", _5="g_", _6="b_"), "red hasShirt leave", "leave"),
        (
            stage(_2="r_", _4="gy", _6="b_"),
            "green hasShirt blue hasShirt swapHats",  # both have none
            "swapHats without effect",
        ),
        (PEOPLE, "red hasShirt leave", "leave"),
    ],
)
def test_if_the_action_is_right_the_group_says_what_else_differs(target, command, predicted):
    found = predictions("scene", worlds=[PEOPLE, target], utterances=["go"], commands=[command])
    scene = get_domain("scene")
    (group,) = error_groups(scene, reached_steps(scene, found))
    assert group.predicted == predicted


def test_the_largest_group_comes_first_and_in_it_the_surest_mistake():
    def wrong(line: int, command: str, log_prob: float):
        return predictions(
            "tangrams",
            worlds=[ROW, "1:1 2:2"],
            utterances=["remove the first"],
            commands=[command],
            line=line,
            log_prob=log_prob,
        )

    swap, other = f"{FIRST} allObjects 2 index swap", "allObjects 2 index remove"
    found = [*wrong(0, swap, -1.0), *wrong(1, other, -3.0), *wrong(2, other, -2.0)]
    groups = error_groups(TANGRAMS, reached_steps(TANGRAMS, found))
    lines = [[step.prediction.example.line for step in group.steps] for group in groups]
    assert lines == [[2, 1], [0]]


def test_a_failure_is_one_of_ranking_if_a_right_program_was_found():
    of_length = {
        n: failures([p for p in four_lines() if len(p.example.utterances) == n]) for n in (1, 2)
    }
    assert of_length == {
        1: Failures(failed=2, ranking=1, search=0, no_program=1),
        2: Failures(failed=3, ranking=1, search=1, no_program=1),
    }


def test_a_step_without_a_program_is_legal_json():
    record = step_json(reached_steps(TANGRAMS, four_lines())[-1])
    assert record["predicted"] is record["predicted_world"] is record["log_prob"] is None
    assert record["utterance"] == "remove the first figure"
    assert (record["world"], record["target_world"]) == (ROW, "1:1 2:2")
